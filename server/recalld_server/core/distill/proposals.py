"""What a chat model may propose, and how its proposals are checked: only insights, only on sources that it was given."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from recalld_server.core.distill.replies import UnreadableReply, read_json
from recalld_server.core.distill.secrets import holds_secret
from recalld_server.core.distill.types import Category, Insight, Role, Source
from recalld_server.model import Json
from recalld_server.text.clean import clean, is_blank
from recalld_server.text.entities import extract_entities

LONGEST_INSIGHT: Final = 2000
_LONGEST_COUNTERFACTUAL: Final = 2000
_ACTIONS: Final = frozenset({"keep"})
_SAID_BY_PEOPLE: Final = frozenset({Category.PREFERENCE, Category.FACT})
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class Proposal(BaseModel):
    """One thing that the model would keep."""

    model_config = ConfigDict(extra="ignore")

    action: str = "keep"
    category: Literal["preference", "fact", "pattern", "lesson"]
    content: str = Field(max_length=LONGEST_INSIGHT)
    confidence: Share
    importance: Share | None = None
    source_ids: list[str] = Field(max_length=256)
    entities: list[str] = Field(default_factory=list, max_length=32)
    counterfactual: str | None = Field(default=None, max_length=_LONGEST_COUNTERFACTUAL)


SCHEMA: Final[Mapping[str, Json]] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["insights"],
    "properties": {
        "insights": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": [
                    *("action", "category", "content", "confidence", "importance"),
                    *("source_ids", "entities", "counterfactual"),
                ],
                "properties": {
                    "action": {"type": "string", "enum": ["keep"]},
                    "category": {"type": "string", "enum": ["preference", "fact", "pattern", "lesson"]},
                    "content": {"type": "string"},
                    "confidence": {"type": "number"},
                    "importance": {"type": "number"},
                    "source_ids": {"type": "array", "items": {"type": "string"}},
                    "entities": {"type": "array", "items": {"type": "string"}},
                    "counterfactual": {"type": "string"},
                },
            },
        }
    },
}
"""What the model is asked to answer with."""


def proposals(text: str) -> list[Any]:
    """The items of a reply, not checked yet. Raises UnreadableReply."""
    items: list[Any] = []
    named = False
    for value in read_json(text):
        if isinstance(value, list):
            items += value
            named = True
        elif isinstance(value.get("insights"), list):
            items += value["insights"]
            named = True
        elif "content" in value:
            items.append(value)
            named = True
    if not named:
        raise UnreadableReply('it has no list "insights"')
    return items


def accepted(
    items: list[Any], sources: Mapping[str, Source], categories: frozenset[Category], skipped: Counter[str]
) -> list[Insight]:
    """The insights that may be kept. `sources` by the ids that the model was given. Raises UnreadableReply when there are
    items and none has the form that was asked for."""
    insights, malformed, problem = [], 0, ""
    for place, item in enumerate(items):
        if isinstance(item, dict) and item.get("action", "keep") not in _ACTIONS:
            skipped["unknown_action"] += 1
            continue
        try:
            proposal = Proposal.model_validate(item)
        except ValidationError as error:
            malformed += 1
            first = error.errors(include_input=False, include_url=False)[0]
            path = ".".join(str(step) for step in ("insights", place, *first["loc"]))
            problem = problem or f"{path}: {first['type'].replace('_', ' ')}"
            continue
        insight = _insight(proposal, sources, categories, skipped)
        if insight is not None:
            insights.append(insight)
    if malformed and malformed == len(items):
        raise UnreadableReply(problem)
    if malformed:
        skipped["malformed"] += malformed
    return insights


def _insight(
    proposal: Proposal, sources: Mapping[str, Source], categories: frozenset[Category], skipped: Counter[str]
) -> Insight | None:
    category, content = Category(proposal.category), clean(proposal.content).strip()
    known = [sources[each] for each in dict.fromkeys(proposal.source_ids) if each in sources]
    skipped["unknown_id"] += len(set(proposal.source_ids) - sources.keys())
    if not known:
        skipped["unknown_source"] += 1
    elif is_blank(content):
        skipped["blank"] += 1
    elif holds_secret(content):
        skipped["secret"] += 1
    elif category not in categories:
        skipped["not_asked_for"] += 1
    elif category in _SAID_BY_PEOPLE and all(source.role is not Role.PERSON for source in known):
        skipped["not_said_by_the_person"] += 1
    else:
        named = [clean(each).strip()[:200] for each in proposal.entities if not is_blank(each)]
        return Insight(
            category,
            content,
            proposal.confidence,
            tuple(source.source_id for source in known),
            len(known),
            max(source.event_time for source in known),
            proposal.importance,
            tuple(dict.fromkeys([*named, *extract_entities(content)]))[:16],
            clean(proposal.counterfactual or "").strip(),
        )
    return None

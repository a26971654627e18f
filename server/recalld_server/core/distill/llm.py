"""The distiller that asks a chat model.

What is distilled is quoted to the model as data, under short ids. Its answer is data, too: it can propose insights on
sources that it was given, and nothing else. An answer that cannot be read is asked for once more, with what was wrong; then
its sources are marked as failed and stay eligible.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Final, Literal
from uuid import UUID

from recalld_server.core.distill.budget import Budget
from recalld_server.core.distill.proposals import SCHEMA, accepted, proposals
from recalld_server.core.distill.replies import UnreadableReply
from recalld_server.core.distill.rules import RulesDistiller
from recalld_server.core.distill.types import Category, Distilled, Insight, Role, Source
from recalld_server.core.importance import is_chatter
from recalld_server.errors import ModelUnavailable
from recalld_server.models.base import ChatModel, ChatRefused
from recalld_server.text.budget import estimate_tokens
from recalld_server.text.clean import snippet
from recalld_server.text.language import language

PIECE_TOKENS: Final = 6000
"""Of sources that are put into one question."""
ANSWER_TOKENS: Final = 2000
LONGEST_SOURCE: Final = 6000
"""Characters of one source that the model is shown."""
_WHO: Final = {Role.PERSON: "person", Role.ASSISTANT: "assistant", Role.TOOL: "tool"}


@dataclass(slots=True)
class _Found:
    """What the pieces have given so far."""

    insights: list[Insight] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)
    failed: set[UUID] = field(default_factory=set)
    error: str = ""


class _Spent(Exception):
    """A limit of the budget is reached; the message names it."""


class ChatDistiller:
    """Distils with a chat model; episodes are folded by the rules, since memories end by that."""

    def __init__(self, chat: ChatModel, rules: RulesDistiller) -> None:
        self._chat = chat
        self._rules = rules

    async def distill(
        self,
        sources: Sequence[Source],
        categories: frozenset[Category],
        *,
        timeout: float | None = None,
        budget: Budget | None = None,
    ) -> Distilled:
        """See `Distiller`. Raises ModelUnavailable when the model answers nothing at all."""
        budget = budget or Budget()
        found, begun = _Found(), (budget.tokens, budget.calls)
        if asked := categories - {Category.ABSTRACT}:
            ordered = sorted(sources, key=lambda source: (source.event_time, source.source_id))
            for piece in _pieces([source for source in ordered if _speaks(source, found.skipped)]):
                await self._piece(piece, asked, timeout, budget, found)
        if Category.ABSTRACT in categories:
            folded = await self._rules.distill(sources, frozenset({Category.ABSTRACT}), timeout=timeout)
            found.insights += folded.insights
        return Distilled(
            tuple(found.insights),
            {reason: count for reason, count in found.skipped.items() if count},
            frozenset(found.failed),
            budget.tokens - begun[0],
            budget.calls - begun[1],
            found.error,
        )

    async def _piece(
        self,
        piece: Sequence[Source],
        categories: frozenset[Category],
        timeout: float | None,
        budget: Budget,
        found: _Found,
    ) -> None:
        skipped: Counter[str] = Counter()
        try:
            found.insights += await self._ask(piece, categories, timeout, budget, skipped)
        except ModelUnavailable as error:
            if not found.insights and not found.failed:
                raise
            found.error = str(error)
        except ChatRefused:
            found.error = "the model refuses these texts"
        except UnreadableReply as error:
            found.error = f"the model's answer could not be used: {error}"
        except _Spent as error:
            found.error = f"the budget is spent: {error}"
        else:
            found.skipped.update(skipped)
            return
        found.failed |= {source.source_id for source in piece}

    async def _ask(
        self,
        piece: Sequence[Source],
        categories: frozenset[Category],
        timeout: float | None,
        budget: Budget,
        skipped: Counter[str],
    ) -> list[Insight]:
        by_id = {f"s{place}": source for place, source in enumerate(piece, 1)}
        tongue = _language(piece)
        system, quoted = _prompt("distill", tongue), _quoted(by_id)
        question = quoted
        for last in (False, True):
            if budget.spent:
                raise _Spent(budget.spent)
            limit = min(timeout or budget.seconds_left, budget.seconds_left)
            reply = await self._chat.complete(system, question, SCHEMA, max_tokens=ANSWER_TOKENS, timeout=limit)
            budget.count(reply.tokens)
            counted: Counter[str] = Counter()
            try:
                if reply.cut_off:
                    raise UnreadableReply("it is cut off")
                insights = accepted(proposals(reply.text), by_id, categories, counted)
            except UnreadableReply as error:
                if last:
                    raise
                question = f"{quoted}\n\n{_prompt('again', tongue).format(problem=error)}"
            else:
                skipped.update(counted)
                return insights
        raise AssertionError("unreachable")


def _speaks(source: Source, skipped: Counter[str]) -> bool:
    """Whether there is anything to ask about."""
    if source.tool_calls:
        return True
    if is_chatter(source.content):
        skipped["chatter"] += 1
        return False
    return True


def _pieces(sources: Sequence[Source]) -> list[list[Source]]:
    """Sources in their order, cut where a question would grow too long."""
    pieces: list[list[Source]] = []
    tokens = PIECE_TOKENS
    for source in sources:
        size = estimate_tokens(source.content[:LONGEST_SOURCE]) + 40
        if tokens + size > PIECE_TOKENS:
            pieces.append([])
            tokens = 0
        pieces[-1].append(source)
        tokens += size
    # without a word of a person or a failed tool there is nothing to learn
    return [piece for piece in pieces if any(each.role is Role.PERSON or each.tool_calls for each in piece)]


def _quoted(sources: Mapping[str, Source]) -> str:
    """The sources as JSON, one a line: no text can end its own quotation."""
    lines = []
    for short, source in sources.items():
        told: dict[str, object] = {
            "id": short,
            "who": _WHO[source.role],
            "time": source.event_time.isoformat(timespec="minutes"),
            "text": snippet(source.content, LONGEST_SOURCE),
        }
        if source.tool_calls:
            told["tools"] = [
                {
                    "tool": call.tool,
                    "status": call.status.name.lower() if call.status else "",
                    "arguments": snippet(call.arguments, 500),
                    "error": snippet(call.error, 500),
                }
                for call in source.tool_calls
            ]
        lines.append(json.dumps(told, ensure_ascii=False))
    return "\n".join(lines)


def _language(sources: Sequence[Source]) -> Literal["en", "zh"]:
    said = [language(source.content) for source in sources if source.role is Role.PERSON and source.content]
    return "zh" if 2 * said.count("zh") > len(said) else "en"


@cache
def _prompt(name: str, tongue: str) -> str:
    return files(__package__).joinpath("prompts", f"{name}.{tongue}.txt").read_text("utf-8").strip()

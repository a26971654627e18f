"""The distiller that needs no chat model: cue phrases, clustering by vectors, the medoid as the wording.

What a person said counts for what is so and what is preferred; what an assistant said counts for lessons only, and only
where a tool had failed. Sentences that say the same are one insight, the surer the more sources say it; where two
contradict each other, the later one stands.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from heapq import nlargest
from typing import Final
from uuid import UUID

from recalld_server.core.distill import tools
from recalld_server.core.distill.budget import Budget
from recalld_server.core.distill.cluster import Vector, clusters, medoid
from recalld_server.core.distill.cues import is_negated
from recalld_server.core.distill.hearing import Said, heard
from recalld_server.core.distill.types import Category, Distilled, Insight, Source
from recalld_server.core.importance import score_importance
from recalld_server.core.resolve import Lines, Neighbour, Resolver, Statement, Verdict
from recalld_server.model import Kind
from recalld_server.models.base import Embedder
from recalld_server.text.entities import extract_entities
from recalld_server.text.sentences import LONGEST

MOST_SENTENCES: Final = 2000
"""Looked at in one go; the oldest beyond are left to the next."""
NEIGHBOURS: Final = 5
"""Earlier insights that a new one is compared with."""
RECURS: Final = 3
"""Sources that make a pattern, or an abstract of episodes."""
_MORE_SUPPORT: Final = 0.05
_MOST_SUPPORT: Final = 0.15
_STALE: Final = timedelta(days=180)
_STALE_LOSS: Final = 0.05
_CONTRADICTED_LOSS: Final = 0.1
_SUREST: Final = 0.95


@dataclass(frozen=True, slots=True)
class _Made:
    """An insight so far. Its statement is kept, since the resolver remembers what it read of one."""

    insight: Insight
    vector: Vector | None
    statement: Statement


class RulesDistiller:
    """Distils by rules. Keeps nothing between calls."""

    def __init__(self, embedder: Embedder, resolver: Resolver, lines: Lines) -> None:
        self._embedder = embedder
        self._resolver = resolver
        self._lines = lines

    async def distill(
        self,
        sources: Sequence[Source],
        categories: frozenset[Category],
        *,
        timeout: float | None = None,
        budget: Budget | None = None,
    ) -> Distilled:
        """See `Distiller`; no chat model is asked, so the budget is not touched. Raises ModelUnavailable when the embedding model does not answer."""
        ordered = sorted(sources, key=lambda source: (source.event_time, source.source_id))
        skipped: Counter[str] = Counter()
        insights = list(_from_tools(ordered, categories))
        said = await asyncio.to_thread(_newest, ordered, categories, skipped)
        vectors = await self._vectors([each.text for each in said], timeout)
        insights += await self._stated(said, vectors, skipped)
        if Category.PATTERN in categories:
            insights += self._recurring(said, vectors)
        if Category.ABSTRACT in categories:
            insights += await self._abstracts(ordered, timeout)
        insights.sort(key=lambda insight: insight.event_time)
        return Distilled(tuple(insights), skipped)

    async def _vectors(self, texts: Sequence[str], timeout: float | None) -> list[Vector | None]:
        if not texts:
            return []
        unique = list(dict.fromkeys(texts))
        batch = await self._embedder.embed_passages(unique, timeout=timeout)
        by_text = dict(zip(unique, batch.vectors, strict=True))
        return [by_text[text] for text in texts]

    async def _stated(
        self, said: Sequence[Said], vectors: Sequence[Vector | None], skipped: Counter[str]
    ) -> list[Insight]:
        """What has a cue: one insight for each group that says the same, without those that a later one ends."""
        places = [place for place, each in enumerate(said) if each.cue is not None]
        own = [vectors[place] for place in places]
        line = (1.0 + self._lines.duplicate) / 2  # looser paraphrases are left to the resolver, which reads them
        keys = await asyncio.to_thread(lambda: [said[place].key for place in places])
        groups = await asyncio.to_thread(clusters, own, keys, line)
        newest = max((each.source.event_time for each in said), default=None)
        made: list[_Made] = []
        for group in sorted(groups, key=lambda group: group[-1]):
            insight = _insight([said[places[place]] for place in group], said[places[medoid(group, own)]], newest)
            if insight is None:
                skipped["already_known"] += 1
                continue
            insight = await self._ending(insight, own[group[-1]], made, skipped)
            if insight is not None:
                made.append(_Made(insight, own[group[-1]], _statement(insight)))
            await asyncio.sleep(0)  # the resolver computes without a pause
        return [each.insight for each in made]

    async def _ending(
        self, insight: Insight, vector: Vector | None, made: list[_Made], skipped: Counter[str]
    ) -> Insight | None:
        """The insight, after it has ended the earlier ones that it replaces; None when an earlier one says the same, which
        then has one source more."""
        if vector is None or insight.category is Category.LESSON:
            return insight
        near = [
            (float(vector @ each.vector), place)
            for place, each in enumerate(made)
            if each.vector is not None and each.insight.category is not Category.LESSON
        ]
        by_id = {UUID(int=place): place for _, place in nlargest(NEIGHBOURS, near)}
        cosines = {place: cosine for cosine, place in near}
        neighbours = [Neighbour(one, made[place].statement, cosines[place]) for one, place in by_id.items()]
        if not neighbours:
            return insight
        resolution = await self._resolver.resolve(_statement(insight), neighbours, self._lines)
        if resolution.verdict is Verdict.DUPLICATE:
            place = by_id[resolution.memory_ids[0]]
            made[place] = replace(made[place], insight=_supported(made[place].insight, insight))
            return None
        if resolution.verdict is Verdict.SUPERSEDES:
            for place in sorted((by_id[each] for each in resolution.memory_ids), reverse=True):
                del made[place]
                skipped["contradicted_later"] += 1
        elif resolution.verdict is Verdict.CONFLICT:
            return replace(insight, confidence=insight.confidence - _CONTRADICTED_LOSS)
        return insight

    def _recurring(self, said: Sequence[Said], vectors: Sequence[Vector | None]) -> list[Insight]:
        """What was said without a cue at least three times, hours apart."""
        places = [place for place, each in enumerate(said) if each.cue is None]
        own = [vectors[place] for place in places]
        line = (self._lines.duplicate + self._lines.conflict) / 2
        patterns = []
        for group in clusters(own, [is_negated(said[place].text) for place in places], line):
            members = [said[places[place]] for place in group]
            if len(_occasions(member.source for member in members)) >= RECURS:
                wording = said[places[medoid(group, own)]]
                patterns.append(_repeated(Category.PATTERN, wording.text, wording.source, [m.source for m in members]))
        return patterns

    async def _abstracts(self, sources: Sequence[Source], timeout: float | None) -> list[Insight]:
        """Episodes that are alike, folded into the most typical one."""
        episodes = [source for source in sources if source.kind is Kind.EPISODIC and len(source.content) <= 4 * LONGEST]
        vectors = await self._vectors([episode.content for episode in episodes], timeout)
        line = (self._lines.duplicate + self._lines.conflict) / 2
        abstracts = []
        for group in clusters(vectors, [is_negated(each.content) for each in episodes], line):
            if len(group) >= RECURS:
                wording, members = episodes[medoid(group, vectors)], [episodes[place] for place in group]
                first, last = members[0].event_time.date(), members[-1].event_time.date()
                text = f"{wording.content} ({len(members)} ×, {first} – {last})"
                abstracts.append(_repeated(Category.ABSTRACT, text, wording, members))
        return abstracts


def _from_tools(sources: Sequence[Source], categories: frozenset[Category]) -> Iterable[Insight]:
    if Category.LESSON in categories:
        yield from tools.remedies(sources)
    if Category.PATTERN in categories:
        yield from tools.recurring(sources)


def _newest(sources: Sequence[Source], categories: frozenset[Category], skipped: Counter[str]) -> list[Said]:
    said = heard(sources, categories, skipped)
    if len(said) > MOST_SENTENCES:
        skipped["too_many"] += len(said) - MOST_SENTENCES
    return said[-MOST_SENTENCES:]


def _insight(members: Sequence[Said], wording: Said, newest: datetime | None) -> Insight | None:
    """What the members say; None when a memory free of time says it already, in these words."""
    if any(_is_whole(member) for member in members):
        return None
    cue = wording.cue
    assert cue is not None
    sources = tuple(dict.fromkeys(member.source.source_id for member in members))
    confidence = max(member.cue.confidence for member in members if member.cue)
    confidence += min(_MOST_SUPPORT, _MORE_SUPPORT * (len(sources) - 1))
    last = members[-1].source.event_time
    if newest is not None and newest - last > _STALE:
        confidence -= _STALE_LOSS
    confidence = max(0.0, min(_SUREST, confidence))
    importance = score_importance(wording.text, "semantic")
    entities = tuple(extract_entities(wording.text))
    return Insight(cue.category, wording.text, confidence, sources, len(sources), last, importance, entities)


def _is_whole(said: Said) -> bool:
    return said.source.kind in (Kind.SEMANTIC, Kind.PROCEDURAL) and said.source.content.strip() == said.text


def _repeated(category: Category, text: str, wording: Source, members: Sequence[Source]) -> Insight:
    ids = tuple(dict.fromkeys(member.source_id for member in members))
    confidence = min(0.9, 0.5 + 0.05 * len(ids))
    last = max(member.event_time for member in members)
    return Insight(category, text, confidence, ids, len(ids), last, entities=tuple(extract_entities(wording.content)))


def _occasions(sources: Iterable[Source]) -> set[tuple[str, object]]:
    return {(source.session_id, source.event_time.replace(minute=0, second=0, microsecond=0)) for source in sources}


def _supported(insight: Insight, by: Insight) -> Insight:
    sources = tuple(dict.fromkeys([*insight.source_ids, *by.source_ids]))
    confidence = max(insight.confidence, by.confidence) + _MORE_SUPPORT
    return replace(insight, source_ids=sources, support=len(sources), confidence=min(_SUREST, confidence))


def _statement(insight: Insight) -> Statement:
    # without the time: that something was said later does not make it another event
    return Statement(insight.content, None, "semantic", insight.entities)

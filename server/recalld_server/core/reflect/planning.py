"""Plans what insights would become: each as a memory, with its vector and what it meets. No transaction is open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from recalld_server.core.decide import LOOK_FROM, NEIGHBOURS
from recalld_server.core.distill import Category, Insight, Source
from recalld_server.core.drafts import Prepared, prepare
from recalld_server.core.items import Item, Results, embed
from recalld_server.core.policy import DEFAULTS
from recalld_server.errors import RecalldError
from recalld_server.model import Draft, Kind, Memory, Policy, Scope, State, Visibility
from recalld_server.models.base import Embedder
from recalld_server.store.base import Store, Surroundings

MOST_SOURCES: Final = 100
"""Sources that a memory names; the earliest beyond are left out, they still count as support."""


@dataclass(frozen=True, slots=True)
class Planned:
    """An insight on its way: what it would become, whom it came from, and what it met."""

    insight: Insight
    item: Item
    around: Surroundings = Surroundings(None, ())

    @property
    def memory(self) -> Memory:
        return self.item.memory


@dataclass(frozen=True, slots=True)
class Plan:
    """Insights with their vectors, and the change sequence at which they looked around."""

    planned: tuple[Planned, ...]
    sources: Mapping[UUID, Source]
    skipped: Mapping[str, int]
    sequence: int = 0
    average_length: float = 20.0


class Planner:
    """Makes memories of insights."""

    def __init__(self, store: Store, embedder: Embedder, *, content_limit: int, by: str) -> None:
        """`by` names the distiller, for the record."""
        self._store = store
        self._embedder = embedder
        self._limit = content_limit
        self._by = by

    async def plan(
        self,
        scope: Scope,
        policy: Policy,
        insights: Sequence[Insight],
        sources: Mapping[UUID, Source],
        *,
        now: datetime,
        timeout: float | None = None,
    ) -> Plan:
        """What the insights would become. Raises ModelUnavailable."""
        skipped: Counter[str] = Counter()
        items: list[Item] = []
        of_item: list[Insight] = []
        threshold = policy.importance_threshold or 0.0
        for place, insight in enumerate(insights):
            try:
                prepared = self._prepared(scope, policy, insight, sources, now + timedelta(microseconds=place))
            except RecalldError:
                skipped["not_storable"] += 1
                continue
            if prepared.memory.importance < threshold:
                skipped["importance_below_threshold"] += 1
                continue
            items.append(Item(len(items), prepared))
            of_item.append(insight)
        results: Results = {}
        embedded = await embed(items, self._embedder, accept=False, timeout=timeout, results=results)
        for error in results.values():
            if isinstance(error, RecalldError):
                raise error
        if not embedded:
            return Plan((), sources, skipped)
        async with self._store.view([scope]) as view:
            probes = [item.probe() for item in embedded]
            sequence, met = await view.surroundings(scope, probes, near=NEIGHBOURS, floor=LOOK_FROM)
            average = await view.average_length(scope)
        planned = tuple(Planned(of_item[item.place], item, around) for item, around in zip(embedded, met, strict=True))
        return Plan(planned, sources, skipped, sequence, average)

    def _prepared(
        self, scope: Scope, policy: Policy, insight: Insight, sources: Mapping[UUID, Source], now: datetime
    ) -> Prepared:
        said = [sources[source_id] for source_id in insight.source_ids]
        private = any(source.visibility is Visibility.PRIVATE for source in said)
        sessions = {source.session_id for source in said}
        draft = Draft(
            content=insight.content,
            kind=Kind.EPISODIC if insight.category is Category.ABSTRACT else Kind.SEMANTIC,
            visibility=Visibility.PRIVATE if private else Visibility.SHARED,
            user_id=said[0].user_id,
            session_id=sessions.pop() if len(sessions) == 1 else "",
            tags=(str(insight.category),),
            entities=insight.entities,
            importance=insight.importance,
            confidence=round(insight.confidence, 4),
            metadata={"category": str(insight.category), "support": insight.support, "distiller": self._by},
            counterfactual=insight.counterfactual,
            source_ids=insight.source_ids[-MOST_SOURCES:],
            event_time=insight.event_time,
        )
        prepared = prepare(draft, scope, default_visibility=Visibility.SHARED, limit=self._limit, now=now)
        line = policy.review_threshold if policy.review_threshold is not None else DEFAULTS.review_threshold
        if insight.confidence >= (line or 0.0):
            return prepared
        return replace(prepared, memory=replace(prepared.memory, state=State.PENDING_REVIEW))

"""What goes with every change: the revision, the change event, the counters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID

from recalld_server.model import ChangeType, IndexState, Memory, Scope, State, Visibility
from recalld_server.store.postgres.queries import load
from recalld_server.store.postgres.rows import COLUMNS
from recalld_server.store.postgres.transaction import Transaction

SQL = load("records.sql", columns=COLUMNS)
Key = TypeVar("Key")


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a memory stands, as far as the counters go. `state` is the stored one; `slot` is when it expires."""

    memory_id: UUID
    kind: int
    state: int
    visibility: int
    agent_id: str
    confidence: float
    words: int
    bytes: int
    revision: int
    index_state: int
    slot: datetime | None
    found: bool
    expired: bool

    @property
    def live(self) -> bool:
        return self.state == State.ACTIVE and not self.expired

    @property
    def audience(self) -> str:
        return "" if self.visibility == Visibility.SHARED else self.agent_id

    def in_state(self, state: State) -> Standing:
        return replace(self, state=int(state))

    def become(self, memory: Memory, words: int, size: int, slot: datetime | None) -> Standing:
        """Where it stands when the memory has become this one."""
        # what reads as EXPIRED after a change is stored as ACTIVE until the sweep
        state = State.ACTIVE if memory.state is State.EXPIRED else memory.state
        return replace(
            self,
            kind=int(memory.kind),
            state=int(state),
            confidence=memory.confidence,
            words=words,
            bytes=size,
            revision=memory.revision,
            index_state=int(memory.index_state),
            slot=slot,
        )


class Tally:
    """Changes of the counters."""

    def __init__(self) -> None:
        self._counts: dict[tuple[str, int, int], list[float]] = {}
        self._expiring: dict[tuple[datetime, str, int], list[float]] = {}
        self.live = 0
        self.words = 0

    def add(self, each: Standing, sign: int = 1) -> None:
        active = each.state == State.ACTIVE
        waiting, failed = (active and each.index_state == state for state in (IndexState.PENDING, IndexState.FAILED))
        held = (1, each.bytes, each.confidence, each.found, waiting, failed)
        _sum(self._counts, (each.audience, each.kind, each.state), held, sign)
        if active:
            self.live += sign
            self.words += sign * each.words
            if each.slot is not None:
                ending = (1, each.confidence, each.found)
                _sum(self._expiring, (each.slot, each.audience, each.kind), ending, sign)

    def subtract(self, each: Standing) -> None:
        self.add(each, -1)

    def columns(self) -> tuple[list[object], ...]:
        """Audiences, kinds, states, and the sums to be added to `counts`; slots, audiences, kinds, and those to be added
        to `expiring`. In one order, so that nobody waits in a circle."""
        return (*_columns(self._counts, 9), *_columns(self._expiring, 6))


def _sum(sums: dict[Key, list[float]], key: Key, amounts: Sequence[float], sign: int) -> None:
    held = sums.setdefault(key, [0] * len(amounts))
    for place, amount in enumerate(amounts):
        held[place] += sign * amount


def _columns(sums: Mapping[Any, Sequence[float]], width: int) -> list[list[object]]:
    rows = [(*key, *sums[key]) for key in sorted(sums) if any(sums[key])]
    return [list(column) for column in zip(*rows, strict=True)] if rows else [[] for _ in range(width)]


async def standing(transaction: Transaction, scope: Scope, memory_ids: Sequence[UUID]) -> list[Standing]:
    """Locks these memories and says where they stand, by id; those that are not visible are absent."""
    rows = await transaction.fetch(SQL["before_change"], scope.namespace_id, list(memory_ids))
    return [Standing(**row) for row in rows]


async def record(
    transaction: Transaction,
    scope: Scope,
    changed: Sequence[Standing],
    tally: Tally,
    change: ChangeType,
    actor: str,
    action: str,
    reason: str,
    request_key: list[str] | None,
) -> None:
    """Writes down a change that was made to these memories; those that are gone get a change event alone."""
    if not changed:
        return
    await transaction.row(
        SQL["record"],
        scope.namespace_id,
        [each.memory_id for each in changed],
        tally.live,
        tally.words,
        int(change),
        actor,
        action,
        reason,
        [each.visibility for each in changed],
        [each.agent_id for each in changed],
        request_key,
        *tally.columns(),
    )

"""What goes with every change: the revision, the change event, the counters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from recalld_server.model import ChangeType, Memory, Scope, State, Visibility
from recalld_server.store.postgres.pool import Transaction
from recalld_server.store.postgres.queries import load
from recalld_server.store.postgres.rows import COLUMNS

SQL = load("records.sql", columns=COLUMNS)


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a memory stands, as far as the counters go. `state` is the stored one."""

    memory_id: UUID
    kind: int
    state: int
    visibility: int
    agent_id: str
    confidence: float
    words: int
    bytes: int
    revision: int
    expired: bool = False

    @property
    def live(self) -> bool:
        return self.state == State.ACTIVE and not self.expired

    @property
    def audience(self) -> str:
        return "" if self.visibility == Visibility.SHARED else self.agent_id

    def in_state(self, state: State) -> Standing:
        return replace(self, state=int(state))

    @classmethod
    def of(cls, memory: Memory, words: int, size: int) -> Standing:
        # what reads as EXPIRED after a change is stored as ACTIVE until the sweep
        state = State.ACTIVE if memory.state is State.EXPIRED else memory.state
        m = memory
        return cls(m.memory_id, m.kind, state, m.visibility, m.agent_id, m.confidence, words, size, m.revision)


class Tally:
    """Changes of the counters."""

    def __init__(self) -> None:
        self._by: dict[tuple[str, int, int], tuple[int, int, float]] = {}
        self.live = 0
        self.words = 0

    def add(self, each: Standing, sign: int = 1) -> None:
        key = (each.audience, each.kind, each.state)
        n, size, confidence = self._by.get(key, (0, 0, 0.0))
        self._by[key] = (n + sign, size + sign * each.bytes, confidence + sign * each.confidence)
        if each.state == State.ACTIVE:
            self.live += sign
            self.words += sign * each.words

    def subtract(self, each: Standing) -> None:
        self.add(each, -1)

    def columns(self) -> tuple[list[object], ...]:
        """Audiences, kinds, states, and the sums to be added; in one order, so that nobody waits in a circle."""
        rows = [(*key, *sums) for key, sums in sorted(self._by.items()) if any(sums)]
        return tuple(list(column) for column in zip(*rows, strict=True)) if rows else ([], [], [], [], [], [])


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
        *tally.columns(),
        [each.visibility for each in changed],
        [each.agent_id for each in changed],
        request_key,
    )

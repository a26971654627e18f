"""Retention: what a namespace's policy lets go of, by kind, by doubt, by number; and what was forgotten long enough ago."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

from recalld_server.core.forget import CHUNK, Forgets
from recalld_server.core.policy import DEFAULTS
from recalld_server.model import ForgetMode, Kind, Policy, Scope, State, utc_now
from recalld_server.store.base import Aged, Retained, Store, View

EVERY = timedelta(hours=1)
"""How often the rules of a namespace are applied."""
AT_A_TIME = 10_000
"""Memories of one rule that one run lets go of; the rest goes at the next."""
NAMESPACES = 10
"""Namespaces that are taken at a time."""
ACTOR = "retention"


@dataclass(frozen=True, slots=True)
class Due:
    """A memory that a rule lets go of: which rule, what becomes of the memory, and why."""

    memory_id: UUID
    rule: str
    """"working", "episodic", "low_confidence", "cap" or "forgotten"."""
    action: str
    """"expire", "archive" or "erase"."""
    why: str


class Retention:
    """Applies policies. One server at a time is given a namespace."""

    def __init__(self, store: Store, retained: Retained, forgets: Forgets) -> None:
        self._store = store
        self._retained = retained
        self._forgets = forgets

    async def due(self, scope: Scope, policy: Policy, now: datetime | None = None) -> list[Due]:
        """What the rules would let go of; changes nothing. A memory that two rules mean is named by the first."""
        rules, now = _filled(policy), now or utc_now()
        found: dict[UUID, Due] = {}
        async with self._store.view([scope]) as view:
            rows = [
                *await _working(view, scope, rules, now),
                *await _old_episodes(view, scope, rules, now),
                *await _doubtful(view, scope, rules, now),
                *await _over_cap(view, scope, rules),
                *await _forgotten(view, scope, rules, now),
            ]
        for each in rows:
            found.setdefault(each.memory_id, each)
        return list(found.values())

    async def apply(self, scope: Scope, policy: Policy) -> int:
        """Lets go of it; returns how many memories were changed."""
        due = await self.due(scope, policy)
        return sum(
            [await self._let_go(scope, [each for each in due if each.rule == rule], rule) for rule in _rules(due)]
        )

    async def run(self) -> int:
        """Takes namespaces that are due and applies their rules; how many namespaces."""
        taken = await self._retained.claim(EVERY, NAMESPACES)
        for scope, policy in taken:
            await self.apply(scope, policy)
        return len(taken)

    async def sweep_forgotten(self) -> int:
        """Erases what was forgotten longer ago than its namespace keeps it; how many memories."""
        days = DEFAULTS.forget_window_days or 0
        gone = 0
        for scope, policy in await self._retained.with_forgotten(days, NAMESPACES):
            async with self._store.view([scope]) as view:
                due = await _forgotten(view, scope, _filled(policy), utc_now())
            gone += await self._let_go(scope, due, "forgotten")
        return gone

    async def _let_go(self, scope: Scope, due: Sequence[Due], rule: str) -> int:
        ids = [each.memory_id for each in due]
        if rule == "working":
            return await self._expire(scope, ids)
        mode = ForgetMode.ERASE if rule == "forgotten" else ForgetMode.ARCHIVE
        return await self._forgets.carry_out(scope, mode, ids, actor=ACTOR, reason=rule) if ids else 0

    async def _expire(self, scope: Scope, ids: Sequence[UUID]) -> int:
        changed = 0
        for start in range(0, len(ids), CHUNK):
            async with self._store.unit(scope) as unit:
                await unit.lock(scope)
                chunk = ids[start : start + CHUNK]
                done = await unit.set_state(scope, chunk, State.EXPIRED, actor=ACTOR, action="expire", reason="working")
                changed += len(done)
        return changed


async def _working(view: View, scope: Scope, rules: Policy, now: datetime) -> list[Due]:
    seconds = rules.session_ttl_seconds or 0
    idle = await view.idle_before(scope, now - timedelta(seconds=seconds), limit=AT_A_TIME)
    why = f"WORKING, its session is over, and nobody touched it for {seconds:,} s"
    return [Due(each.memory_id, "working", "expire", why) for each in idle]


async def _old_episodes(view: View, scope: Scope, rules: Policy, now: datetime) -> list[Due]:
    if not (days := rules.episodic_retention_days):
        return []
    before = now - timedelta(days=days)
    old = await view.written_before(scope, Kind.EPISODIC, before, limit=AT_A_TIME)
    return [_old(each, now, "episodic", f"EPISODIC, kept for {days} days") for each in old]


async def _doubtful(view: View, scope: Scope, rules: Policy, now: datetime) -> list[Due]:
    line = rules.review_threshold or 0.0
    if not (days := rules.low_confidence_retention_days) or line <= 0.0:
        return []
    found = await view.doubtful_before(scope, line, now - timedelta(days=days), limit=AT_A_TIME)
    return [
        _old(each, now, "low_confidence", f"confidence {each.confidence:.2f} is below {line:.2f}, never confirmed")
        for each in found
    ]


async def _over_cap(view: View, scope: Scope, rules: Policy) -> list[Due]:
    if not (cap := rules.episodic_cap_per_user):
        return []
    half_life = rules.half_life_days or 30.0
    weakest = await view.weakest(scope, cap, half_life_days=half_life, limit=AT_A_TIME)
    why = f"one of the weakest beyond {cap:,} episodes of a person"
    return [Due(each.memory_id, "cap", "archive", f"{why}, strength {each.strength:.3f}") for each in weakest]


async def _forgotten(view: View, scope: Scope, rules: Policy, now: datetime) -> list[Due]:
    days = rules.forget_window_days or 0
    ids = await view.forgotten_before(scope, now - timedelta(days=days), limit=AT_A_TIME)
    return [Due(each, "forgotten", "erase", f"forgotten more than {days} days ago") for each in ids]


def _filled(policy: Policy) -> Policy:
    """With the defaults where it is silent."""
    names = (
        *("episodic_retention_days", "low_confidence_retention_days", "episodic_cap_per_user", "session_ttl_seconds"),
        *("forget_window_days", "review_threshold", "half_life_days"),
    )
    return replace(policy, **{name: getattr(DEFAULTS, name) for name in names if getattr(policy, name) is None})


def _old(each: Aged, now: datetime, rule: str, why: str) -> Due:
    return Due(each.memory_id, rule, "archive", f"{why}; written {(now - each.create_time).days:,} days ago")


def _rules(due: Sequence[Due]) -> list[str]:
    return list(dict.fromkeys(each.rule for each in due))

"""What was derived from memories and turns ends with them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final
from uuid import UUID

from recalld_server.core.reflect.targets import USUAL
from recalld_server.model import (
    Memory,
    Reflection,
    ReflectionScope,
    ReflectionState,
    Scope,
    State,
    new_id,
    utc_now,
)
from recalld_server.store.base import Unit

ACTOR: Final = "lineage"
"""Who looks at the remaining sources again."""
_ENDED: Final = frozenset({State.FORGOTTEN, State.REJECTED})


async def end_derived(unit: Unit, scope: Scope, source_ids: Sequence[UUID], *, erase: bool, actor: str) -> int:
    """Ends every memory that was derived from these memories or turns, of every agent, and what was derived from that:
    FORGOTTEN, or with `erase` erased. What remains of their sources is looked at again by a reflection, so that what they
    still say is derived anew. Call it in the unit that forgets or erases the sources, before that. Returns how many ended.
    """
    async with unit.every_agent(scope):
        derived = await _derived(unit, scope, source_ids)
        ended = [each for each in derived.values() if erase or each.state not in _ENDED]
        ids = [each.memory_id for each in ended]
        if ids and erase:
            await unit.erase(scope, ids, actor=actor)
        elif ids:
            await unit.set_state(scope, ids, State.FORGOTTEN, actor=actor, action="forget", reason="source_forgotten")
        if erase:
            await unit.drop_insights(scope, [*source_ids, *ids])
        await _look_again(unit, scope, ended, {*source_ids, *derived})
        await unit.free_sources(scope, list(source_ids))
    return len(ids)


async def _derived(unit: Unit, scope: Scope, source_ids: Sequence[UUID]) -> dict[UUID, Memory]:
    found: dict[UUID, Memory] = {}
    wanted: Sequence[UUID] = source_ids
    while wanted:
        more = {each.memory_id: each for each in await unit.derived(scope, wanted) if each.memory_id not in found}
        found |= more
        wanted = list(more)
    return found


async def _look_again(unit: Unit, scope: Scope, ended: Sequence[Memory], gone: set[UUID]) -> None:
    remaining: dict[str, dict[UUID, None]] = defaultdict(dict)
    for memory in ended:
        remaining[memory.agent_id] |= dict.fromkeys(one for one in memory.source_ids if one not in gone)
    for agent_id, sources in remaining.items():
        if sources:
            await unit.free_sources(scope, list(sources))
            again = ReflectionScope(source_ids=tuple(sources))
            reflection = Reflection(
                new_id(), scope.namespace, ReflectionState.PENDING, again, USUAL, agent_id, ACTOR, utc_now()
            )
            await unit.add_reflection(scope, reflection)

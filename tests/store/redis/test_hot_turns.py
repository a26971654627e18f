"""Copies of turns in a real Valkey: right or absent."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

import pytest

from recalld_server.core.hot_turns import KEPT, KEPT_BYTES, HotTurns
from recalld_server.model import Scope, Session, SessionState, ToolCall, ToolStatus, Turn, TurnRole, new_id
from recalld_server.store.redis import RedisClient

NOW = datetime(2025, 3, 4, 5, 6, 7, 890123, UTC)
SCOPE = Scope(UUID(int=1), UUID(int=2), "team", "ann")
CALLS = (ToolCall("grep", ToolStatus.ERROR, '{"pattern": "回忆"}', "no such file"),)


def session(turn_count: int, session_id: str = "s") -> Session:
    return Session(session_id, "team", SessionState.OPEN, "ann", "", turn_count, 0, 0, 0, NOW, NOW, NOW)


def turns(first: int, last: int, tokens: int = 10) -> list[Turn]:
    return [
        Turn(new_id(), TurnRole.USER, f"第{n}句", "ann", NOW, "小王", CALLS, tokens, sequence=n)
        for n in range(first, last + 1)
    ]


async def test_what_is_kept_comes_back_as_it_was(client: RedisClient) -> None:
    hot, told = HotTurns(client), turns(1, 3)
    await hot.keep(SCOPE, session(3), told)
    assert await hot.latest(SCOPE, session(3), limit=KEPT) == tuple(told)
    assert await hot.latest(SCOPE, session(3), limit=2) == tuple(told[1:])
    assert await hot.latest(SCOPE, session(3), limit=0) == ()
    for tokens, count in ((9, 0), (10, 1), (29, 2), (30, 3)):
        assert await hot.latest(SCOPE, session(3), limit=KEPT, tokens=tokens) == tuple(told[3 - count :])


async def test_new_turns_go_to_a_copy_that_has_all_before_them(client: RedisClient) -> None:
    hot, told = HotTurns(client), turns(1, 5)
    unnumbered = [replace(turn, sequence=0) for turn in told]
    await hot.extend(SCOPE, session(2), unnumbered[:2])
    await hot.extend(SCOPE, session(5), unnumbered[2:])
    assert await hot.latest(SCOPE, session(5), limit=KEPT) == tuple(told)
    await hot.extend(SCOPE, session(7), turns(7, 7))  # the sixth was missed
    assert await hot.latest(SCOPE, session(7), limit=KEPT) is None


async def test_only_the_last_turns_are_kept_and_none_of_a_long_session(client: RedisClient) -> None:
    hot, told = HotTurns(client), turns(1, KEPT + 5)
    await hot.keep(SCOPE, session(KEPT + 5), told)
    assert await hot.latest(SCOPE, session(KEPT + 5), limit=KEPT) == tuple(told[5:])
    assert await hot.latest(SCOPE, session(KEPT + 5), limit=KEPT + 1) is None
    await hot.keep(SCOPE, session(1, "long"), [replace(told[0], content="x" * KEPT_BYTES)])
    assert await hot.latest(SCOPE, session(1, "long"), limit=KEPT) is None


@pytest.mark.parametrize(
    "other",
    [
        session(4),
        session(2),
        replace(session(3), erasures=1),
        replace(session(3), create_time=NOW.replace(microsecond=0)),
        session(3, "s2"),
    ],
)
async def test_a_copy_of_anything_else_is_not_taken(client: RedisClient, other: Session) -> None:
    hot = HotTurns(client)
    await hot.keep(SCOPE, session(3), turns(1, 3))
    assert await hot.latest(SCOPE, other, limit=KEPT) is None
    for scope in (replace(SCOPE, namespace_id=UUID(int=9)), replace(SCOPE, tenant_id=UUID(int=9))):
        assert await hot.latest(scope, session(3), limit=KEPT) is None


async def test_what_is_dropped_leaves_no_trace(client: RedisClient) -> None:
    hot = HotTurns(client)
    await hot.keep(SCOPE, session(3), turns(1, 3))
    await hot.drop(SCOPE, ["never", "s"])
    assert await client.run(lambda redis: redis.dbsize()) == 0


async def test_without_a_cache_there_is_none() -> None:
    hot = HotTurns()
    await hot.keep(SCOPE, session(3), turns(1, 3))
    await hot.extend(SCOPE, session(3), turns(1, 3))
    await hot.drop(SCOPE, ["s"])
    assert await hot.latest(SCOPE, session(3), limit=KEPT) is None

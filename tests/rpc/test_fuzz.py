"""Any request at all gets an answer or an error that its caller can act on, and a refusal leaves every row as it was."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import asyncpg
import grpc
import pytest
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.rpc.building import ABSENT, TEAM
from tests.rpc.calling import METHODS, call
from tests.rpc.generated import messages
from tests.rpc.test_unserved import UNSERVED
from tests.rpc.world import World

SERVED = [method for method in METHODS.values() if method not in UNSERVED]
ALLOWED = {
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.NOT_FOUND,
    grpc.StatusCode.ALREADY_EXISTS,
    grpc.StatusCode.FAILED_PRECONDITION,
    grpc.StatusCode.ABORTED,
    grpc.StatusCode.PERMISSION_DENIED,
    grpc.StatusCode.OUT_OF_RANGE,
}
EXAMPLES = settings().max_examples // 7
"""For each call: some 500 requests in all, and 11,000 in the nightly profile."""
CHANGED_BY_READING = {"searches", "search_places", "search_hours", "found", "keys", "audit_events", "audit"}
"""The search log with its counters, when a key was last used, and who was refused what."""


@pytest.fixture
async def rows(world: World) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(world.dsn)
    yield connection
    await connection.close()


async def snapshot(connection: asyncpg.Connection) -> dict[str, tuple[int, int]]:
    """Rows and a digest of them, by table."""
    names = await connection.fetch(
        "SELECT tablename FROM pg_tables WHERE schemaname = 'recalld' AND tablename <> ALL($1)",
        list(CHANGED_BY_READING),
    )
    one = "SELECT '{0}' AS name, count(*) AS rows, coalesce(sum(hashtextextended((to_jsonb(t) - 'found')::text, 0)), 0) AS digest FROM recalld.\"{0}\" t"
    found = await connection.fetch(" UNION ALL ".join(one.format(name) for (name,) in names))
    return {row["name"]: (row["rows"], row["digest"]) for row in found}


@pytest.mark.parametrize("method", SERVED, ids=lambda method: method.name)
async def test_any_request_is_answered_or_refused_without_a_trace(
    world: World,
    rows: asyncpg.Connection,
    method: MethodDescriptor,
) -> None:
    known = {
        "namespace": [TEAM, "other", "gone"],
        "namespaces": [TEAM, "other"],
        "name": [TEAM, "fresh"],
        "memory_id": [world.memory_id, ABSENT],
        "memory_ids": [world.memory_id, ABSENT],
        "search_id": [world.search_id],
        "reflection_id": [world.reflection_id],
        "grant_id": [world.grant_id],
        "key_id": [world.key_id],
        "session_id": ["s-1", "s-2"],
        "query": ["茶", "tea yesterday"],
        "content": ["我喝茶", "I take sugar"],
        "etag": ["", world.etag],
        "paths": ["content", "tags", "policy.review_threshold", "description"],
    }
    before = await snapshot(rows)

    async def send(requests: list[Message]) -> None:
        nonlocal before
        for request in requests:
            if method.name == "Watch":
                request.ClearField("types")  # or there may be nothing to tell
        try:
            await call(world.channel, method, requests if method.client_streaming else requests[0], world.admin)
        except grpc.aio.AioRpcError as error:
            if error.code() not in ALLOWED:
                pytest.fail(f"{error.code()} {error.details()} for {requests}")
            if not method.client_streaming:  # the items before the one that ended a stream are kept
                old, before = before, await snapshot(rows)
                assert before == old, requests
                return
        before = await snapshot(rows)

    loop = asyncio.get_running_loop()

    @settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
    @given(st.lists(messages(method.input_type, known), min_size=1, max_size=2 if method.client_streaming else 1))
    def try_all(requests: list[Message]) -> None:
        asyncio.run_coroutine_threadsafe(send(requests), loop).result()

    # Hypothesis is not async: it works in a thread and sends by this loop
    await asyncio.to_thread(try_all)

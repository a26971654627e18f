"""A real server with two tenants, for tests of every call."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

import asyncpg
import grpc
import pytest
from tests.rpc.building import TEAM, reflect, turns, write
from tests.rpc.calling import call

from recalld.v1 import memory_pb2
from recalld.v1 import memory_service_pb2 as pb
from recalld.v1 import namespace_service_pb2 as ns
from recalld_server.app import build_core
from recalld_server.core.keys import mint, secret_hash
from recalld_server.core.search_log import SearchLog
from recalld_server.model import Policy, Role, Scope, utc_now
from recalld_server.models.base import load_calibration
from recalld_server.models.hash import HashEmbedder
from recalld_server.rpc.server import RpcServer, RpcSettings
from recalld_server.settings import read_settings
from recalld_server.store.postgres import PoolOptions, PostgresStore

Metadata = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class World:
    """A server with two tenants; `team/tea` of the first holds one memory, and the session `s-1` with one turn."""

    channel: grpc.aio.Channel
    dsn: str
    admin: Metadata
    writer: Metadata
    reader: Metadata
    narrow: Metadata
    """A writer of the same tenant whose key is good for another namespace only."""
    stranger: Metadata
    """An admin of the other tenant."""
    memory_id: str
    etag: str
    key_id: str
    """A key that can be spared."""
    search_id: str
    """A search of the reader's that returned the memory."""
    reflection_id: str
    """A reflection that was cancelled."""
    grant_id: str
    reflector: Metadata
    review_id: str
    """Of two memories that contradict each other."""

    async def rows(self) -> Mapping[str, int]:
        """Rows of each table; of the audit log, what was done and not what was denied."""
        connection = await asyncpg.connect(self.dsn)
        try:
            names = await connection.fetch("SELECT tablename FROM pg_tables WHERE schemaname = 'recalld'")
            assert names
            done = {"audit": "WHERE outcome = 'OK'"}
            counts = {name: f'SELECT count(*) FROM recalld."{name}" {done.get(name, "")}' for (name,) in names}
            return {name: await connection.fetchval(statement) for name, statement in counts.items()}
        finally:
            await connection.close()


async def _key(
    store: PostgresStore, tenant_id: UUID, agent_id: str, role: Role, *namespaces: str
) -> tuple[str, Metadata]:
    key_id, key, _ = mint()
    await store.create_key(
        tenant_id,
        key_id=key_id,
        secret_hash=secret_hash(key.rpartition("_")[2]),
        agent_id=agent_id,
        roles=frozenset({role}),
        namespaces=namespaces,
        description="",
        expire_time=None,
    )
    return key_id, (("authorization", f"Bearer {key}"),)


async def store_memory(channel: grpc.aio.Channel, text: str, holder: Metadata) -> UUID:
    return UUID((await call(channel, "Write", write(text), holder)).result.memory_id)


@pytest.fixture
async def world(database: str) -> AsyncIterator[World]:
    store = PostgresStore(database, PoolOptions(size=4))
    await store.start()
    embedder = HashEmbedder()
    await store.embedding_model(embedder.id, embedder.dimensions)
    ours, theirs = await store.ensure_tenant("ours"), await store.ensure_tenant("theirs")
    for tenant_id, name in ((ours, TEAM), (ours, "other"), (theirs, "theirs")):
        await store.create_namespace(tenant_id, name, description="", policy=Policy())
    keys = [
        await _key(store, ours, "ada", Role.ADMIN),
        await _key(store, ours, "ben", Role.WRITER),
        await _key(store, ours, "cleo", Role.READER),
        await _key(store, ours, "dora", Role.WRITER, "other"),
        await _key(store, theirs, "eve", Role.ADMIN),
    ]
    search_log = SearchLog(store)
    core = build_core(store, embedder, load_calibration(embedder.id), read_settings({}), search_log)
    server = RpcServer(core, RpcSettings(listen="127.0.0.1:0", reuse_port=False))
    async with grpc.aio.insecure_channel(await server.start()) as channel:
        request = pb.WriteRequest(namespace=TEAM, memory=memory_pb2.MemoryInput(content="我喝茶不加糖 I take no sugar"))
        written = (await call(channel, "Write", request, keys[0][1])).result
        admin, writer, reader, narrow, stranger = (key for _, key in keys)
        found = await call(channel, "Search", pb.SearchRequest(namespaces=[TEAM], query="茶"), reader)
        await search_log.flush()
        await call(channel, "AppendTurns", turns("s-1", "我们去哪儿吃饭? Where do we eat?"), keys[1][1])
        started = await call(channel, "Reflect", reflect(session_id="s-1"), keys[0][1])
        reflection_id = started.reflection.reflection_id
        cancel = pb.CancelReflectionRequest(namespace=TEAM, reflection_id=reflection_id)
        await call(channel, "CancelReflection", cancel, keys[0][1])
        grant = ns.Grant(namespace=TEAM, agent_id="gus", role=ns.ROLE_WRITER)
        made = await call(channel, "CreateGrant", ns.CreateGrantRequest(grant=grant), admin)
        pair = [await store_memory(channel, text, keys[1][1]) for text in ("周会在周二", "The weekly is on Friday")]
        namespace = await store.get_namespace(ours, TEAM)
        assert namespace is not None
        scope = Scope(ours, namespace.namespace_id, TEAM, "ben")
        async with store.unit(scope) as unit:
            review_id = await unit.link_conflict(scope, pair[1], pair[:1], expire_time=utc_now() + timedelta(days=7))
        _, reflector = await _key(store, ours, "fritz", Role.REFLECTOR)
        yield World(
            channel,
            database,
            admin,
            writer,
            reader,
            narrow,
            stranger,
            written.memory_id,
            written.etag,
            keys[2][0],
            found.search_id,
            reflection_id,
            made.grant.grant_id,
            reflector,
            str(review_id),
        )
    await server.stop(grace=0)
    await store.close()

"""A server with tenants and keys of every kind, for the tests of who may do what."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import asyncpg
import grpc
from tests.rpc.calling import Failure, call, failure

from recalld.v1 import memory_pb2
from recalld.v1 import memory_service_pb2 as pb
from recalld.v1 import namespace_service_pb2 as ns
from recalld_server.app import build_core
from recalld_server.core.keys import mint, secret_hash
from recalld_server.core.search_log import SearchLog
from recalld_server.core.services import Core
from recalld_server.model import Policy, Role
from recalld_server.models.base import load_calibration
from recalld_server.models.hash import HashEmbedder
from recalld_server.rpc.server import RpcServer, RpcSettings
from recalld_server.settings import read_settings
from recalld_server.store.postgres import PoolOptions, PostgresStore

DONE = "WHERE outcome = 'OK'"
"""Of the audit log: what was done, and not what was denied."""

Metadata = tuple[tuple[str, str], ...]


@dataclass
class World:
    """One server; `store` and `dsn` lead behind it."""

    channel: grpc.aio.Channel
    store: PostgresStore
    core: Core
    search_log: SearchLog
    dsn: str
    keys: dict[str, str] = field(default_factory=dict)
    """Key id by the key's authorization."""

    async def tenant(self, name: str, *namespaces: str) -> None:
        tenant_id = await self.store.ensure_tenant(name)
        for namespace in namespaces:
            await self.store.create_namespace(tenant_id, namespace, description="", policy=Policy())

    async def key(
        self,
        tenant: str,
        agent: str,
        *roles: Role,
        namespaces: tuple[str, ...] = (),
        expire_time: datetime | None = None,
        confined: bool = False,
    ) -> Metadata:
        key_id, key, _ = mint()
        await self.store.create_key(
            await self.store.ensure_tenant(tenant),
            key_id=key_id,
            secret_hash=secret_hash(key.rpartition("_")[2]),
            agent_id=agent,
            roles=frozenset(roles),
            namespaces=namespaces,
            description="",
            expire_time=expire_time,
            confined=confined,
        )
        self.keys[f"Bearer {key}"] = key_id
        return (("authorization", f"Bearer {key}"),)

    async def call(self, method: str, request: Any, who: Metadata) -> Any:
        return await call(self.channel, method, request, who, timeout=120)

    async def refused(self, method: str, request: Any, who: Metadata) -> Failure:
        return await failure(self.channel, method, request, who)

    async def grant(self, who: Metadata, namespace: str, role: int = ns.ROLE_READER, **given: Any) -> str:
        """The id of a new grant."""
        grant = ns.Grant(namespace=namespace, role=role, **given)  # type: ignore[arg-type]
        answer = await self.call("CreateGrant", ns.CreateGrantRequest(grant=grant), who)
        return str(answer.grant.grant_id)

    async def revoke(self, who: Metadata, namespace: str, grant_id: str) -> None:
        await self.call("RevokeGrant", ns.RevokeGrantRequest(namespace=namespace, grant_id=grant_id), who)

    async def write(self, who: Metadata, namespace: str, content: str, **given: Any) -> str:
        """The id of a new memory."""
        memory = memory_pb2.MemoryInput(content=content, **given)
        answer = await self.call("Write", pb.WriteRequest(namespace=namespace, memory=memory), who)
        return str(answer.result.memory_id)

    async def search(self, who: Metadata, query: str, *namespaces: str) -> list[tuple[str, str, str]]:
        """Namespace, author and text of each hit."""
        answer = await self.call("Search", pb.SearchRequest(namespaces=namespaces, query=query, top_k=50), who)
        return [(hit.memory.namespace, hit.memory.agent_id, hit.memory.content) for hit in answer.hits]

    async def names(self, who: Metadata, parent: str = "") -> list[str]:
        """The namespaces that are listed, over pages of two."""
        found: list[str] = []
        token = ""
        while True:
            request = ns.ListNamespacesRequest(parent=parent, page_size=2, page_token=token)
            answer = await self.call("ListNamespaces", request, who)
            found += [each.name for each in answer.namespaces]
            token = answer.next_page_token
            if not token:
                return found

    async def rows(self) -> dict[str, list[str]]:
        """Every row of every table, but for the times at which keys were used and for what was denied."""
        connection = await asyncpg.connect(self.dsn)
        try:
            names = await connection.fetch("SELECT tablename FROM pg_tables WHERE schemaname = 'recalld' ORDER BY 1")
            assert names
            return {
                name: sorted(
                    row[0]
                    for row in await connection.fetch(
                        f"SELECT (to_jsonb(t) - 'last_use_time')::text FROM recalld.\"{name}\" t"
                        if name == "keys"
                        else f'SELECT t::text FROM recalld."{name}" t {DONE if name == "audit" else ""}'
                    )
                )
                for (name,) in names
            }
        finally:
            await connection.close()


@asynccontextmanager
async def world(database: str, *, pool_size: int = 4) -> AsyncIterator[World]:
    """An empty world."""
    # a loaded machine must not fail a test that is about something else
    store = PostgresStore(database, PoolOptions(size=pool_size, acquire_timeout=120, statement_timeout=60))
    await store.start()
    embedder = HashEmbedder()
    await store.embedding_model(embedder.id, embedder.dimensions)
    search_log = SearchLog(store)
    core = build_core(store, embedder, load_calibration(embedder.id), read_settings({}), search_log)
    server = RpcServer(core, RpcSettings(listen="127.0.0.1:0", reuse_port=False))
    try:
        async with grpc.aio.insecure_channel(await server.start()) as channel:
            yield World(channel, store, core, search_log, database)
    finally:
        await server.stop(grace=0)
        await search_log.close()
        await store.close()

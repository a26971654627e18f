"""Servers in the test's own process on one database, and streams whose every message can be looked at."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

import grpc

from recalld import AsyncClient, RetryPolicy
from recalld.v1 import watch_service_pb2 as pb
from recalld.v1 import watch_service_pb2_grpc as grpc_pb
from recalld_server.app import build_core
from recalld_server.app.fairness import build_fairness
from recalld_server.core.access import Access
from recalld_server.core.keys import mint, secret_hash
from recalld_server.core.limits import MeteredEmbedder
from recalld_server.core.watch import Watches, WatchOptions
from recalld_server.model import Policy, Role
from recalld_server.models.base import load_calibration
from recalld_server.models.hash import HashEmbedder
from recalld_server.rpc.server import RpcServer, RpcSettings
from recalld_server.settings import read_settings
from recalld_server.store.postgres import PoolOptions, PostgresStore
from recalld_server.store.postgres.wakes import PostgresWakes
from recalld_server.store.redis import RedisClient

SPACE, OTHER = "space", "空间x".encode().hex()
QUICK = WatchOptions(recheck=0.05, idle=0.3)
PATIENCE = 30
SMALL_WINDOW = (("grpc.http2.bdp_probe", 0),)
"""So that some tens of kilobytes wait for a stream that is not read, instead of megabytes."""


@dataclass(frozen=True)
class Server:
    """A server on a database, and what a test does there."""

    address: str
    store: PostgresStore
    wakes: PostgresWakes
    rpc: RpcServer

    async def key(self, agent: str, *roles: Role, namespaces: tuple[str, ...] = (), tenant: str = "default") -> str:
        key_id, key, _ = mint()
        await self.store.create_key(
            await self.store.ensure_tenant(tenant),
            key_id=key_id,
            secret_hash=secret_hash(key.rpartition("_")[2]),
            agent_id=agent,
            roles=frozenset(roles or {Role.ADMIN}),
            namespaces=namespaces,
            description="",
            expire_time=None,
        )
        return key

    async def revoke(self, key: str) -> None:
        await self.store.revoke_key(await self.store.ensure_tenant("default"), key.split("_")[1])

    @asynccontextmanager
    async def client(self, key: str, namespace: str = SPACE) -> AsyncIterator[AsyncClient]:
        async with AsyncClient(self.address, key=key, namespace=namespace, retry=RetryPolicy(attempts=1)) as client:
            yield client

    @asynccontextmanager
    async def watch(self, key: str, *namespaces: str, **request: Any) -> AsyncIterator[Stream]:
        message = pb.WatchRequest(namespaces=namespaces or (SPACE,), **request)
        async with grpc.aio.insecure_channel(self.address, options=SMALL_WINDOW) as channel:
            call = grpc_pb.WatchServiceStub(channel).Watch(message, metadata=(("authorization", f"Bearer {key}"),))
            try:
                yield Stream(call)
            finally:
                call.cancel()


@dataclass
class Stream:
    """A Watch under way."""

    call: Any
    token: str = ""

    async def next(self) -> pb.WatchResponse:
        """The next message. Raises AioRpcError."""
        message: pb.WatchResponse = await asyncio.wait_for(self.call.read(), PATIENCE)
        assert message.resume_token
        self.token = message.resume_token
        return message

    async def until(self, found: Callable[[pb.WatchResponse], bool]) -> pb.WatchResponse:
        """The next message that is looked for; all before it are CHECKPOINTs."""
        async with asyncio.timeout(2 * PATIENCE):
            while not found(message := await self.next()):
                assert message.type == pb.WATCH_EVENT_TYPE_CHECKPOINT, message
            return message

    async def event(self) -> pb.WatchResponse:
        return await self.until(lambda message: message.type != pb.WATCH_EVENT_TYPE_CHECKPOINT)

    async def begun(self) -> Stream:
        """Reads the CHECKPOINT that every stream begins with."""
        assert (await self.next()).type == pb.WATCH_EVENT_TYPE_CHECKPOINT
        return self

    async def told(self) -> list[str]:
        """What was left to be told when the stream began, as `TYPE memory_id`: all before the next CHECKPOINT."""
        told = []
        while (message := await self.next()).type != pb.WATCH_EVENT_TYPE_CHECKPOINT:
            told.append(named(message))
        return told

    async def failure(self, seen: list[str] | None = None) -> grpc.aio.AioRpcError:
        """The end of the stream; what is told before goes to `seen`."""
        try:
            while True:
                message = await self.next()
                if seen is not None and message.type != pb.WATCH_EVENT_TYPE_CHECKPOINT:
                    seen.append(named(message))
        except grpc.aio.AioRpcError as error:
            return error


def named(message: pb.WatchResponse) -> str:
    return f"{pb.WatchEventType.Name(message.type).removeprefix('WATCH_EVENT_TYPE_')} {message.memory_id}"


@asynccontextmanager
async def server(
    database: str, options: WatchOptions = QUICK, *, redis: RedisClient | None = None
) -> AsyncIterator[Server]:
    """A server with the namespaces SPACE and OTHER."""
    embedder = HashEmbedder()
    store = PostgresStore(database, PoolOptions(size=6))
    await store.start()
    await store.embedding_model(embedder.id, embedder.dimensions)
    tenant_id = await store.ensure_tenant("default")
    for name in (SPACE, OTHER):
        if await store.get_namespace(tenant_id, name) is None:
            await store.create_namespace(tenant_id, name, description="", policy=Policy())
    wakes = store.wakes()
    fairness = build_fairness(read_settings({}), store, redis)
    metered = MeteredEmbedder(embedder, fairness)
    core = build_core(store, metered, load_calibration(embedder.id), read_settings({}), wakes=wakes, cache=redis)
    core = replace(core, watches=Watches(store, Access(store), wakes, options))
    listen = RpcSettings(listen="127.0.0.1:0", reuse_port=False)
    rpc = RpcServer(core, listen, fairness=fairness, on_drain=core.watches.drain)
    try:
        yield Server(await rpc.start(), store, wakes, rpc)
    finally:
        await rpc.stop(grace=0)
        await wakes.close()
        await store.close()

"""A server in the test's own process, on a database and an embedder that the test can break."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from recalld import AsyncClient, RetryPolicy
from recalld_server.app import build_core
from recalld_server.core.keys import mint, secret_hash
from recalld_server.model import Policy, Role
from recalld_server.models.base import Embedder, EmbeddingBatch, load_calibration
from recalld_server.models.hash import HashEmbedder
from recalld_server.rpc.server import RpcServer, RpcSettings
from recalld_server.settings import read_settings
from recalld_server.store.base import Archive, Cache
from recalld_server.store.postgres import PoolOptions, PostgresStore

SPACE = "inside"


class TestEmbedder(HashEmbedder):
    """The hash embedder; `asked` holds every text that it was given."""

    __test__ = False

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    async def embed_passages(self, texts: Sequence[str], *, timeout: float | None = None) -> EmbeddingBatch:
        self.asked += texts
        return await super().embed_passages(texts, timeout=timeout)


@asynccontextmanager
async def serving(database: str, embedder: Embedder | None = None, *, pool_size: int = 4) -> AsyncIterator[AsyncClient]:
    """A client with every right, bound to the namespace SPACE, of a server of its own."""
    async with (
        listening(database, embedder or TestEmbedder(), pool_size=pool_size) as (address, key),
        AsyncClient(address, key=key, namespace=SPACE, retry=RetryPolicy(attempts=1)) as client,
    ):
        yield client


@asynccontextmanager
async def listening(
    database: str, embedder: Embedder, *, pool_size: int = 4, cache: Cache | None = None, archive: Archive | None = None
) -> AsyncIterator[tuple[str, str]]:
    """The address of a server, and a key with every right."""
    store = PostgresStore(database, PoolOptions(size=pool_size))
    await store.start()
    await store.embedding_model(embedder.id, embedder.dimensions)
    tenant_id = await store.ensure_tenant("default")
    if await store.get_namespace(tenant_id, SPACE) is None:
        await store.create_namespace(tenant_id, SPACE, description="", policy=Policy())
    key_id, key, _ = mint()
    await store.create_key(
        tenant_id,
        key_id=key_id,
        secret_hash=secret_hash(key.rpartition("_")[2]),
        agent_id="ann",
        roles=frozenset({Role.ADMIN}),
        namespaces=(),
        description="",
        expire_time=None,
    )
    calibration = load_calibration(embedder.id)
    core = build_core(store, embedder, calibration, read_settings({}), cache=cache, archive=archive)
    server = RpcServer(core, RpcSettings(listen="127.0.0.1:0", reuse_port=False))
    try:
        yield await server.start(), key
    finally:
        await server.stop(grace=0)
        await store.close()

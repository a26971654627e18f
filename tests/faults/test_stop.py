"""A server that is told to stop lets calls under way end as they would have ended, with an answer or with their own error."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from tests.e2e.inside import SPACE, TestEmbedder

from recalld import AsyncClient, RetryPolicy, errors
from recalld_server.app import build_core
from recalld_server.core.keys import mint, secret_hash
from recalld_server.model import Policy, Role
from recalld_server.models.base import EmbeddingBatch, load_calibration
from recalld_server.rpc.server import RpcServer, RpcSettings
from recalld_server.settings import read_settings
from recalld_server.store.postgres import PostgresStore


class Held(TestEmbedder):
    """Answers when it is let; `asked_for` is set when somebody waits."""

    def __init__(self) -> None:
        super().__init__()
        self.asked_for, self.go_on = asyncio.Event(), asyncio.Event()

    async def embed_passages(self, texts: Sequence[str], *, timeout: float | None = None) -> EmbeddingBatch:
        self.asked_for.set()
        await self.go_on.wait()
        return await super().embed_passages(texts, timeout=timeout)


@pytest.mark.parametrize("ends_well", [True, False], ids=["answer", "error"])
async def test_a_call_under_way_ends_as_it_would_have(database: str, ends_well: bool) -> None:
    embedder = Held()
    embedder.go_on.set()
    store = PostgresStore(database)
    await store.start()
    await store.embedding_model(embedder.id, embedder.dimensions)
    tenant_id = await store.ensure_tenant("default")
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
    core = build_core(store, embedder, load_calibration(embedder.id), read_settings({}))
    server = RpcServer(core, RpcSettings(listen="127.0.0.1:0", reuse_port=False))
    address = await server.start()
    async with AsyncClient(address, key=key, namespace=SPACE, retry=RetryPolicy(attempts=1)) as client:
        held = await client.write("the first text 第一段")
        embedder.go_on.clear()
        embedder.asked_for.clear()
        taken = None if ends_well else held.memory_id
        writing = asyncio.ensure_future(client.write("another text 另一段", memory_id=taken))
        async with asyncio.timeout(30):
            await embedder.asked_for.wait()
            stopping = asyncio.ensure_future(server.stop(grace=20))
            await asyncio.sleep(0)
            embedder.go_on.set()
            if ends_well:
                assert (await writing).memory_id
            else:
                with pytest.raises(errors.AlreadyExists):
                    await writing
            await stopping
    await store.close()

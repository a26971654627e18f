"""Another embedding model, while a server goes on with the old one."""

from __future__ import annotations

from collections.abc import Sequence

import asyncpg
import pytest
from tests.e2e.beside import Inside
from tests.e2e.inside import SPACE, listening

from recalld import AsyncClient, MemoryInput, RetryPolicy
from recalld_server.core.reembed import Reembed
from recalld_server.errors import ModelUnavailable
from recalld_server.models.base import EmbeddingBatch
from recalld_server.models.hash import HashEmbedder

TEXTS = [
    "Alice keeps bees in Kyoto",
    "我们的发布在周四",
    "The staging database runs on port 5433",
    "Bob plays the cello on Sundays",
    "猫喜欢睡在窗台上",
]


class Other(HashEmbedder):
    """Another model, with vectors of another length; after some calls it does not answer any more."""

    def __init__(self, calls: int = 1_000) -> None:
        super().__init__(128)
        self.calls = calls

    async def embed_passages(self, texts: Sequence[str], *, timeout: float | None = None) -> EmbeddingBatch:
        self.calls -= 1
        if self.calls < 0:
            raise ModelUnavailable("down")
        return await super().embed_passages(texts, timeout=timeout)


@pytest.fixture
async def filled(client: AsyncClient, monkeypatch: pytest.MonkeyPatch) -> AsyncClient:
    monkeypatch.setattr("recalld_server.core.reembed.BATCH", 2)
    for text in TEXTS:
        await client.write(MemoryInput(text, session_id="s", speaker=text[:3]))
    return client


def move(inside: Inside, embedder: HashEmbedder) -> Reembed:
    return Reembed(inside.store, inside.store.reembedding(), embedder)


async def vectors(database: asyncpg.Connection) -> dict[str, int]:
    rows = await database.fetch(
        "SELECT name, count(memory_id) FROM recalld.models LEFT JOIN recalld.embeddings USING (model_id) GROUP BY 1"
    )
    return {row[0]: row[1] for row in rows}


async def finds_all(client: AsyncClient) -> bool:
    found = [(await client.search(text, top_k=1)).hits[0].memory.content for text in TEXTS]
    return found == TEXTS


async def test_two_models_live_side_by_side_until_the_old_is_dropped(
    filled: AsyncClient, inside: Inside, database: str
) -> None:
    told: list[tuple[int, int]] = []
    assert await move(inside, Other()).run(lambda done, of: told.append((done, of))) == 0
    assert told[-1] == (5, 5)
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert await vectors(inside.database) == {"hash:384:1": 5, "hash:128:1": 5}
    assert await finds_all(filled)  # the server that runs on with the old model
    late = (await filled.write("written meanwhile 期间写的")).memory_id
    changed = [memory async for memory in filled.list()][-1].memory_id
    await filled.update(changed, content="Alice keeps ducks in Nara")
    async with (
        listening(database, Other()) as (address, key),
        AsyncClient(address, key=key, namespace=SPACE, retry=RetryPolicy(attempts=1)) as new,
    ):
        assert (await new.stats()).embedding_model == "hash:128:1"
        assert (await new.search(TEXTS[2], top_k=1)).hits[0].memory.content == TEXTS[2]
        assert await move(inside, Other()).run() == 0  # what the old server has written since
        assert (await new.search("written meanwhile 期间写的", top_k=1)).hits[0].memory.memory_id == late
        assert (await new.search("Alice keeps ducks in Nara", top_k=1)).hits[0].memory.memory_id == changed
        assert await move(inside, Other()).drop_old() == 6
        assert await vectors(inside.database) == {"hash:128:1": 6}
        assert (await new.search(TEXTS[4], top_k=1)).hits[0].memory.content == TEXTS[4]
        for memory_id in (late, changed):  # every table with a vector column was moved
            await new.forget([memory_id], mode="erase")
        first = (await new.search(TEXTS[1], top_k=1)).hits[0].memory.memory_id
        await new.update(first, content="改过的内容 changed")
    assert await inside.count("embeddings") == 4


async def test_it_goes_on_where_it_stopped(filled: AsyncClient, inside: Inside) -> None:
    with pytest.raises(ModelUnavailable):
        await move(inside, Other(calls=1)).run()
    assert await vectors(inside.database) == {"hash:384:1": 5, "hash:128:1": 2}
    assert (await filled.stats()).embedding_model == "hash:384:1"  # not switched half way
    told: list[tuple[int, int]] = []
    assert await move(inside, Other()).run(lambda done, of: told.append((done, of))) == 0
    assert told[0] == (4, 5)
    assert await finds_all(filled)

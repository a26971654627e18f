"""The archive: what goes cold comes back whole, and what is erased is erased there as well."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import pytest
import zstandard
from tests.e2e.beside import Inside, beside
from tests.e2e.inside import SPACE, listening

from recalld import AsyncClient, MemoryInput
from recalld_server.app.rules import build_indexer
from recalld_server.core.archive import Archives
from recalld_server.core.reembed import Reembed
from recalld_server.core.types import CallOptions, ForgetOrder, Precondition
from recalld_server.errors import WrongState
from recalld_server.model import ForgetMode, Principal, Role
from recalld_server.models.base import load_calibration
from recalld_server.models.hash import HashEmbedder
from recalld_server.store.files import FolderArchive

NOW = timedelta(0)


@pytest.fixture
async def cold(client: AsyncClient, database: str, tmp_path: Path) -> AsyncIterator[Inside]:
    """The rules with an archive in `tmp_path`."""
    async with beside(database, FolderArchive(tmp_path)) as inside:
        yield inside


def archives(cold: Inside) -> Archives:
    assert cold.core.archives is not None
    return cold.core.archives


def admin(cold: Inside) -> Principal:
    return Principal(cold.scope.tenant_id, "default", "ann", frozenset({Role.ADMIN}), "")


async def restore(cold: Inside, memory_id: str) -> None:
    await cold.core.memories.restore(
        admin(cold),
        cold.scope.namespace,
        UUID(memory_id),
        revision=None,
        precondition=Precondition(),
        reason="",
        call=CallOptions(),
    )


async def history(client: AsyncClient, memory_id: str) -> list[tuple[int, str, str, str]]:
    return [
        (each.memory.revision, each.action, each.actor, each.memory.content)
        async for each in client.revisions(memory_id)
    ]


def files_in(folder: Path, pattern: str = "*") -> list[Path]:
    return sorted(path for path in folder.rglob(pattern) if path.is_file())


def texts(folder: Path) -> str:
    files = files_in(folder, "*.zst")
    return "".join(zstandard.ZstdDecompressor().decompress(path.read_bytes()).decode() for path in files)


async def put_away(client: AsyncClient, *contents: str) -> list[str]:
    ids = []
    for text in contents:
        memory_id = (await client.write(MemoryInput(text, metadata={"n": 1}, user_id=text[:3]))).memory_id
        await client.update(memory_id, content=f"{text} (second\u2028line)", reason="修改")
        ids.append(memory_id)
    await client.forget(ids, mode="archive")
    return ids


async def test_what_went_cold_comes_back_with_its_history_and_is_found(
    client: AsyncClient, cold: Inside, tmp_path: Path
) -> None:
    one, two = await put_away(client, "Alice collects stamps 集邮", "Bob repairs clocks 修钟")
    before = {each: await history(client, each) for each in (one, two)}
    vectors = await cold.database.fetch("SELECT embedding::text FROM recalld.embeddings ORDER BY memory_id")
    assert await archives(cold).run(NOW) == 2
    assert await archives(cold).run(NOW) == 0
    assert await cold.count("embeddings") == 0
    assert await cold.count("revisions") == 2
    assert {memory.content async for memory in client.list(states=["archived"])} == {
        "Alice collects stamps 集邮 (second\u2028line)",
        "Bob repairs clocks 修钟 (second\u2028line)",
    }
    (manifest,) = files_in(tmp_path, "manifest.json")
    (file,) = json.loads(manifest.read_text())["files"]
    assert file["records"] == 2
    assert (manifest.parent / file["name"]).stat().st_size == file["bytes"]
    for memory_id in (one, two):
        await restore(cold, memory_id)
        assert (await history(client, memory_id))[1:] == before[memory_id]
    assert await cold.database.fetch("SELECT embedding::text FROM recalld.embeddings ORDER BY memory_id") == vectors
    assert (await client.search("who collects stamps 集邮", top_k=1)).hits[0].memory.memory_id == one
    assert await archives(cold).tidy(cold.scope) == 1
    assert files_in(tmp_path) == []


async def test_a_missing_or_broken_file_is_a_clear_error_and_loses_nothing(
    client: AsyncClient, cold: Inside, tmp_path: Path
) -> None:
    (memory_id,) = await put_away(client, "Carol plants roses 种玫瑰")
    assert await archives(cold).run(NOW) == 1
    (file,) = files_in(tmp_path, "*.zst")
    whole = file.read_bytes()
    for broken in (None, b"", whole[:-3], b"x" + whole):
        file.unlink() if broken is None else file.write_bytes(broken)
        with pytest.raises(WrongState, match="from a backup"):
            await restore(cold, memory_id)
        assert await cold.count("archived") == 1
        (listed,) = [memory async for memory in client.list(states=["archived"])]
        assert listed.memory_id == memory_id
    file.write_bytes(whole)
    await restore(cold, memory_id)
    assert (await client.get(memory_id)).state == "active"


async def test_what_is_erased_is_gone_from_the_files(client: AsyncClient, cold: Inside, tmp_path: Path) -> None:
    one, two = await put_away(client, "zq9erased 删掉的", "kept in the archive 留下的")
    assert await archives(cold).run(NOW) == 2
    assert "zq9erased" in texts(tmp_path)
    order = ForgetOrder((UUID(one),), mode=ForgetMode.ERASE)
    done = await cold.core.forgets.forget(admin(cold), cold.scope.namespace, order, CallOptions())
    assert done.receipt is not None
    assert dict(done.receipt.counts)["archive"] == 1
    assert "zq9erased" not in texts(tmp_path)
    assert "kept in the archive" in texts(tmp_path)
    await restore(cold, two)
    assert len(await history(client, two)) == 4


async def test_files_that_nobody_knows_of_go_when_they_are_old(
    client: AsyncClient, cold: Inside, tmp_path: Path
) -> None:
    await put_away(client, "Dan bakes bread 烤面包")
    assert await archives(cold).run(NOW) == 1
    old = tmp_path / str(UUID(int=7)) / "2020-01" / "01700000-0000-7000-8000-000000000000.jsonl.zst"
    old.parent.mkdir(parents=True)
    old.write_bytes(b"x")
    assert await archives(cold).sweep() == 1
    assert not old.exists()
    assert len(files_in(tmp_path, "*.zst")) == 1


async def test_what_went_cold_under_another_model_gets_a_vector_of_the_one_in_use(
    client: AsyncClient, cold: Inside, database: str, tmp_path: Path
) -> None:
    one, two = await put_away(client, "Erin reads maps 看地图", "Finn sails home 驾船回家")
    assert await archives(cold).run(NOW) == 2
    other = HashEmbedder(128)
    assert await Reembed(cold.store, cold.store.reembedding(), other).run() == 0
    async with (
        listening(database, other, archive=FolderArchive(tmp_path)) as (address, key),
        AsyncClient(address, key=key, namespace=SPACE) as new,
    ):
        assert (await new.restore(one)).index_state == "pending"
        indexer = build_indexer(cold.store, other, load_calibration(other.id))
        assert await cold.store.embedding_model(other.id, other.dimensions) == other.id
        await indexer.run()
        assert (await new.search("Erin reads maps 看地图", top_k=1)).hits[0].memory.memory_id == one
        assert await cold.count("embeddings") == 1
        assert (await new.update(one, content="Erin draws maps 画地图")).state == "active"
        assert (await new.write("Erin no longer draws maps. Erin 不再画地图")).memory_id
        assert (await new.forget([one, two], mode="erase")).count == 2
    assert files_in(tmp_path) == []

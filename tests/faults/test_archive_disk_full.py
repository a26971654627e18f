"""The archive's disk is full: everything stays where it is, whoever looks after the server is told, and it goes on when there
is room."""

from __future__ import annotations

import asyncio
import os
import random
import resource
import string
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest
from structlog.testing import capture_logs
from tests.e2e.beside import Inside, beside
from tests.e2e.inside import serving
from tests.e2e.test_archive import NOW, admin, archives, files_in, history, put_away, restore, texts

from recalld import AsyncClient
from recalld_server.core.types import CallOptions, ForgetOrder
from recalld_server.errors import StoreUnavailable
from recalld_server.model import ForgetMode
from recalld_server.store.files import FolderArchive
from recalld_server.store.files import archive as files
from recalld_server.upkeep import Chore, Upkeep

FILE_BYTES = 4_000
"""More than a manifest, and less than what is archived here."""
Full = Callable[[], AbstractContextManager[None]]


@contextmanager
def too_large() -> Iterator[None]:
    """Writes behind the first bytes of a file fail."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_BYTES, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@contextmanager
def no_space() -> Iterator[None]:
    """Files of the archive are made on a device that has no room."""

    def open_full(path: Any, flags: int, mode: int = 0o777) -> int:
        if not flags & os.O_CREAT:
            return os.open(path, flags, mode)
        Path(path).touch()
        return os.open("/dev/full", os.O_WRONLY)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "os", SimpleNamespace(**(vars(os) | {"open": open_full})))
        yield


@pytest.fixture
async def client(database: str) -> AsyncIterator[AsyncClient]:
    async with serving(database) as client:
        yield client


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "archive"


@pytest.fixture
async def cold(client: AsyncClient, database: str, folder: Path) -> AsyncIterator[Inside]:
    """The rules with an archive in `folder`."""
    async with beside(database, FolderArchive(folder)) as inside:
        yield inside


def noise(seed: int) -> str:
    """A text that no compression makes smaller than FILE_BYTES."""
    dice = random.Random(seed)
    return f"笔记 note {seed} " + "".join(dice.choice(string.ascii_letters) for _ in range(2 * FILE_BYTES))


async def held(cold: Inside) -> list[int]:
    return [await cold.count(table) for table in ("memories", "revisions", "embeddings", "archived")]


@pytest.mark.parametrize("full", [too_large, no_space], ids=lambda full: full.__name__)
async def test_what_was_to_go_stays_whole_and_goes_when_there_is_room(
    client: AsyncClient, cold: Inside, folder: Path, full: Full
) -> None:
    ids = await put_away(client, noise(1), noise(2))
    before, rows = {each: await history(client, each) for each in ids}, await held(cold)
    with full():
        for _ in range(3):
            with pytest.raises(StoreUnavailable, match="the folder's disk"):
                await archives(cold).run(NOW)
        assert files_in(folder, "*.part") == files_in(folder, "*.zst") == []
    assert await held(cold) == rows
    assert {each: await history(client, each) for each in ids} == before
    assert await archives(cold).run(NOW) == 2
    assert await cold.count("embeddings") == 0
    for memory_id in ids:
        await restore(cold, memory_id)
        assert (await history(client, memory_id))[1:] == before[memory_id]


@pytest.mark.parametrize("full", [too_large, no_space], ids=lambda full: full.__name__)
async def test_what_is_erased_goes_from_the_files_when_there_is_room(
    client: AsyncClient, cold: Inside, folder: Path, full: Full
) -> None:
    one, two = await put_away(client, f"zq9erased 删掉的 {noise(3)}", noise(4))
    before = await history(client, two)
    assert await archives(cold).run(NOW) == 2
    order = ForgetOrder((UUID(one),), mode=ForgetMode.ERASE)
    with full(), pytest.raises(StoreUnavailable, match="the folder's disk"):
        await cold.core.forgets.forget(admin(cold), cold.scope.namespace, order, CallOptions())
    assert await cold.count("memories", f"memory_id = '{one}'") == 0
    (manifest,) = files_in(folder, "manifest.json")
    assert all(path.name in manifest.read_text() for path in files_in(folder, "*.zst"))
    assert await archives(cold).run(NOW) == 1
    assert "zq9erased" not in texts(folder)
    await restore(cold, two)
    assert (await history(client, two))[1:] == before


async def test_whoever_looks_after_the_server_reads_why(client: AsyncClient, cold: Inside, folder: Path) -> None:
    await put_away(client, noise(5))
    failed, went = asyncio.Event(), asyncio.Event()

    async def run() -> int:
        try:
            count = await archives(cold).run(NOW)
        except StoreUnavailable:
            failed.set()
            raise
        if count:
            went.set()
        return count

    upkeep = Upkeep([Chore("archive", run, 0.01)])
    async with asyncio.timeout(60):
        with capture_logs() as logs, no_space():
            upkeep.start()
            await failed.wait()
            await asyncio.sleep(0)
        await went.wait()
    await upkeep.close()
    (told,) = {(each["chore"], each["cause"]) for each in logs if each["log_level"] == "warning"}
    assert told[0] == "archive"
    assert "No space left on device" in told[1]
    assert len(files_in(folder, "*.zst")) == 1

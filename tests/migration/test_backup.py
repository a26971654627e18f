"""What the guide says about backups: a dump of the schema restores into an empty database, and a server works on it."""

from __future__ import annotations

import asyncio
import re
import shutil
import subprocess
from pathlib import Path

import asyncpg
import pytest

from recalld import AsyncClient
from recalld_server.app import App, Endpoints
from recalld_server.doctor import examine
from recalld_server.embedded.binaries import find_postgres
from recalld_server.settings import read_settings

GUIDE = Path(__file__).parents[2] / "docs/operations.md"


def tool(name: str) -> str:
    found = find_postgres(None).bin / name
    path = str(found) if found.exists() else shutil.which(name)
    if path is None:
        pytest.skip(f"{name} is not on this machine")
    return path


def commands(database: str, empty: str, folder: Path) -> list[list[str]]:
    """The guide's, with these databases."""
    text = GUIDE.read_text()
    lines = re.findall(r"^(pg_dump|psql|pg_restore) (.*)$", text, re.MULTILINE)
    result = []
    for program, arguments in lines:
        words = re.findall(r"'[^']*'|\"[^\"]*\"|[^\s'\"]+(?:\"[^\"]*\")?", arguments.partition("   #")[0])
        words = [
            word.replace('"$RECALLD_DATABASE_URL"', database).replace('"$NEW"', empty).strip("'") for word in words
        ]
        result.append([program, *(word.replace("recalld.dump", str(folder / "recalld.dump")) for word in words)])
    return result


async def served(dsn: str, folder: Path, *, write: bool) -> str:
    """What a server on that database finds."""
    app = App(read_settings({}, listen="127.0.0.1:0", embedder="hash"), Endpoints(folder, dsn, dsn, None))
    try:
        address = await app.start()
        async with AsyncClient(address, key=(folder / "root.key").read_text().strip()) as client:
            if write:
                await client.write("the spare key hangs in the cellar 备用钥匙在地下室")
            found = await client.search("备用钥匙 spare key")
            return found[0].content
    finally:
        await app.stop()


async def test_a_dump_restores_into_an_empty_database(database: str, empty_database: str, tmp_path: Path) -> None:
    before = await served(database, tmp_path, write=True)
    for program, *arguments in commands(database, empty_database, tmp_path):
        ended = await asyncio.to_thread(subprocess.run, [tool(program), *arguments], capture_output=True, text=True)
        assert ended.returncode == 0 or "already exists" in ended.stderr, ended.stderr
    connection = await asyncpg.connect(empty_database)
    assert await connection.fetchval("SELECT count(*) FROM recalld.memories") == 1
    await connection.close()
    assert await served(empty_database, tmp_path, write=False) == before
    settings = read_settings({}, embedder="hash")
    findings = [each async for each in examine(settings, Endpoints(tmp_path, empty_database, empty_database, None))]
    assert [each.what for each in findings if each.level == "fail"] == []

"""Freezes the schema of a version, with memories in it, for the tests of upgrades from there.

Usage, with the server installed, from the top of the repository: python -m tests.migration.freeze 0009

Writes frozen/0009.sql (a dump) and frozen/0009.json (what must be found after an upgrade). A version that was released is
frozen once, by its own code, and never again; until then a migration that was edited is frozen anew.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.e2e.inside import SPACE, TestEmbedder, listening

from recalld import AsyncClient
from recalld_server.embedded import start_postgres, stop_postgres
from recalld_server.embedded.binaries import find_postgres
from recalld_server.store.postgres.migrate import load_migrations, migrate

FROZEN = Path(__file__).parent / "frozen"
FACTS = ("The boiler was serviced in May. 锅炉五月份检修过。", "会议室的投影仪坏了 the projector is broken")


async def fill(dsn: str) -> dict[str, Any]:
    """Writes what is to be found later, and returns it."""
    async with (
        listening(dsn, TestEmbedder()) as (address, key),
        AsyncClient(address, key=key, namespace=SPACE) as client,
    ):
        made = await client.keys.create("ben", "writer", namespaces=[SPACE])
        async with AsyncClient(address, key=made.secret, namespace=SPACE) as ben:
            private = await ben.write("ben's locker is 17 本的柜子是17号", visibility="private")
        facts = [await client.write(text, tags=["house", "房子"], metadata={"floor": 2}) for text in FACTS]
        changed = await client.write("The gate code is 4711 大门密码是4711", user_id="lin")
        await client.update(changed.memory_id, content="The gate code is 2805 大门密码是2805", reason="changed 改了")
        forgotten = await client.write("a parcel waits at the desk 前台有个包裹")
        await client.forget(forgotten.memory_id)
        archived = await client.write("the old canteen menu 旧食堂菜单", kind="episodic")
        await client.forget(archived.memory_id, mode="archive")
        await client.session("s-1").add_turns(["Where is the boiler? 锅炉在哪里？", "in the cellar 在地下室"])
        return {
            "namespace": SPACE,
            "facts": {written.memory_id: text for written, text in zip(facts, FACTS, strict=True)},
            "changed": changed.memory_id,
            "forgotten": forgotten.memory_id,
            "archived": archived.memory_id,
            "private": private.memory_id,
            "session": "s-1",
            "when": datetime.now(UTC).isoformat(),
        }


async def make(number: str, dsn: str) -> dict[str, Any]:
    await migrate(dsn, migrations=tuple(each for each in load_migrations() if each.name[:4] <= number))
    return await fill(dsn)


def main(number: str) -> None:
    folder = Path(tempfile.mkdtemp(prefix="recalld-freeze-"))
    try:
        dsn = start_postgres(folder, settings={"fsync": "off"}).dsn()
        found = asyncio.run(make(number, dsn))
        command = [str(find_postgres(None).bin / "pg_dump"), f"--dbname={dsn}", "--no-comments"]
        dump = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    finally:
        stop_postgres(folder)
        shutil.rmtree(folder, ignore_errors=True)
    FROZEN.mkdir(exist_ok=True)
    (FROZEN / f"{number}.sql").write_text(dump)
    (FROZEN / f"{number}.json").write_text(json.dumps(found, ensure_ascii=False, indent=2) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])

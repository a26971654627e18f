"""A PostgreSQL with a streaming standby, both from the wheels."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncpg

from recalld_server.embedded import PostgresHandle, start_postgres, stop_postgres
from recalld_server.embedded.binaries import find_postgres
from recalld_server.embedded.places import account_for, open_data_dir

NAME = "postgres"


@dataclass
class Standby:
    """A running standby; `folder` holds nothing else."""

    folder: Path
    handle: PostgresHandle

    @property
    def dsn(self) -> str:
        return self.handle.dsn(NAME)

    async def run(self, statement: str) -> Any:
        return await run(self.dsn, statement)

    def kill(self) -> None:
        """As when its machine loses its power."""
        os.kill(self.handle.pid, signal.SIGKILL)
        stop_postgres(self.folder)

    def start(self) -> None:
        self.handle = start_postgres(self.folder, settings=SETTINGS)


SETTINGS = {"fsync": "off", "full_page_writes": "off", "shared_buffers": "64MB"}


async def run(dsn: str, statement: str) -> Any:
    connection = await asyncpg.connect(dsn)
    try:
        return await connection.fetchval(statement)
    finally:
        await connection.close()


def make_standby(primary: PostgresHandle, folder: Path) -> Standby:
    """Copies a running server and starts the copy, which follows it from then on."""
    root = open_data_dir(folder)
    cluster = root / "postgres"
    subprocess.run(
        [
            find_postgres(None).bin / "pg_basebackup",
            *("-h", primary.socket_dir, "-p", str(primary.port), "-U", primary.superuser),
            *("-D", cluster, "--write-recovery-conf", "--checkpoint=fast", "--wal-method=stream", "--no-sync"),
        ],
        check=True,
        capture_output=True,
    )
    account = account_for(root)
    if os.geteuid() == 0:
        for path in (cluster, *cluster.rglob("*")):
            os.chown(path, account.uid, account.gid, follow_symlinks=False)
    return Standby(folder, start_postgres(folder, settings=SETTINGS))


def remove(folder: Path) -> None:
    stop_postgres(folder)
    shutil.rmtree(folder, ignore_errors=True)

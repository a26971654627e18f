"""Keys of agents on an embedded server, so that what one IDE writes can be told from what another wrote."""

from __future__ import annotations

import os
import re
from pathlib import Path

from recalld import AsyncClient
from recalld.errors import ConfigurationError, Unauthenticated

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


async def key_of_agent(root: AsyncClient, folder: Path, agent: str) -> str:
    """The agent's key, made on first use and kept in `folder` with mode 0600. Called by one bridge at a time.

    Raises ConfigurationError for a name that cannot be a file's.
    """
    if not _NAME.fullmatch(agent):
        raise ConfigurationError("--agent: takes letters, digits, '.', '_' and '-', at most 64")
    path = folder / f"agent-{agent}.key"
    if path.exists():
        key = path.read_text().strip()
        try:
            async with AsyncClient(root.addr, key=key) as own:
                await own.namespaces.list(page_size=1).page()
        except Unauthenticated:
            path.unlink()  # revoked, or of a database that is no more
        else:
            return key
    made = await root.keys.create(agent, ["writer", "reflector"], description="made by recalld-mcp --embedded")
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(f"{made.secret}\n")
    return made.secret

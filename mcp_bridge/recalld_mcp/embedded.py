"""`--embedded`: starts the embedded server for this machine's bridges, or joins the one that they use already.

A keeper process (`recalld_mcp.keeper`) owns the server. Each bridge holds a shared lock for as long as it lives; the keeper
waits for the exclusive one, gets it when the last bridge has gone, however it went, and then stops the server. So the
first IDE that is closed does not take the memory away from the second, and nothing outlives them all.
"""

from __future__ import annotations

import asyncio
import fcntl
import importlib.util
import os
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from recalld import AsyncClient, RetryPolicy
from recalld.errors import AlreadyExists, ConfigurationError, DeadlineExceeded, NotFound, Unavailable
from recalld_mcp.agents import key_of_agent
from recalld_mcp.places import Places, default_data_dir, try_lock

START_SECONDS = 90.0
"""The first start makes a database and may convert a model."""
_POLL_SECONDS = 0.1


class EmbeddedConnection:
    """The way to this machine's own server, which runs at least as long as this object is open."""

    def __init__(self, data_dir: Path | None, namespace: str | None, agent: str | None) -> None:
        self._places = Places((data_dir or default_data_dir()).absolute())
        self._namespace = namespace
        self._agent = agent
        self._client: AsyncClient | None = None
        self._addr: str | None = None
        self._using: int | None = None
        self._joining = asyncio.Lock()

    async def client(self) -> AsyncClient:
        """The client of the server, which is started when it does not run. Raises ConfigurationError, Unavailable."""
        async with self._joining:
            # Another bridge may have started a server anew, elsewhere, after the one that this client knows was killed.
            if self._client is None or self._places.running_at() != self._addr:
                await self.close()
                self._client = await self._join()
            return self._client

    async def close(self) -> None:
        """Leaves the server; when this was the last bridge, the keeper stops it."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()
        if self._using is not None:
            os.close(self._using)
            self._using = None

    async def _join(self) -> AsyncClient:
        places = self._places
        until = time.monotonic() + START_SECONDS
        try:
            places.make()
            # Waits for a keeper that is about to stop, which holds it exclusively until it has gone.
            self._using = await _lock(places.users_lock, fcntl.LOCK_SH, until)
            starting = await _lock(places.start_lock, fcntl.LOCK_EX, until)
        except OSError as error:
            raise ConfigurationError(
                f"--embedded cannot use the data directory {places.data_dir} ({error.strerror}): choose a writable one "
                "with --data-dir"
            ) from None
        try:
            addr = places.running_at()
            if addr is not None:
                return await self._connect(addr, None, until)
            addr, keeper = start_keeper(places)
            return await self._connect(addr, keeper, until)
        finally:
            os.close(starting)

    async def _connect(self, addr: str, keeper: subprocess.Popen[bytes] | None, until: float) -> AsyncClient:
        """A client of the server once it answers, with the namespace and the agent's key that were asked for."""
        self._addr = addr
        while True:
            if keeper is not None and keeper.poll() is not None:
                raise Unavailable(f"the embedded server did not start: {_last_words(self._places.log)}")
            try:
                return await self._prepared(addr)
            except (Unavailable, DeadlineExceeded) as error:
                failure = error.message
            except OSError:
                failure = f"{self._places.root_key} is not there"
            if time.monotonic() > until:
                raise Unavailable(f"the embedded server did not start within {START_SECONDS:.0f} s: {failure}")
            await asyncio.sleep(_POLL_SECONDS)

    async def _prepared(self, addr: str) -> AsyncClient:
        key = self._places.root_key.read_text().strip()
        async with AsyncClient(addr, key=key, timeout=5, read_timeout=5, retry=RetryPolicy(attempts=1)) as root:
            await root.namespaces.list(page_size=1).page()
            if self._namespace is not None:
                try:
                    await root.namespaces.get(self._namespace)
                except NotFound:
                    with suppress(AlreadyExists):
                        await root.namespaces.create(self._namespace, description="made by recalld-mcp")
            if self._agent is not None:
                key = await key_of_agent(root, self._places.folder, self._agent)
        return AsyncClient(addr, key=key)


def start_keeper(places: Places) -> tuple[str, subprocess.Popen[bytes]]:
    """Starts a keeper and its server. Returns the address. Raises ConfigurationError without the server's package."""
    if importlib.util.find_spec("recalld_server") is None:
        raise ConfigurationError(
            "--embedded needs the server on this machine: pip install 'recalld-server[embedded]' into the same "
            "environment as recalld-mcp, or leave --embedded out and set RECALLD_ADDR and RECALLD_KEY"
        )
    addr = f"127.0.0.1:{_free_port()}"
    with places.log.open("wb") as log:
        keeper = subprocess.Popen(  # noqa: S603 - our own program
            [sys.executable, "-m", "recalld_mcp.keeper", str(places.data_dir), addr],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd="/",
            start_new_session=True,  # a Ctrl-C for one bridge is not one for the server that others use
        )
    return addr, keeper


async def _lock(path: Path, kind: int, until: float) -> int:
    """Waits for a lock without holding up the loop, or a thread that would hold up the end of the process."""
    while (descriptor := try_lock(path, kind)) is None:
        if time.monotonic() > until:
            raise Unavailable("another bridge is still starting the embedded server, or stopping it: try again later")
        await asyncio.sleep(_POLL_SECONDS)
    return descriptor


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _last_words(log: Path) -> str:
    try:
        lines = [line.strip() for line in log.read_text(errors="replace").splitlines() if line.strip()]
    except OSError:
        lines = []
    return f"{lines[-1] if lines else 'it said nothing'} (see {log})"

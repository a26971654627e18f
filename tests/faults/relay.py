"""A network between the server and its database, that a test can cut and mend."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path

from recalld_server.embedded import PostgresHandle


def through(relay: Relay, postgres: PostgresHandle, database: str) -> str:
    """The DSN of a database behind a relay."""
    name = database.partition("?")[0].rpartition("/")[2]
    return f"postgresql://{postgres.superuser}@127.0.0.1:{relay.port}/{name}"


class Relay:
    """Listens on a port of loopback and passes bytes to a unix socket. `cut` makes it silent, as a network that drops
    everything: connections stay and say nothing, and new ones are taken and not answered. `delay` makes it slow: seconds
    that every piece of data takes, each way. `say` puts words in the database's mouth."""

    def __init__(self, target: Path) -> None:
        self._target = target
        self._open = asyncio.Event()
        self._open.set()
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._near: set[asyncio.StreamWriter] = set()
        self.port = 0
        self.delay = 0.0

    async def __aenter__(self) -> Relay:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def cut(self) -> None:
        self._open.clear()

    def mend(self) -> None:
        self._open.set()

    def say(self, data: bytes) -> None:
        """Sends this on every connection, as if the database had."""
        for writer in self._near:
            writer.write(data)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        with suppress(OSError, asyncio.CancelledError):  # cancelled when the test ends
            await self._open.wait()
            far_reader, far_writer = await asyncio.open_unix_connection(self._target)
            self._near.add(writer)
            try:
                await asyncio.gather(self._pass(reader, far_writer), self._pass(far_reader, writer))
            finally:
                self._near.discard(writer)
                far_writer.close()
                writer.close()

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(65536):
                await self._open.wait()
                if self.delay:
                    await asyncio.sleep(self.delay)
                writer.write(data)
                await writer.drain()
        writer.close()

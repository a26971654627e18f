"""For whom a call is made, where to, and through which client."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

from mcp.server.mcpserver import Context

from recalld import AsyncClient, AsyncNamespaceView
from recalld.config import load
from recalld.errors import ConfigurationError, RecalldError


class Connection(Protocol):
    """Gives the client of the caller whose request is being answered."""

    async def client(self) -> AsyncClient:
        """Raises RecalldError, with what to change, when there is no way to the server."""

    async def close(self) -> None:
        """Ends every channel."""


@dataclass(frozen=True, slots=True)
class Defaults:
    """What a call means when it does not say so itself."""

    namespace: str | None = None
    """None: the client's own default."""
    user_id: str | None = None
    """The person whose memories are written; None: nobody in particular."""
    problem: str = ""
    """Why they cannot be used; every tool answers with it."""


class Bridge:
    """What every tool, resource and prompt is given."""

    def __init__(self, connection: Connection, defaults: Defaults) -> None:
        self._connection = connection
        self.user_id = defaults.user_id
        self.namespace = defaults.namespace
        self._problem = defaults.problem
        self._warming: asyncio.Task[None] | None = None

    async def client(self) -> AsyncClient:
        """The caller's client. Raises RecalldError."""
        if self._problem:
            raise ConfigurationError(self._problem)
        return await self._connection.client()

    async def view(self, namespace: str | None) -> AsyncNamespaceView:
        """The verbs on a namespace; None: the default one. Raises RecalldError."""
        client = await self.client()
        name = namespace or self.namespace
        return client if name is None else client.namespace(name)

    def warm(self) -> None:
        """Begins to connect, so that the first call need not wait for a server that starts."""
        self._warming = asyncio.create_task(self._warm())

    async def _warm(self) -> None:
        with suppress(RecalldError):  # each call says what is wrong
            await self.client()

    async def close(self) -> None:
        """Ends every channel."""
        if self._warming is not None:
            self._warming.cancel()
            await asyncio.wait({self._warming})
        await self._connection.close()


class ConfiguredConnection:
    """One key for everyone, from the environment or the client's configuration file: what stdio uses.

    Settings that are missing or wrong are read again at each call, so that mending them needs no restart.
    """

    def __init__(self, addr: str | None = None, key_file: str | None = None) -> None:
        self._given = {"addr": addr, "key_file": key_file}
        self._client: AsyncClient | None = None

    async def client(self) -> AsyncClient:
        """Raises ConfigurationError when there is no key, or a setting cannot be."""
        if self._client is None:
            settings = load(self._given)
            if not settings.key:
                raise ConfigurationError(
                    "no key is set for the memory server: put RECALLD_KEY (or RECALLD_KEY_FILE) and RECALLD_ADDR into "
                    "the env block of this MCP server, or start it with --embedded"
                )
            self._client = AsyncClient(settings.addr, key=settings.key)
        return self._client

    async def close(self) -> None:
        """Ends the channel."""
        if self._client is not None:
            await self._client.close()


def bridge_of(context: Context[Bridge]) -> Bridge:
    """The bridge of a running request."""
    return context.request_context.lifespan_context

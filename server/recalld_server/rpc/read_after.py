"""Around calls where standbys answer reads: a caller never reads what is older than what it knows.

A call tells in its trailing metadata how far the store had come when it ended; a caller that repeats the greatest such
token with its reads is answered by a standby that has come so far, or by the store. One that gives no token gets the
store's own answer.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

from recalld_server.errors import InvalidField, Unavailable
from recalld_server.rpc.calls import Context
from recalld_server.rpc.interceptors import Around, Streaming, Unary
from recalld_server.store.base import READ_AFTER, Positions, ReadAfter

HEADER = "recalld-read-after"
NOW = "now"
"""In place of a token: what is there when the call comes. It compares as greater than any other."""
READS = frozenset(
    f"/recalld.v1.MemoryService/{name}" for name in ("Search", "BuildContext", "Get", "List", "ListRevisions", "Stats")
)
"""Calls that a standby may answer."""
WAIT_SECONDS, WAIT_SHARE = 0.25, 0.2
"""How long a read waits for a standby, and the share of its deadline that it may wait."""
PATIENCE_SECONDS, PATIENCE_SHARE = 5.0, 0.5
"""How long a standby may take, and the share of the deadline that it may use up."""


class ReadAfterWrite(Around):
    """Inside of authentication."""

    def __init__(self, positions: Positions) -> None:
        super().__init__()
        self._positions = positions

    def unary(self, call: Unary, method: str) -> Unary:
        async def reading(request: Any, context: Context) -> Any:
            given = _given(context)
            if not given:
                return await call(request, context)
            asked = _bounds(await self._position(given), context)
            READ_AFTER.set(asked)
            answer = await call(request, context)
            if asked.from_store or given == NOW:
                # what a standby answers next must not be older than this
                await self._tell(context)
            return answer

        async def telling(request: Any, context: Context) -> Any:
            answer = await call(request, context)
            await self._tell(context)
            return answer

        return reading if method in READS else telling

    def streaming(self, call: Streaming, method: str) -> Streaming:
        async def telling(request: Any, context: Context) -> AsyncIterator[Any]:
            async with aclosing(call(request, context)) as answers:  # type: ignore[type-var]
                async for answer in answers:
                    yield answer
            await self._tell(context)

        return telling

    async def _position(self, given: str) -> int:
        return await self._positions.position() if given == NOW else int(given, 16)

    async def _tell(self, context: Context) -> None:
        try:
            token = f"{await self._positions.position():016x}"
        except Unavailable:
            token = NOW  # the call itself succeeded, and must not fail for this
        context.set_trailing_metadata(((HEADER, token),))


def _given(context: Context) -> str:
    """The greatest token that the call gave; empty: none. Raises InvalidField."""
    tokens = [str(value) for key, value in context.invocation_metadata() or () if key == HEADER]
    for token in tokens:
        if token != NOW and not re.fullmatch("[0-9a-f]{16}", token):
            raise InvalidField(HEADER, f"must be a token from the trailing metadata of an earlier call, or {NOW!r}")
    return max(tokens, default="")


def _bounds(position: int, context: Context) -> ReadAfter:
    left = context.time_remaining()
    if left is None:
        return ReadAfter(position, WAIT_SECONDS, PATIENCE_SECONDS)
    return ReadAfter(position, min(WAIT_SECONDS, left * WAIT_SHARE), min(PATIENCE_SECONDS, left * PATIENCE_SHARE))

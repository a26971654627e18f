"""HTTP callers: each bearer key is a recalld key. There is no second store of users."""

from __future__ import annotations

import hashlib
import re
import time
from collections import OrderedDict
from dataclasses import dataclass

from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.provider import AccessToken, TokenVerifier

from recalld import AsyncClient
from recalld.errors import QuotaExceeded, RecalldError, Unauthenticated

CALLERS = 256
"""Keys that are kept at hand; beyond that, the one that has been idle longest goes."""
IDLE_SECONDS = 120.0
"""A key that was used within this time is never let go: a call may be under way."""
TRUSTED_SECONDS = 30.0
"""How long a key that the server has accepted is not asked about again. The server checks it at each call anyway."""
_FORM = re.compile(r"[\x21-\x7e]{8,200}")


@dataclass(slots=True)
class _Caller:
    client: AsyncClient
    allowance: float
    counted: float
    """When the allowance was last counted, in seconds of the monotonic clock."""
    trusted_until: float = 0.0


class KeyedConnection(TokenVerifier):
    """Gives each caller the client of its own key, bounds how often it calls, and checks keys with the server."""

    def __init__(self, addr: str | None, calls_per_minute: int) -> None:
        self._addr = addr
        self._rate = calls_per_minute / 60
        self._burst = float(max(1, calls_per_minute // 4))
        self._callers: OrderedDict[str, _Caller] = OrderedDict()

    async def verify_token(self, token: str) -> AccessToken | None:
        """Whether the server knows the key. A server that does not answer refuses nobody: it is asked again by the
        call itself, whose answer then says what is wrong."""
        if not _FORM.fullmatch(token):
            return None
        caller = await self._caller(token)
        if time.monotonic() >= caller.trusted_until:
            try:
                await caller.client.namespaces.list(page_size=1).page()
            except Unauthenticated:
                self._callers.pop(_name(token), None)
                await caller.client.close()
                return None
            except RecalldError:
                return _access(token)
            caller.trusted_until = time.monotonic() + TRUSTED_SECONDS
        return _access(token)

    async def client(self) -> AsyncClient:
        """The running request's client. Raises Unauthenticated without a key, QuotaExceeded when it calls too often."""
        access = get_access_token()
        if access is None:
            raise Unauthenticated("no key was given: send Authorization: Bearer <your recalld key>")
        caller = await self._caller(access.token)
        self._count(caller)
        return caller.client

    async def close(self) -> None:
        """Ends every channel."""
        while self._callers:
            _, caller = self._callers.popitem()
            await caller.client.close()

    async def _caller(self, token: str) -> _Caller:
        name = _name(token)
        caller = self._callers.get(name)
        if caller is None:
            caller = self._callers[name] = _Caller(AsyncClient(self._addr, key=token), self._burst, time.monotonic())
        self._callers.move_to_end(name)
        while len(self._callers) > CALLERS:
            oldest, idle = next(iter(self._callers.items()))
            if time.monotonic() - idle.counted < IDLE_SECONDS:
                break
            del self._callers[oldest]
            await idle.client.close()
        return caller

    def _count(self, caller: _Caller) -> None:
        """Takes one call from the allowance, which refills evenly over time."""
        now = time.monotonic()
        elapsed, caller.counted = now - caller.counted, now
        if not self._rate:
            return
        caller.allowance = min(self._burst, caller.allowance + elapsed * self._rate)
        if caller.allowance < 1:
            wait = (1 - caller.allowance) / self._rate
            raise QuotaExceeded(
                "this key calls the MCP bridge too often", reason="QUOTA_EXCEEDED", retry_after=round(wait, 2)
            )
        caller.allowance -= 1


def _name(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def _access(token: str) -> AccessToken:
    # The hash names the whole key, so that a session belongs to exactly one.
    return AccessToken(token=token, client_id=_name(token), scopes=[], subject=None)

"""Calls to a model behind HTTP: one place for time limits, refusals, overload and the circuit breaker."""

from __future__ import annotations

import asyncio
import email.utils
import math
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from recalld_server.breaker import Breaker
from recalld_server.errors import ModelUnavailable
from recalld_server.models.base import ModelSetupError

if TYPE_CHECKING:
    import httpx2

TIMEOUT_SECONDS: Final = 20.0
"""For one call when the caller sets no limit."""
FAIR_SECONDS: Final = 1.0
"""A call that was given less and ran out of time says nothing about the model, so the breaker does not count it."""
LONGEST_RETRY_SECONDS: Final = 300.0

# The request itself is at fault: another one may pass.
_REFUSALS: Final = frozenset({400, 413, 414, 422})
_CREDENTIALS: Final = frozenset({401, 403})


class Refused(Exception):
    """The model answers, but will not take this input."""

    def __init__(self, status: int) -> None:
        super().__init__(f"the model refuses this text (HTTP {status})")


class Remote:
    """One model server. Messages of its errors hold neither texts nor keys nor what the server wrote."""

    def __init__(self, base_url: str, api_key: str | None, timeout: float = TIMEOUT_SECONDS) -> None:
        """`base_url` is put before each path. `api_key` goes out as a bearer token. `timeout`: seconds for a call whose
        caller sets no limit. Raises ModelSetupError."""
        if not base_url.startswith(("http://", "https://")):
            raise ModelSetupError("the base URL of a model server starts with http:// or https://")
        self._base_url = base_url.rstrip("/")
        self._headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._timeout = timeout
        self._breaker = Breaker()
        self._client: httpx2.AsyncClient | None = None

    async def post(self, path: str, body: Mapping[str, Any], timeout: float | None) -> Any:
        """The JSON that the server answers. `timeout` in seconds for the whole call; None: the usual one.

        Raises Refused when the input is at fault, ModelUnavailable for everything else that goes wrong.
        """
        limit = self._timeout if timeout is None else timeout
        with self._breaker.call(fair=limit >= FAIR_SECONDS):
            try:
                async with asyncio.timeout(limit):
                    return await self._exchange(path, body)
            except TimeoutError as error:
                raise ModelUnavailable("the model did not answer in time") from error

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def _exchange(self, path: str, body: Mapping[str, Any]) -> Any:
        client, transport_error = self._open()
        try:
            response = await client.post(self._base_url + path, json=body)
        except transport_error as error:
            raise ModelUnavailable(f"the model cannot be reached ({type(error).__name__})") from None
        status = response.status_code
        if status in _REFUSALS:
            raise Refused(status)
        if status in _CREDENTIALS:
            raise ModelUnavailable(f"the model refuses the API key (HTTP {status}): check the key", 60.0)
        if not response.is_success:
            raise ModelUnavailable(f"the model answered with HTTP {status}", _retry_after(response.headers))
        try:
            return response.json()
        except ValueError:
            raise ModelUnavailable("the model's answer is not JSON: check the base URL") from None

    def _open(self) -> tuple[httpx2.AsyncClient, type[Exception]]:
        try:
            import httpx2
        except ImportError as error:
            raise ModelSetupError("httpx2 is not installed: pip install 'recalld-server[llm]'") from error
        if self._client is None:
            # `asyncio.timeout` bounds the whole call; the transport's limits bound each read, which is not the same.
            # One retry of a connection that cannot be made is safe, nothing was sent.
            self._client = httpx2.AsyncClient(
                headers=self._headers, timeout=None, transport=httpx2.AsyncHTTPTransport(retries=1)
            )
        return self._client, httpx2.HTTPError


def _retry_after(headers: Mapping[str, str]) -> float:
    """Seconds that the server asks to wait: a number or a date; 1 when it does not say."""
    text = headers.get("retry-after", "")
    try:
        seconds = float(text)
    except ValueError:
        try:
            seconds = email.utils.parsedate_to_datetime(text).timestamp() - time.time()
        except ValueError:
            return 1.0
    return min(LONGEST_RETRY_SECONDS, max(0.0, seconds)) if math.isfinite(seconds) else 1.0

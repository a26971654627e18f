"""Lists that come page by page."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any, Generic, TypeVar

import grpc

from recalld._async.transport import AsyncTransport
from recalld._channel import AsyncStubs
from recalld.types.pages import Page

T = TypeVar("T")


class AsyncPager(Generic[T]):
    """Iterates over all items and fetches pages as it goes; `page` and `pages` give the pages themselves."""

    def __init__(
        self,
        transport: AsyncTransport,
        method: Callable[[AsyncStubs], grpc.aio.UnaryUnaryMultiCallable[Any, Any]],
        request: Any,
        parse: Callable[[Any], Iterable[T]],
        timeout: float | None,
    ) -> None:
        self._transport = transport
        self._method = method
        self._request = request
        self._parse = parse
        self._timeout = timeout

    async def page(self, page_token: str = "") -> Page[T]:
        """One page: the first, or the one that `next_page_token` of another names."""
        request = type(self._request)()
        request.CopyFrom(self._request)
        request.page_token = page_token
        answer = await self._transport.read(self._method, request, self._timeout)
        return Page(tuple(self._parse(answer)), answer.next_page_token)

    async def pages(self) -> AsyncIterator[Page[T]]:
        """Every page from the first on."""
        page = await self.page()
        yield page
        while page.next_page_token:
            page = await self.page(page.next_page_token)
            yield page

    async def __aiter__(self) -> AsyncIterator[T]:
        async for page in self.pages():
            for item in page.items:
                yield item

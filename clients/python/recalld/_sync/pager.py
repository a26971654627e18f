# Generated from recalld/_async by generate_sync.py: edit that.
"""Lists that come page by page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, TypeVar

import grpc

from recalld._channel import Stubs
from recalld._sync.transport import Transport
from recalld.types.pages import Page

T = TypeVar("T")


class Pager(Generic[T]):
    """Iterates over all items and fetches pages as it goes; `page` and `pages` give the pages themselves."""

    def __init__(
        self,
        transport: Transport,
        method: Callable[[Stubs], grpc.UnaryUnaryMultiCallable[Any, Any]],
        request: Any,
        parse: Callable[[Any], Iterable[T]],
        timeout: float | None,
    ) -> None:
        self._transport = transport
        self._method = method
        self._request = request
        self._parse = parse
        self._timeout = timeout

    def page(self, page_token: str = "") -> Page[T]:
        """One page: the first, or the one that `next_page_token` of another names."""
        request = type(self._request)()
        request.CopyFrom(self._request)
        request.page_token = page_token
        answer = self._transport.read(self._method, request, self._timeout)
        return Page(tuple(self._parse(answer)), answer.next_page_token)

    def pages(self) -> Iterator[Page[T]]:
        """Every page from the first on."""
        page = self.page()
        yield page
        while page.next_page_token:
            page = self.page(page.next_page_token)
            yield page

    def __iter__(self) -> Iterator[T]:
        for page in self.pages():
            yield from page.items

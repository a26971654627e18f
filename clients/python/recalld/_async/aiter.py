"""What only the asyncio front end needs."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable
from typing import TypeAlias, TypeVar

T = TypeVar("T")

Source: TypeAlias = AsyncIterable[T] | Iterable[T]
"""What a stream can be fed from."""


async def aiter_of(source: Source[T]) -> AsyncIterator[T]:
    """One way to read both kinds of source."""
    if isinstance(source, AsyncIterable):
        async for item in source:
            yield item
    else:
        for each in source:
            yield each

"""What only the asyncio front end needs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Iterable
from typing import TypeAlias, TypeVar

from recalld.errors import Cancelled

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


def cancelled() -> Cancelled:
    """What to raise when a call ended with a CancelledError, inside its handler.

    grpc.aio raises it too when only the call was cancelled, or its channel closed; when it was the task, it goes on.
    """
    task = asyncio.current_task()
    if task is None or task.cancelling():
        raise  # the CancelledError that is being handled
    return Cancelled("the call was cancelled, or its client closed")

"""A call with one answer, and what the server said behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import grpc

from recalld._calls import Metadata

if TYPE_CHECKING:
    from collections.abc import Iterable

Q = TypeVar("Q")
A = TypeVar("A")


class AsyncUnary:
    """On an asyncio channel."""

    @staticmethod
    async def call(
        method: grpc.aio.UnaryUnaryMultiCallable[Q, A], request: Q, timeout: float | None, metadata: Metadata
    ) -> tuple[A, Iterable[tuple[str, str | bytes]] | None]:
        """The answer and the trailing metadata. Raises grpc.RpcError."""
        call = method(request, timeout=timeout, metadata=metadata)
        return await call, await call.trailing_metadata()


class Unary:
    """On a blocking channel."""

    @staticmethod
    def call(
        method: grpc.UnaryUnaryMultiCallable[Q, A], request: Q, timeout: float | None, metadata: Metadata
    ) -> tuple[A, Iterable[tuple[str, str | bytes]] | None]:
        """The answer and the trailing metadata. Raises grpc.RpcError."""
        answer, call = method.with_call(request, timeout=timeout, metadata=metadata)
        return answer, call.trailing_metadata()

"""Makes calls: deadline, retries, metadata, typed errors."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Generic, Protocol, TypeVar

import grpc

from recalld._async.aiter import Source, aiter_of, cancelled  # async only
from recalld._calls import Metadata, metadata, seconds
from recalld._channel import AsyncChannel, AsyncStubs
from recalld._ending import Ending  # async only
from recalld._freshness import HEADER, Freshness
from recalld._retry import Deadline, RetryPolicy
from recalld._status import from_rpc
from recalld._tracing import calling
from recalld._unary import AsyncUnary
from recalld.config import Settings
from recalld.errors import RecalldError, Unauthenticated

T = TypeVar("T")
Q = TypeVar("Q")
A = TypeVar("A")
A_co = TypeVar("A_co", covariant=True)


class Answers(Protocol[A_co]):
    """A call whose answers come as a stream."""

    def __aiter__(self) -> AsyncIterator[A_co]: ...
    def cancel(self) -> object: ...


class AsyncTransport:
    """One channel and the rules of every call on it."""

    def __init__(self, settings: Settings, retry: RetryPolicy, timeout: float, read_timeout: float) -> None:
        self._channel = AsyncChannel(settings)
        self._key = settings.key
        self._timeout = seconds(timeout, None)
        self._read_timeout = seconds(read_timeout, None)
        self.retry = retry
        self.freshness = Freshness()

    @property
    def stubs(self) -> AsyncStubs:
        """The five services."""
        return self._channel.stubs()

    def metadata(self) -> Metadata:
        """The metadata of one call."""
        return metadata(self._key)

    async def read(
        self,
        method: Callable[[AsyncStubs], grpc.aio.UnaryUnaryMultiCallable[Q, A]],
        request: Q,
        timeout: float | None,
    ) -> A:
        """Makes a call that changes nothing."""
        return await self._call(method, request, seconds(timeout, self._read_timeout))

    async def mutate(
        self,
        method: Callable[[AsyncStubs], grpc.aio.UnaryUnaryMultiCallable[Q, A]],
        request: Q,
        timeout: float | None,
    ) -> A:
        """Makes a call that changes something; its request has a request_id."""
        try:
            return await self._call(method, request, seconds(timeout, self._timeout))
        except BaseException:  # also when it is given up: it may have changed something all the same
            self.freshness.miss()
            raise

    async def _call(
        self,
        method: Callable[[AsyncStubs], grpc.aio.UnaryUnaryMultiCallable[Q, A]],
        request: Q,
        timeout: float | None,
    ) -> A:
        deadline = Deadline(timeout)
        failures = 0
        while True:
            asked = self.freshness.begin()
            try:
                with calling(request):
                    # nothing here keeps the metadata: a traceback that shows locals must not show the key
                    answer, behind = await AsyncUnary.call(
                        method(self.stubs), request, deadline.remaining(), (*self.metadata(), (HEADER, asked.token))
                    )
                self.freshness.note(asked, behind)
                return answer
            except grpc.RpcError as error:
                failure = self._failure(error)
            except asyncio.CancelledError:  # async only
                failure = cancelled()  # async only
            failures += 1
            delay = self.retry.delay(failure, failures, deadline.remaining())
            if delay is None:
                raise failure
            await asyncio.sleep(delay)

    async def answers(self, call: Answers[A]) -> AsyncIterator[A]:
        """The answers of a stream, which is cancelled when they are not read to the end."""
        ending = Ending(call)  # async only
        try:
            async for message in call:
                self.freshness.miss()
                yield message
        except grpc.RpcError as error:
            error = ending.instead_of(error)  # async only
            raise self._failure(error) from None
        except asyncio.CancelledError:  # async only
            raise cancelled() from None  # async only
        finally:
            call.cancel()

    def _failure(self, error: grpc.RpcError) -> RecalldError:
        failure = from_rpc(error)
        if not isinstance(failure, Unauthenticated) or (self._key and failure.reason != "INVALID_CREDENTIAL"):
            return failure
        text = "no key was given: pass key=…, set RECALLD_KEY, or put it into the configuration file"
        if self._key:
            text = "the key is none of this server, was revoked, or has ended: see key=…, RECALLD_KEY, RECALLD_ADDR"
        return Unauthenticated(text, reason=failure.reason, metadata=failure.metadata)

    async def close(self) -> None:
        """Ends the channel."""
        await self._channel.close()


class Outgoing(Generic[T, Q]):
    """Feeds a stream from the caller's iterator.

    When that iterator raises, or gives what cannot be sent, the stream is ended in good order, so that what was sent
    is answered; the exception is kept for the caller in `failure`.
    """

    def __init__(self, source: Source[T], make: Callable[[int, T], Q]) -> None:
        self._source = source
        self._make = make
        self.failure: Exception | None = None

    async def messages(self) -> AsyncIterator[Q]:
        """The requests, numbered from 0."""
        sequence = 0
        try:
            async for item in aiter_of(self._source):
                yield self._make(sequence, item)
                sequence += 1
        except Exception as error:  # noqa: BLE001 - the caller's own, raised to the caller by check()
            self.failure = error

    def check(self) -> None:
        """Raises what the caller's iterator raised."""
        if self.failure is not None:
            raise self.failure

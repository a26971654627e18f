# Generated from recalld/_async by generate_sync.py: edit that.
"""Makes calls: deadline, retries, metadata, typed errors."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Generic, Protocol, TypeVar

import grpc

from recalld._calls import Metadata, metadata, seconds
from recalld._channel import Channel, Stubs
from recalld._freshness import HEADER, Freshness
from recalld._retry import Deadline, RetryPolicy
from recalld._status import from_rpc
from recalld._tracing import calling
from recalld._unary import Unary
from recalld.config import Settings
from recalld.errors import RecalldError, Unauthenticated

T = TypeVar("T")
Q = TypeVar("Q")
A = TypeVar("A")
A_co = TypeVar("A_co", covariant=True)


class Answers(Protocol[A_co]):
    """A call whose answers come as a stream."""

    def __iter__(self) -> Iterator[A_co]: ...
    def cancel(self) -> object: ...


class Transport:
    """One channel and the rules of every call on it."""

    def __init__(self, settings: Settings, retry: RetryPolicy, timeout: float, read_timeout: float) -> None:
        self._channel = Channel(settings)
        self._key = settings.key
        self._timeout = seconds(timeout, None)
        self._read_timeout = seconds(read_timeout, None)
        self.retry = retry
        self.freshness = Freshness()

    @property
    def stubs(self) -> Stubs:
        """The five services."""
        return self._channel.stubs()

    def metadata(self) -> Metadata:
        """The metadata of one call."""
        return metadata(self._key)

    def read(
        self,
        method: Callable[[Stubs], grpc.UnaryUnaryMultiCallable[Q, A]],
        request: Q,
        timeout: float | None,
    ) -> A:
        """Makes a call that changes nothing."""
        return self._call(method, request, seconds(timeout, self._read_timeout))

    def mutate(
        self,
        method: Callable[[Stubs], grpc.UnaryUnaryMultiCallable[Q, A]],
        request: Q,
        timeout: float | None,
    ) -> A:
        """Makes a call that changes something; its request has a request_id."""
        try:
            return self._call(method, request, seconds(timeout, self._timeout))
        except BaseException:  # also when it is given up: it may have changed something all the same
            self.freshness.miss()
            raise

    def _call(
        self,
        method: Callable[[Stubs], grpc.UnaryUnaryMultiCallable[Q, A]],
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
                    answer, behind = Unary.call(
                        method(self.stubs), request, deadline.remaining(), (*self.metadata(), (HEADER, asked.token))
                    )
                self.freshness.note(asked, behind)
                return answer
            except grpc.RpcError as error:
                failure = self._failure(error)
            failures += 1
            delay = self.retry.delay(failure, failures, deadline.remaining())
            if delay is None:
                raise failure
            time.sleep(delay)

    def answers(self, call: Answers[A]) -> Iterator[A]:
        """The answers of a stream, which is cancelled when they are not read to the end."""
        try:
            for message in call:
                self.freshness.miss()
                yield message
        except grpc.RpcError as error:
            raise self._failure(error) from None
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

    def close(self) -> None:
        """Ends the channel."""
        self._channel.close()


class Outgoing(Generic[T, Q]):
    """Feeds a stream from the caller's iterator.

    When that iterator raises, or gives what cannot be sent, the stream is ended in good order, so that what was sent
    is answered; the exception is kept for the caller in `failure`.
    """

    def __init__(self, source: Iterable[T], make: Callable[[int, T], Q]) -> None:
        self._source = source
        self._make = make
        self.failure: Exception | None = None

    def messages(self) -> Iterator[Q]:
        """The requests, numbered from 0."""
        sequence = 0
        try:
            for item in iter(self._source):
                yield self._make(sequence, item)
                sequence += 1
        except Exception as error:  # noqa: BLE001 - the caller's own, raised to the caller by check()
            self.failure = error

    def check(self) -> None:
        """Raises what the caller's iterator raised."""
        if self.failure is not None:
            raise self.failure

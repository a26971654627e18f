"""Channels: how the client speaks to the server, and to which process or event loop a channel belongs."""

from __future__ import annotations

import asyncio
import json
import os
import threading
import weakref
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import grpc

from recalld._target import Target, parse
from recalld._version import __version__
from recalld.config import Settings
from recalld.errors import ConfigurationError, WrongLoop
from recalld.v1.memory_service_pb2_grpc import MemoryServiceStub
from recalld.v1.namespace_service_pb2_grpc import NamespaceServiceStub
from recalld.v1.review_service_pb2_grpc import ReviewServiceStub
from recalld.v1.session_service_pb2_grpc import SessionServiceStub
from recalld.v1.watch_service_pb2_grpc import WatchServiceStub

if TYPE_CHECKING:
    from recalld.v1.memory_service_pb2_grpc import MemoryServiceAsyncStub
    from recalld.v1.namespace_service_pb2_grpc import NamespaceServiceAsyncStub
    from recalld.v1.review_service_pb2_grpc import ReviewServiceAsyncStub
    from recalld.v1.session_service_pb2_grpc import SessionServiceAsyncStub
    from recalld.v1.watch_service_pb2_grpc import WatchServiceAsyncStub

MAX_MESSAGE_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Stubs:
    """The five services on a blocking channel."""

    memory: MemoryServiceStub
    session: SessionServiceStub
    namespace: NamespaceServiceStub
    review: ReviewServiceStub
    watch: WatchServiceStub


@dataclass(frozen=True, slots=True)
class AsyncStubs:
    """The five services on an asyncio channel."""

    memory: MemoryServiceAsyncStub
    session: SessionServiceAsyncStub
    namespace: NamespaceServiceAsyncStub
    review: ReviewServiceAsyncStub
    watch: WatchServiceAsyncStub


class Channel:
    """One blocking channel, opened at the first call and shared by every thread.

    A process that was forked opens a channel of its own, since two processes on one connection would mix their calls.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._target, self._credentials = _prepare(settings)
        self._lock = threading.Lock()
        self._channel: grpc.Channel | None = None
        self._stubs: Stubs | None = None
        self._inherited: list[grpc.Channel] = []
        self._closed = False
        _open.add(self)

    def stubs(self) -> Stubs:
        """The stubs of this process's channel. Raises ConfigurationError when the client is closed."""
        with self._lock:
            if self._closed:
                raise ConfigurationError("this client is closed: make another")
            if self._stubs is None:
                options = channel_options(self._target)
                if self._credentials is None:
                    self._channel = grpc.insecure_channel(self._target.uri, options)
                else:
                    self._channel = grpc.secure_channel(self._target.uri, self._credentials, options)
                channel = self._channel
                self._stubs = Stubs(
                    MemoryServiceStub(channel),
                    SessionServiceStub(channel),
                    NamespaceServiceStub(channel),
                    ReviewServiceStub(channel),
                    WatchServiceStub(channel),
                )
            return self._stubs

    def close(self) -> None:
        """Ends the channel and the calls on it. Can be called again."""
        with self._lock:
            self._closed = True
            channel, self._channel, self._stubs = self._channel, None, None
        if channel is not None:
            channel.close()

    def forked(self) -> None:
        """Called in the child after a fork."""
        self._lock = threading.Lock()  # another thread of the parent may have held the old one
        if self._channel is not None:
            # Kept, not closed: closing would say goodbye on the parent's connection.
            self._inherited.append(self._channel)
        self._channel = self._stubs = None


_open: weakref.WeakSet[Channel] = weakref.WeakSet()


def _forked() -> None:
    for channel in _open:
        channel.forked()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


class AsyncChannel:
    """One asyncio channel, opened at the first call and bound to that event loop."""

    def __init__(self, settings: Settings) -> None:
        self._target, self._credentials = _prepare(settings)
        self._owner: tuple[asyncio.AbstractEventLoop, int] | None = None
        self._channel: grpc.aio.Channel | None = None
        self._stubs: AsyncStubs | None = None
        self._closed = False

    def stubs(self) -> AsyncStubs:
        """The stubs. Raises WrongLoop on another event loop or in a forked process, ConfigurationError when closed."""
        if self._closed:
            raise ConfigurationError("this client is closed: make another")
        here = (asyncio.get_running_loop(), os.getpid())
        if self._stubs is None:
            self._owner = here
            options = channel_options(self._target)
            if self._credentials is None:
                self._channel = grpc.aio.insecure_channel(self._target.uri, options)
            else:
                self._channel = grpc.aio.secure_channel(self._target.uri, self._credentials, options)
            channel = self._channel
            self._stubs = AsyncStubs(
                MemoryServiceStub(channel),
                SessionServiceStub(channel),
                NamespaceServiceStub(channel),
                ReviewServiceStub(channel),
                WatchServiceStub(channel),
            )
        elif self._owner != here:
            where = "event loop" if self._owner and self._owner[1] == here[1] else "process"
            raise WrongLoop(f"this AsyncClient was first used in another {where}: make one for each")
        return self._stubs

    async def close(self) -> None:
        """Ends the channel and the calls on it. Can be called again."""
        self._closed = True
        channel, self._channel, self._stubs = self._channel, None, None
        if channel is not None:
            await channel.close()


def channel_options(target: Target) -> list[tuple[str, Any]]:
    """Every option that matters, said aloud."""
    options: list[tuple[str, Any]] = [
        ("grpc.primary_user_agent", f"recalld-python/{__version__}"),
        ("grpc.max_send_message_length", MAX_MESSAGE_BYTES),
        ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
        ("grpc.keepalive_time_ms", 30_000),
        ("grpc.keepalive_timeout_ms", 10_000),
        ("grpc.keepalive_permit_without_calls", 0),
        ("grpc.initial_reconnect_backoff_ms", 200),
        ("grpc.min_reconnect_backoff_ms", 1_000),
        ("grpc.max_reconnect_backoff_ms", 5_000),
        # No time-out here: one in a service config fires early. No retries either: ours honour RetryInfo.
        ("grpc.service_config", json.dumps({"loadBalancingConfig": [{"round_robin": {}}]})),
        ("grpc.enable_retries", 0),
    ]
    if target.loopback:
        options.append(("grpc.enable_http_proxy", 0))
    return options


def _prepare(settings: Settings) -> tuple[Target, grpc.ChannelCredentials | None]:
    target = parse(settings.addr)
    if settings.tls:
        return target, grpc.ssl_channel_credentials(
            _read("ca_file", settings.ca_file),
            _read("cert_key_file", settings.cert_key_file),
            _read("cert_file", settings.cert_file),
        )
    if not target.loopback and not settings.insecure:
        raise ConfigurationError(
            "addr: is not on this machine, and without TLS the key and the memories would travel in the clear: "
            "set tls, or insecure if the network is trusted"
        )
    return target, None


def _read(name: str, path: str) -> bytes | None:
    if not path:
        return None
    try:
        return Path(path).expanduser().read_bytes()
    except OSError as error:
        raise ConfigurationError(f"{name} {path}: {error.strerror or 'cannot be read'}") from None

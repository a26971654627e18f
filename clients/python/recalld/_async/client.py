"""The client itself, and views of it."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Self

from recalld import config
from recalld._async.admin import AsyncGrants, AsyncKeys, AsyncNamespaces
from recalld._async.changing import AsyncChanging
from recalld._async.finding import AsyncFinding
from recalld._async.forgetting import AsyncForgetting
from recalld._async.memories import AsyncMemories
from recalld._async.moving import AsyncMoving
from recalld._async.pager import AsyncPager
from recalld._async.reflecting import AsyncReflecting
from recalld._async.reviewing import AsyncReviewing
from recalld._async.sessions import AsyncSessions
from recalld._async.transport import AsyncTransport
from recalld._async.watching import AsyncWatching
from recalld._convert.build import build
from recalld._convert.filters import to_time_range
from recalld._convert.namespaces import from_audit_event
from recalld._retry import RetryPolicy
from recalld.filters import TimeRangeLike
from recalld.types.namespaces import AuditEvent
from recalld.v1 import namespace_service_pb2 as sv


class AsyncNamespaceView(
    AsyncMemories,
    AsyncFinding,
    AsyncChanging,
    AsyncForgetting,
    AsyncReflecting,
    AsyncSessions,
    AsyncReviewing,
    AsyncWatching,
    AsyncMoving,
):
    """Every verb on one namespace."""

    @property
    def name(self) -> str:
        """The namespace that the verbs are bound to."""
        return self._namespace

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._namespace}>"


class AsyncClient(AsyncNamespaceView):
    """Speaks to a recalld server; its verbs are bound to the default namespace.

    Opens one channel at the first call and keeps it: make one client and share it. It belongs to the event loop of
    its first call.
    """

    def __init__(
        self,
        addr: str | None = None,
        *,
        key: str | None = None,
        namespace: str | None = None,
        tls: bool | None = None,
        ca_file: str | PathLike[str] | None = None,
        cert_file: str | PathLike[str] | None = None,
        cert_key_file: str | PathLike[str] | None = None,
        insecure: bool | None = None,
        timeout: float = 30.0,
        read_timeout: float = 10.0,
        retry: RetryPolicy | None = None,
        config_file: str | PathLike[str] | None = None,
    ) -> None:
        """Makes no call. What is None comes from RECALLD_* and the configuration file (see `recalld.config`).

        `addr` is host:port (default 127.0.0.1:50051) or unix:path. Without `tls`, only addresses of this machine are
        allowed, unless `insecure` says that the network is trusted. `timeout` seconds bound a mutation, `read_timeout`
        a read, retries included; each verb takes its own `timeout`, float("inf") for none. Raises ConfigurationError.
        """
        files = {"ca_file": ca_file, "cert_file": cert_file, "cert_key_file": cert_key_file}
        settings = config.load(
            {
                "addr": addr,
                "key": key,
                "namespace": namespace,
                "tls": tls,
                "insecure": insecure,
                **{name: None if path is None else str(path) for name, path in files.items()},
            },
            None if config_file is None else Path(config_file),
        )
        super().__init__(AsyncTransport(settings, retry or RetryPolicy(), timeout, read_timeout), settings.namespace)
        self.addr = settings.addr
        self.namespaces = AsyncNamespaces(self._transport)
        self.grants = AsyncGrants(self._transport)
        self.keys = AsyncKeys(self._transport)

    @property
    def read_after(self) -> str:
        """How new the answers of this client's reads are at least, where standbys answer them: they have all that it wrote
        and was told of. Another client that is given it reads no less, in another process too."""
        return self._transport.freshness.token

    @read_after.setter
    def read_after(self, token: str) -> None:
        self._transport.freshness.at_least(token)

    def namespace(self, name: str) -> AsyncNamespaceView:
        """The verbs bound to another namespace, on the same channel."""
        return AsyncNamespaceView(self._transport, name)

    def audit_events(
        self,
        *,
        namespace: str | None = None,
        range: TimeRangeLike | None = None,
        agent_id: str | None = None,
        page_size: int | None = None,
        timeout: float | None = None,
    ) -> AsyncPager[AuditEvent]:
        """Lists who did what, latest first, in one namespace or in the whole tenant. Needs ADMIN."""
        request = build(
            sv.ListAuditEventsRequest,
            namespace=namespace,
            range=to_time_range(range, "range"),
            agent_id=agent_id,
            page_size=page_size,
        )
        return AsyncPager(
            self._transport,
            lambda stubs: stubs.namespace.ListAuditEvents,
            request,
            lambda answer: map(from_audit_event, answer.events),
            timeout,
        )

    async def close(self) -> None:
        """Ends the channel and the calls on it. Can be called again."""
        await self._transport.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.addr} namespace={self._namespace}>"

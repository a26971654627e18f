# Generated from recalld/_async by generate_sync.py: edit that.
"""The client itself, and views of it."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Self

from recalld import config
from recalld._convert.build import build
from recalld._convert.filters import to_time_range
from recalld._convert.namespaces import from_audit_event
from recalld._retry import RetryPolicy
from recalld._sync.admin import Grants, Keys, Namespaces
from recalld._sync.changing import Changing
from recalld._sync.finding import Finding
from recalld._sync.forgetting import Forgetting
from recalld._sync.memories import Memories
from recalld._sync.moving import Moving
from recalld._sync.pager import Pager
from recalld._sync.reflecting import Reflecting
from recalld._sync.reviewing import Reviewing
from recalld._sync.sessions import Sessions
from recalld._sync.transport import Transport
from recalld._sync.watching import Watching
from recalld.filters import TimeRangeLike
from recalld.types.namespaces import AuditEvent
from recalld.v1 import namespace_service_pb2 as sv


class NamespaceView(
    Memories,
    Finding,
    Changing,
    Forgetting,
    Reflecting,
    Sessions,
    Reviewing,
    Watching,
    Moving,
):
    """Every verb on one namespace."""

    @property
    def name(self) -> str:
        """The namespace that the verbs are bound to."""
        return self._namespace

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._namespace}>"


class Client(NamespaceView):
    """Speaks to a recalld server; its verbs are bound to the default namespace.

    Opens one channel at the first call and keeps it: make one client and share it. Threads may
    share it; a forked process opens a channel of its own.
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
        super().__init__(Transport(settings, retry or RetryPolicy(), timeout, read_timeout), settings.namespace)
        self.addr = settings.addr
        self.namespaces = Namespaces(self._transport)
        self.grants = Grants(self._transport)
        self.keys = Keys(self._transport)

    @property
    def read_after(self) -> str:
        """How new the answers of this client's reads are at least, where standbys answer them: they have all that it wrote
        and was told of. Another client that is given it reads no less, in another process too."""
        return self._transport.freshness.token

    @read_after.setter
    def read_after(self, token: str) -> None:
        self._transport.freshness.at_least(token)

    def namespace(self, name: str) -> NamespaceView:
        """The verbs bound to another namespace, on the same channel."""
        return NamespaceView(self._transport, name)

    def audit_events(
        self,
        *,
        namespace: str | None = None,
        range: TimeRangeLike | None = None,
        agent_id: str | None = None,
        page_size: int | None = None,
        timeout: float | None = None,
    ) -> Pager[AuditEvent]:
        """Lists who did what, latest first, in one namespace or in the whole tenant. Needs ADMIN."""
        request = build(
            sv.ListAuditEventsRequest,
            namespace=namespace,
            range=to_time_range(range, "range"),
            agent_id=agent_id,
            page_size=page_size,
        )
        return Pager(
            self._transport,
            lambda stubs: stubs.namespace.ListAuditEvents,
            request,
            lambda answer: map(from_audit_event, answer.events),
            timeout,
        )

    def close(self) -> None:
        """Ends the channel and the calls on it. Can be called again."""
        self._transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.addr} namespace={self._namespace}>"

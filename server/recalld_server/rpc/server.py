"""The gRPC server: its options, its services, its start and its end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection, reflection_pb2

from recalld_server.core.identity import Identity
from recalld_server.core.limits import Fairness
from recalld_server.core.services import Core
from recalld_server.rpc.calls import SERVICES
from recalld_server.rpc.denied import Denied
from recalld_server.rpc.fairness import FairShare
from recalld_server.rpc.handlers import handlers
from recalld_server.rpc.interceptors import Authentication, Errors, Validation
from recalld_server.rpc.memory import MemoryServicer
from recalld_server.rpc.namespace import NamespaceServicer
from recalld_server.rpc.read_after import ReadAfterWrite
from recalld_server.rpc.review import ReviewServicer
from recalld_server.rpc.session import SessionServicer
from recalld_server.rpc.tls import Certificates, TlsOptions
from recalld_server.rpc.tracing import Tracing
from recalld_server.rpc.validation import warm
from recalld_server.rpc.watch import WatchServicer
from recalld_server.store.base import Positions

DEPENDENCY = "recalld.dependency."
"""Begins the names under which health tells of what the server depends on."""
_SERVING = health_pb2.HealthCheckResponse.SERVING
_NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING
_UNCOMPRESSED = 1 << grpc.Compression.NoCompression
REFLECTIONS = ("grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection")
"""Clients ask for either; the package has the older name only, but the messages of both are the same."""


@dataclass(frozen=True, slots=True)
class RpcSettings:
    """How the API is served."""

    listen: str = "127.0.0.1:50051"
    """HOST:PORT or unix:PATH; port 0 lets the system choose."""
    max_message_bytes: int = 16 * 1024 * 1024
    max_metadata_bytes: int = 16 * 1024
    max_concurrent_rpcs: int = 1000
    """Calls beyond these are refused with RESOURCE_EXHAUSTED."""
    keepalive_seconds: int = 60
    keepalive_timeout_seconds: int = 20
    min_ping_interval_seconds: int = 10
    """Clients that ping more often are cut off; gRPC's own default of five minutes cuts off most."""
    connection_age_seconds: int = 600
    """Connections are renewed after this time, so that callers spread over new servers."""
    connection_age_grace_seconds: int = 30
    compression: bool = False
    """Takes compressed requests and compresses answers for those who take that. Off: a small request cannot become a large one
    before anybody has looked at it."""
    tls: TlsOptions | None = None
    """None: whoever can listen in can read."""
    reuse_port: bool = True
    """Lets several processes listen on the port."""

    def options(self) -> list[tuple[str, int]]:
        """As gRPC names them."""
        return [
            ("grpc.max_receive_message_length", self.max_message_bytes),
            ("grpc.max_send_message_length", self.max_message_bytes),
            ("grpc.max_metadata_size", self.max_metadata_bytes),
            ("grpc.keepalive_time_ms", self.keepalive_seconds * 1000),
            ("grpc.keepalive_timeout_ms", self.keepalive_timeout_seconds * 1000),
            ("grpc.keepalive_permit_without_calls", 1),
            ("grpc.http2.min_ping_interval_without_data_ms", self.min_ping_interval_seconds * 1000),
            ("grpc.max_connection_age_ms", self.connection_age_seconds * 1000),
            ("grpc.max_connection_age_grace_ms", self.connection_age_grace_seconds * 1000),
            ("grpc.so_reuseport", int(self.reuse_port)),
            *([] if self.compression else [("grpc.compression_enabled_algorithms_bitset", _UNCOMPRESSED)]),
        ]


def servicers(core: Core) -> dict[str, object]:
    """Who serves which service; a service that is missing here, and a method that its servicer lacks, is UNIMPLEMENTED."""
    return {
        "recalld.v1.MemoryService": MemoryServicer(core),
        "recalld.v1.NamespaceService": NamespaceServicer(core),
        "recalld.v1.ReviewService": ReviewServicer(core),
        "recalld.v1.SessionService": SessionServicer(core),
        "recalld.v1.WatchService": WatchServicer(core),
    }


class ListenError(Exception):
    """The address cannot be listened on; the message names it."""


class RpcServer:
    """Serves the contract, health and reflection. Construct it inside the event loop."""

    def __init__(
        self,
        core: Core,
        settings: RpcSettings,
        *,
        interceptors: Sequence[grpc.aio.ServerInterceptor] = (),
        fairness: Fairness | None = None,
        identity: Identity | None = None,
        positions: Positions | None = None,
        on_drain: Callable[[], None] = lambda: None,
    ) -> None:
        """`interceptors` go around recalld's own: they see statuses, not exceptions. Without `fairness` no tenant has any
        limit, without `identity` callers are known by keys alone, without `positions` no read is answered by a
        standby. `on_drain` asks streams to end that would not end by themselves."""
        self._on_drain = on_drain
        self._settings = settings
        shares = [FairShare(fairness)] if fairness else []
        self._server = grpc.aio.server(
            interceptors=[
                *interceptors,
                Tracing(),
                Errors(),
                Authentication(identity or Identity(core.keys)),
                Denied(core.audit),
                *shares,
                *([ReadAfterWrite(positions)] if positions else []),
                Validation(),
            ],
            options=settings.options(),
            maximum_concurrent_rpcs=settings.max_concurrent_rpcs,
            compression=grpc.Compression.Gzip if settings.compression else None,
        )
        serving = servicers(core)
        for service in SERVICES:
            self._add(service.full_name, handlers(service, serving.get(service.full_name)))
        self._health = health.aio.HealthServicer()
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        self._add_reflection()

    async def start(self) -> str:
        """Listens and says SERVING. Returns HOST:PORT. Raises ListenError when the address cannot be had."""
        warm()
        await self._set_health(_NOT_SERVING)
        listen = self._settings.listen
        try:
            if self._settings.tls is None:
                port = self._server.add_insecure_port(listen)
            else:
                port = self._server.add_secure_port(listen, Certificates(self._settings.tls).credentials())
        except RuntimeError:
            raise ListenError(
                f"RECALLD_LISTEN: {listen} cannot be had: is another server there? Stop it, or give another address"
            ) from None
        await self._server.start()
        await self._set_health(_SERVING)
        return listen if listen.startswith("unix:") else f"{listen.rpartition(':')[0]}:{port}"

    async def stop(self, *, drain: float = 0.0, grace: float = 10.0) -> None:
        """Says NOT_SERVING, still answers for `drain` seconds, then lets calls under way end for `grace` seconds."""
        await self._health.enter_graceful_shutdown()
        await asyncio.sleep(drain)
        self._on_drain()
        await self._server.stop(grace)

    async def report(self, dependencies: Mapping[str, bool], serving: bool) -> None:
        """Lets health tell which dependencies are there, each as a service of its own, and whether the server serves."""
        for name, there in dependencies.items():
            await self._health.set(f"{DEPENDENCY}{name}", _SERVING if there else _NOT_SERVING)
        await self._set_health(_SERVING if serving else _NOT_SERVING)

    async def _set_health(self, status: int) -> None:
        for name in ("", *(service.full_name for service in SERVICES)):
            await self._health.set(name, status)

    def _add(self, name: str, methods: dict[str, grpc.RpcMethodHandler[Any, Any]]) -> None:
        self._server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(name, methods),))
        self._server.add_registered_method_handlers(name, methods)

    def _add_reflection(self) -> None:
        names = [service.full_name for service in SERVICES]
        servicer = reflection.aio.ReflectionServicer([*names, health.SERVICE_NAME, *REFLECTIONS])
        stream = grpc.stream_stream_rpc_method_handler(
            servicer.ServerReflectionInfo,
            request_deserializer=reflection_pb2.ServerReflectionRequest.FromString,
            response_serializer=reflection_pb2.ServerReflectionResponse.SerializeToString,
        )
        for name in REFLECTIONS:
            self._add(name, {"ServerReflectionInfo": stream})

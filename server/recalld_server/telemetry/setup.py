"""Where spans and figures go. The exporters' libraries are loaded only when something is configured."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from threading import Thread
from typing import TYPE_CHECKING, Any, Literal

import structlog

from recalld_server.telemetry.metrics import use_meter
from recalld_server.telemetry.tracing import use_tracer

if TYPE_CHECKING:
    from opentelemetry.sdk.metrics.export import MetricReader
    from opentelemetry.sdk.resources import Resource

log = structlog.get_logger(__name__)

SCOPE = "recalld"
CLOSE_SECONDS = 3.0
"""What is not delivered by then when the server stops is dropped."""
EXPORT_SECONDS = 5.0
FIGURES_SECONDS = 15.0


class TelemetrySetupError(Exception):
    """Telemetry cannot be set up as it is configured; the message says what to install or to change."""


@dataclass(frozen=True, slots=True)
class TelemetryOptions:
    """What is collected, and for whom."""

    otlp_endpoint: str = ""
    """URL of a collector (http://host:4317 for gRPC, http://host:4318 for HTTP); empty: nothing is sent."""
    otlp_protocol: Literal["grpc", "http"] = "grpc"
    otlp_headers: str = ""
    """key=value,key=value, for collectors that ask who sends."""
    sample_ratio: float = 1.0
    """Share of traces that begin here; a caller's decision is kept."""
    metrics_host: str = ""
    metrics_port: int = 0
    """Where Prometheus may ask, at /metrics; no host: nowhere."""

    @property
    def wanted(self) -> bool:
        return bool(self.otlp_endpoint or self.metrics_host)


class Telemetry:
    """What was started. `close` delivers what waits, but never keeps a stopping server for long."""

    def __init__(self) -> None:
        self._closing: list[Callable[[], object]] = []

    async def close(self) -> None:
        use_tracer(None)
        use_meter(None)
        done, loop = asyncio.Event(), asyncio.get_running_loop()

        def deliver() -> None:
            for each in self._closing:
                each()
            with suppress(RuntimeError):  # the loop has ended: nobody waits any more
                loop.call_soon_threadsafe(done.set)

        # a daemon, since the loop's own threads are waited for when it ends
        Thread(target=deliver, name="telemetry", daemon=True).start()
        try:
            async with asyncio.timeout(CLOSE_SECONDS):
                await done.wait()
        except TimeoutError:
            log.warning("telemetry that waited was dropped, the collector does not answer")


def start_telemetry(options: TelemetryOptions) -> Telemetry:
    """Starts what is wanted; with nothing wanted nothing is loaded. Raises TelemetrySetupError."""
    telemetry = Telemetry()
    if options.wanted:
        try:
            _start(options, telemetry._closing)
        except ImportError as error:
            raise TelemetrySetupError(
                f"{error.name} is not installed: pip install 'recalld-server[telemetry]'"
            ) from error
    return telemetry


def _start(options: TelemetryOptions, closing: list[Callable[[], object]]) -> None:
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.resources import Resource

    # an exporter tells each failure to the log; that a collector is away is nothing that the server suffers from
    logging.getLogger("opentelemetry.exporter").setLevel(logging.CRITICAL)
    resource = Resource.create(
        {
            "service.name": "recalld",
            "service.version": version("recalld-server"),
            "service.instance.id": str(uuid.uuid4()),
        }
    )
    readers: list[MetricReader] = []
    if options.otlp_endpoint:
        _trace(options, resource, closing)
        readers.append(_sent_figures(options))
    if options.metrics_host:
        readers.append(_asked_figures(options, closing))
    meters = MeterProvider(readers, resource, shutdown_on_exit=False)
    closing.append(lambda: meters.shutdown(timeout_millis=CLOSE_SECONDS * 1000))
    use_meter(meters.get_meter(SCOPE))


def _trace(options: TelemetryOptions, resource: Resource, closing: list[Callable[[], object]]) -> None:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor
    from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased

    exporter: Any
    if options.otlp_protocol == "grpc":
        from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter as Grpc

        exporter = Grpc(options.otlp_endpoint, **_sending(options))
    else:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter as Http

        exporter = Http(f"{options.otlp_endpoint.rstrip('/')}/v1/traces", **_sending(options))
    sampler = ParentBased(TraceIdRatioBased(options.sample_ratio))
    tracers = TracerProvider(sampler, resource, shutdown_on_exit=False)
    tracers.add_span_processor(BatchSpanProcessor(exporter))
    closing.append(tracers.shutdown)
    use_tracer(tracers.get_tracer(SCOPE))


def _sent_figures(options: TelemetryOptions) -> MetricReader:
    from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader

    exporter: Any
    if options.otlp_protocol == "grpc":
        from opentelemetry.exporter.otlp.proto.grpc.metric_exporter import OTLPMetricExporter as Grpc

        exporter = Grpc(options.otlp_endpoint, **_sending(options))
    else:
        from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter as Http

        exporter = Http(f"{options.otlp_endpoint.rstrip('/')}/v1/metrics", **_sending(options))
    return PeriodicExportingMetricReader(exporter, FIGURES_SECONDS * 1000, EXPORT_SECONDS * 1000)


def _sending(options: TelemetryOptions) -> dict[str, Any]:
    headers = dict(part.split("=", 1) for part in options.otlp_headers.split(",") if "=" in part)
    sending: dict[str, Any] = {"headers": headers, "timeout": EXPORT_SECONDS}
    if options.otlp_protocol == "grpc":
        sending["insecure"] = not options.otlp_endpoint.startswith("https://")
    return sending


def _asked_figures(options: TelemetryOptions, closing: list[Callable[[], object]]) -> MetricReader:
    from opentelemetry.exporter.prometheus import PrometheusMetricReader
    from prometheus_client import GC_COLLECTOR, PLATFORM_COLLECTOR, PROCESS_COLLECTOR, start_http_server
    from prometheus_client.registry import CollectorRegistry

    registry = CollectorRegistry()
    for collector in (PROCESS_COLLECTOR, GC_COLLECTOR, PLATFORM_COLLECTOR):
        registry.register(collector)
    try:
        server, thread = start_http_server(options.metrics_port, options.metrics_host, registry)
    except OSError as error:
        raise TelemetrySetupError(
            f"RECALLD_METRICS_LISTEN: {options.metrics_host}:{options.metrics_port} cannot be had ({error.strerror})"
        ) from error

    def close() -> None:
        server.shutdown()
        server.server_close()
        thread.join()

    closing.append(close)
    return PrometheusMetricReader(scope_info_enabled=False, registry=registry)

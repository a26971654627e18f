"""A collector in this process: takes spans over OTLP/gRPC on loopback, and shows a trace as a tree."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Condition
from typing import Any

import grpc
from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2 as metrics_pb
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as pb
from rich.text import Text
from rich.tree import Tree

_EXPORT = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
_FIGURES = "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export"
_SERVER, _CLIENT = 2, 3
_FAILED = 2


@dataclass(frozen=True, slots=True)
class ReceivedSpan:
    """A span as it arrived. Times in nanoseconds since 1970."""

    name: str
    service: str
    trace_id: str
    span_id: str
    parent_id: str
    kind: int
    failed: str
    attributes: Mapping[str, str | int | float | bool]
    links: tuple[str, ...]
    events: int
    start: int
    end: int

    @property
    def milliseconds(self) -> float:
        return (self.end - self.start) / 1e6


class Receiver(grpc.GenericRpcHandler):
    """What was received so far. Threads may share it."""

    def __init__(self) -> None:
        self.endpoint = ""
        self._spans: list[ReceivedSpan] = []
        self._figures: set[str] = set()
        self._arrived = Condition()

    def service(self, details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler[Any, Any] | None:
        if details.method == _FIGURES:
            return grpc.unary_unary_rpc_method_handler(
                self._take_figures,
                metrics_pb.ExportMetricsServiceRequest.FromString,
                metrics_pb.ExportMetricsServiceResponse.SerializeToString,
            )
        if details.method != _EXPORT:
            return None
        return grpc.unary_unary_rpc_method_handler(
            self._take, pb.ExportTraceServiceRequest.FromString, pb.ExportTraceServiceResponse.SerializeToString
        )

    @property
    def spans(self) -> list[ReceivedSpan]:
        with self._arrived:
            return list(self._spans)

    def wait_for(self, name: str, trace_id: str = "", *, service: str = "", seconds: float = 30.0) -> ReceivedSpan:
        """The first span of this name; of this trace and service where they are given. Raises TimeoutError."""
        until = time.monotonic() + seconds
        with self._arrived:
            while True:
                for span in self._spans:
                    if span.name == name and trace_id in ("", span.trace_id) and service in ("", span.service):
                        return span
                if not self._arrived.wait(max(0.0, until - time.monotonic())):
                    raise TimeoutError(f"no span named {name} arrived; {sorted({s.name for s in self._spans})} did")

    def trace(self, trace_id: str) -> list[ReceivedSpan]:
        """The spans of a trace by their start."""
        return sorted((span for span in self.spans if span.trace_id == trace_id), key=lambda span: span.start)

    def wait_for_figure(self, name: str, *, seconds: float = 60.0) -> None:
        """Returns when a metric of this name has arrived. Raises TimeoutError."""
        with self._arrived:
            if not self._arrived.wait_for(lambda: name in self._figures, seconds):
                raise TimeoutError(f"no metric named {name} arrived; {sorted(self._figures)} did")

    def _take_figures(
        self, request: metrics_pb.ExportMetricsServiceRequest, _: object
    ) -> metrics_pb.ExportMetricsServiceResponse:
        with self._arrived:
            for resource in request.resource_metrics:
                self._figures.update(metric.name for scope in resource.scope_metrics for metric in scope.metrics)
            self._arrived.notify_all()
        return metrics_pb.ExportMetricsServiceResponse()

    def _take(self, request: pb.ExportTraceServiceRequest, _: object) -> pb.ExportTraceServiceResponse:
        found = [
            _received(span, resource.resource.attributes)
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]
        with self._arrived:
            self._spans += found
            self._arrived.notify_all()
        return pb.ExportTraceServiceResponse()


@contextmanager
def receiving() -> Iterator[Receiver]:
    """A receiver that listens on a port of loopback for the length of a with block."""
    receiver = Receiver()
    server = grpc.server(ThreadPoolExecutor(2))
    server.add_generic_rpc_handlers((receiver,))
    receiver.endpoint = f"http://127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    server.start()
    try:
        yield receiver
    finally:
        server.stop(0).wait()


def tree(spans: list[ReceivedSpan]) -> Tree:
    """A trace from its roots down, each span with its milliseconds and the figures that it carries."""
    known = {span.span_id for span in spans}
    root = Tree("[bold]trace[/]", guide_style="dim")
    branches: dict[str, Tree] = {}
    for span in spans:  # a parent starts before its children
        above = branches.get(span.parent_id, root)
        branches[span.span_id] = above.add(_line(span, orphan=bool(span.parent_id) and span.parent_id not in known))
    return root


def _line(span: ReceivedSpan, *, orphan: bool) -> Text:
    style = "red" if span.failed else "cyan" if span.kind == _SERVER else "green" if span.kind == _CLIENT else ""
    line = Text(f"{span.milliseconds:8.2f} ms  ", style="dim").append(span.name, style or "default")
    figures = [f"{key.removeprefix('recalld.')}={span.attributes[key]}" for key in span.attributes if "recalld." in key]
    line.append(f"  {span.service}" if span.kind == _SERVER else "", style="dim")
    line.append("  " + " ".join(figures) if figures else "", style="dim")
    line.append(f"  {span.failed}" if span.failed else "", style="bold red")
    return line.append("  (its parent was not collected)" if orphan else "", style="dim")


def _received(span: Any, resource: Any) -> ReceivedSpan:
    def plain(pairs: Any) -> dict[str, str | int | float | bool]:
        return {pair.key: getattr(pair.value, pair.value.WhichOneof("value") or "string_value") for pair in pairs}

    return ReceivedSpan(
        span.name,
        str(plain(resource).get("service.name", "")),
        span.trace_id.hex(),
        span.span_id.hex(),
        span.parent_span_id.hex(),
        span.kind,
        (span.status.message or "failed") if span.status.code == _FAILED else "",
        plain(span.attributes),
        tuple(link.trace_id.hex() for link in span.links),
        len(span.events),
        span.start_time_unix_nano,
        span.end_time_unix_nano,
    )

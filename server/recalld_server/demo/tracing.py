"""The demo's last step: what one Search is made of, as the spans of its trace say."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from recalld import Client
from recalld_server.demo.receiver import Receiver, receiving, tree
from recalld_server.demo.screen import Screen

SEARCH = "recalld.v1.MemoryService/Search"
QUESTION = "林乔不能吃什么? What must Lin not eat?"


class Collected:
    """The spans of this process and of its server, collected by this process."""

    def __init__(self, receiver: Receiver) -> None:
        self._receiver = receiver
        # spans shall arrive while somebody watches
        self.environment = {"RECALLD_OTLP_ENDPOINT": receiver.endpoint, "OTEL_BSP_SCHEDULE_DELAY": "200"}

    def show(self, screen: Screen, client: Client) -> None:
        """Makes one search and prints its trace."""
        from opentelemetry import trace

        screen.step("One Search, traced", "from the caller through the server's stages to SQL, over OTLP")
        with trace.get_tracer("recalld.demo").start_as_current_span("an agent asks") as span:
            trace_id = f"{span.get_span_context().trace_id:032x}"
            client.search(QUESTION, top_k=3)
        self._receiver.wait_for(SEARCH, trace_id, service="recalld")
        spans = self._receiver.trace(trace_id)
        screen.console.print(tree(spans))
        statements = [each for each in spans if "db.system.name" in each.attributes]
        screen.expect(f"{len(spans)} spans of two processes in one trace", len({s.service for s in spans}) == 2)
        screen.expect(f"{len(statements)} statements among them, none with its values", bool(statements))
        said = any(part in str(each) for each in spans for part in QUESTION.split("? "))
        screen.expect("nothing of what was asked is in them", not said)


@contextmanager
def collecting() -> Iterator[Collected]:
    """Collects spans for the length of a with block."""
    from opentelemetry import trace
    from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor

    with receiving() as receiver:
        provider = TracerProvider(resource=Resource.create({"service.name": "demo"}), shutdown_on_exit=False)
        provider.add_span_processor(SimpleSpanProcessor(OTLPSpanExporter(receiver.endpoint, insecure=True)))
        trace.set_tracer_provider(provider)
        try:
            yield Collected(receiver)
        finally:
            provider.shutdown()

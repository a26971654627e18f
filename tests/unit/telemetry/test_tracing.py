"""Spans: nothing while nobody collects, and never what an error says."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from recalld_server import telemetry
from recalld_server.errors import NamespaceNotFound
from recalld_server.telemetry.tracing import use_tracer


@pytest.fixture
def collected() -> Iterator[InMemorySpanExporter]:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    use_tracer(provider.get_tracer("test"))
    yield exporter
    use_tracer(None)


def test_a_server_without_telemetry_loads_none_of_its_libraries() -> None:
    check = "import sys, recalld_server.app; sys.exit(any(m.startswith(('opentelemetry.exporter', 'opentelemetry.sdk.trace', 'prometheus_client')) for m in sys.modules))"
    assert subprocess.run([sys.executable, "-c", check], env={"PYTHONPATH": ":".join(sys.path)}).returncode == 0


def test_nothing_is_collected_while_nothing_is_configured() -> None:
    assert telemetry.span("a") is telemetry.NOTHING
    assert telemetry.child("a") is telemetry.NOTHING
    with telemetry.Stages("search") as stages:
        stages.mark("embed")
    assert [name for name, _ in stages.timings] == ["embed"]
    assert telemetry.traceparent() == ""
    assert telemetry.trace_ids() == {}


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (NamespaceNotFound(), "NAMESPACE_NOT_FOUND"),
        (ValueError("秘密 secret"), "ValueError"),
        (asyncio.CancelledError("秘密"), "CANCELLED"),
    ],
)
def test_a_failed_span_says_what_kind_of_thing_failed(
    collected: InMemorySpanExporter, error: BaseException, reason: str
) -> None:
    def search() -> None:
        with telemetry.Stages("search") as stages:
            stages.mark("embed")
            raise error

    with pytest.raises(type(error)):
        search()
    spans = {span.name: span for span in collected.get_finished_spans()}
    assert spans.keys() == {"search", "search embed", "search answer"}
    assert spans["search embed"].status.status_code is StatusCode.UNSET
    for name in ("search", "search answer"):
        assert spans[name].status.description == reason
        assert "secret" not in spans[name].to_json()
        assert "秘密" not in spans[name].to_json()


def test_what_runs_in_a_stage_is_inside_its_span(collected: InMemorySpanExporter) -> None:
    with telemetry.Stages("write") as stages:
        with telemetry.child("one"):
            pass
        stages.mark("embed", texts=2)
        with telemetry.child("two"):
            pass
        stages.mark("store")
    by_id = {span.context.span_id: span for span in collected.get_finished_spans() if span.context}
    above = {span.name: by_id[span.parent.span_id].name for span in by_id.values() if span.parent}
    assert above["one"] == "write embed"
    assert above["two"] == "write store"
    assert above["write embed"] == above["write store"] == "write"


def test_what_the_server_does_by_itself_begins_no_trace(collected: InMemorySpanExporter) -> None:
    with telemetry.child("a chore's statement"):
        pass
    assert collected.get_finished_spans() == ()


def test_what_carries_on_later_is_linked_and_nonsense_is_not(collected: InMemorySpanExporter) -> None:
    with telemetry.span("call"):
        name = telemetry.traceparent()
    with telemetry.span("job", links=[name, "", "not-a-trace", "00-0-0-01"]):
        pass
    call, job = collected.get_finished_spans()
    assert call.context is not None
    assert [link.context.span_id for link in job.links] == [call.context.span_id]
    assert job.parent is None

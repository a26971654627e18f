"""One trace from the caller to the statements, delivered over OTLP to a real receiver."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import grpc
import pytest
from tests.e2e.watched import NOT_SAMPLED, SERVICE, SOON, World
from tests.mcp.bridges import stdio

import recalld
from mcp import Client
from recalld import errors
from recalld.v1 import memory_service_pb2 as pb
from recalld_server.demo import process
from recalld_server.demo.process import free_port
from recalld_server.demo.receiver import ReceivedSpan
from recalld_server.telemetry.conventions import DB_SYSTEM, ERROR_TYPE, GEN_AI_OPERATION, RPC_METHOD, RPC_STATUS

CLIENT = 3


def above(span: ReceivedSpan, spans: list[ReceivedSpan]) -> list[ReceivedSpan]:
    """The spans around one, from the nearest to the root."""
    by_id = {each.span_id: each for each in spans}
    result = []
    while span.parent_id in by_id:
        span = by_id[span.parent_id]
        result.append(span)
    return result


@pytest.mark.parametrize("question", ["What does Lin drink?", "林乔喝什么茶"])
async def test_a_tool_call_of_an_ide_and_its_statements_are_one_trace(world: World, question: str) -> None:
    with world.client(f"traces/{abs(hash(question))}") as client:
        client.write("Lin drinks oolong tea 林乔喝乌龙茶")
        root, namespace = world.running.root_key, client.namespaces.list(page_size=100)
        name = next(each.name for each in namespace if each.name.startswith(f"traces/{abs(hash(question))}"))
    bridge = stdio(**world.environment, RECALLD_ADDR=world.running.address, RECALLD_KEY=root, RECALLD_NAMESPACE=name)
    async with Client(bridge) as ide:
        await ide.call_tool("memory_search", {"query": question})
    searched = world.receiver.wait_for("tools/call memory_search", service="recalld-mcp")
    world.receiver.wait_for(f"{SERVICE}/Search", searched.trace_id, service="recalld")
    spans = world.receiver.trace(searched.trace_id)
    statements = [span for span in spans if span.attributes.get(DB_SYSTEM) == "postgresql"]
    assert statements
    for statement in statements:
        assert statement.kind == CLIENT
        around = above(statement, spans)
        assert [(each.name, each.service) for each in around[-3:]] == [
            (f"{SERVICE}/Search", "recalld"),
            (f"{SERVICE}/Search", "recalld-mcp"),
            ("tools/call memory_search", "recalld-mcp"),
        ]
    assert {"search candidates", "search embed", "search rank"} <= {span.name for span in spans}
    assert any(span.attributes.get(GEN_AI_OPERATION) == "embeddings" for span in spans)
    assert question not in str(spans)


def test_a_write_shows_its_stages_and_a_search_what_its_arms_proposed(world: World) -> None:
    with world.client("traces/stages") as client:
        for trace, method, request in (
            (0xA1, "Write", pb.WriteRequest(namespace="traces/stages")),
            (0xA2, "Search", pb.SearchRequest(namespaces=["traces/stages"], query="oolong 乌龙")),
        ):
            if isinstance(request, pb.WriteRequest):
                request.memory.content = "Oolong is kept in the tin 乌龙茶在罐子里"
            world.traced(method, request, trace)
        assert client.stats().total == 1
    written = world.receiver.wait_for(f"{SERVICE}/Write", f"{0xA1:032x}")
    assert written.attributes[RPC_METHOD] == f"{SERVICE}/Write"
    assert written.attributes[RPC_STATUS] == "OK"
    assert written.parent_id == f"{7:016x}"
    names = [span.name for span in world.receiver.trace(written.trace_id)]
    assert [name for name in names if name.startswith("write ")] == [
        "write gate",
        "write embed",
        "write store",
        "write answer",
    ]
    world.receiver.wait_for(f"{SERVICE}/Search", f"{0xA2:032x}")
    spans = world.receiver.trace(f"{0xA2:032x}")
    proposed = next(span for span in spans if span.name == "search candidates").attributes
    assert proposed["recalld.vector"] == proposed["recalld.lexical"] == 1


def test_a_failed_call_has_the_reason_and_not_the_words(world: World) -> None:
    with world.client("traces/failing") as client, pytest.raises(errors.NotFound):
        client.search("marker-7f3a 标记", namespaces="traces/not-there")
    with pytest.raises(grpc.RpcError):
        world.traced("Search", pb.SearchRequest(namespaces=["traces/not-there"], query="marker-7f3a"), 0xB1)
    failed = world.receiver.wait_for(f"{SERVICE}/Search", f"{0xB1:032x}")
    assert failed.failed == failed.attributes[ERROR_TYPE] == "NAMESPACE_NOT_FOUND"
    assert failed.attributes[RPC_STATUS] == "NOT_FOUND"
    inside = next(span for span in world.receiver.trace(failed.trace_id) if span.name == "search")
    assert inside.failed == "NAMESPACE_NOT_FOUND"
    assert all(span.events == 0 for span in world.receiver.spans)


def test_a_job_is_linked_to_the_call_that_caused_it(world: World) -> None:
    with world.client("traces/jobs"):
        request = pb.WriteRequest(namespace="traces/jobs", durability=pb.DURABILITY_ACCEPTED)
        request.memory.content = "the door code is in the drawer 门禁密码在抽屉里"
        world.traced("Write", request, 0xC1)
    job = world.receiver.wait_for("index memories")
    assert job.links == (f"{0xC1:032x}",)
    world.receiver.wait_for("index memories", job.trace_id)
    inside = world.receiver.trace(job.trace_id)
    assert any(span.attributes.get(DB_SYSTEM) for span in inside)
    assert any(span.attributes.get(GEN_AI_OPERATION) for span in inside)


def test_a_reflection_is_linked_to_the_call_that_asked_for_it(world: World) -> None:
    with world.client("traces/reflected") as client:
        client.write("Lin prefers oolong tea 林乔喜欢乌龙茶", user_id="lin")
        request = pb.ReflectRequest(namespace="traces/reflected")
        request.scope.filter.user_ids.append("lin")
        world.traced("Reflect", request, 0xC2)
    world.receiver.wait_for(f"{SERVICE}/Reflect", f"{0xC2:032x}")
    job = world.receiver.wait_for("reflect")
    assert job.links == (f"{0xC2:032x}",)
    assert any(span.attributes.get(DB_SYSTEM) for span in world.receiver.trace(job.trace_id))


def test_what_the_caller_does_not_sample_is_not_sent(world: World) -> None:
    with world.client("traces/sampling"):
        search = pb.SearchRequest(namespaces=["traces/sampling"], query="tea")
        world.traced("Search", search, 0xD1, NOT_SAMPLED)
        world.traced("Search", search, 0xD2)
    world.receiver.wait_for(f"{SERVICE}/Search", f"{0xD2:032x}")
    assert world.receiver.trace(f"{0xD1:032x}") == []


def test_nothing_private_is_in_spans_logs_figures_or_errors(world: World) -> None:
    marks = ["mark5e1f", "标记甲乙"]
    private = " ".join(marks)
    with world.client("traces/private") as client:
        made = client.keys.create("agent-mark5e1f", "writer", namespaces=["traces/private"])
        key = made.secret
        with recalld.Client(world.running.address, key=key, namespace="traces/private") as agent:
            agent.write(private, user_id=f"user-{marks[0]}", tags=[marks[1]], metadata={"secret": private})
            agent.write(f"{private} again", durability="accepted")
            assert agent.search(private, any_tags=[marks[1]]).hits
            with pytest.raises(errors.RecalldError) as refused:
                agent.write(private * 10_000)
            assert not any(mark in str(refused.value) for mark in marks)
            with pytest.raises(errors.RecalldError):
                agent.get("not-an-id-mark5e1f")
        world.traced("Search", pb.SearchRequest(namespaces=["traces/private"], query=private), 0xE1)
    world.receiver.wait_for(f"{SERVICE}/Search", f"{0xE1:032x}")
    log = (world.running.data_dir / "demo-server.log").read_text()
    searched = [json.loads(line) for line in log.splitlines() if '"searched"' in line]
    assert {"hits", "candidates", "tokens", "trace_id", "span_id", "milliseconds"} <= searched[-1].keys()
    assert searched[-1]["trace_id"] == f"{0xE1:032x}"
    figures = world.figures()
    assert "rpc_server_call_duration_seconds" in figures
    for seen in (str(world.receiver.spans), log.replace(world.running.root_key, "shown once", 1), figures):
        assert not any(mark in seen for mark in (*marks, key, world.running.root_key, "traces/private"))


@pytest.mark.parametrize(("collector", "protocol"), [("refusing", "grpc"), ("silent", "grpc"), ("silent", "http")])
def test_a_collector_that_is_away_keeps_nobody_waiting(tmp_path: Path, collector: str, protocol: str) -> None:
    silent = socket.create_server(("127.0.0.1", 0))
    port = silent.getsockname()[1] if collector == "silent" else free_port()
    environment = SOON | {
        "RECALLD_EMBEDDER": "hash",
        "RECALLD_OTLP_ENDPOINT": f"http://127.0.0.1:{port}",
        "RECALLD_OTLP_PROTOCOL": protocol,
    }
    with silent, process.serving(tmp_path, environment) as running:
        with recalld.Client(running.address, key=running.root_key) as client:
            for n in range(10):
                client.write(f"note {n} 笔记 {n * 7919}")
            assert client.search("note 7 笔记").hits
        running.process.terminate()
        assert running.process.wait(15) == 0
    log = (tmp_path / "demo-server.log").read_text()
    assert "Traceback" not in log
    assert log.count("opentelemetry") == 0

"""What a user does with a server, through the public client."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from tests.e2e.conftest import FAST

from recalld import Client, MemoryInput, errors, where
from recalld_server.demo.process import Running


def test_three_lines_to_the_first_result(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECALLD_ADDR", running.address)
    monkeypatch.setenv("RECALLD_KEY", running.root_key)
    with Client() as memory:
        memory.write("Alice is allergic to peanuts.")
        assert memory.search("what is Alice allergic to?")[0].content == "Alice is allergic to peanuts."


def test_health_and_reflection_answer_without_a_key(running: Running) -> None:
    with grpc.insecure_channel(running.address) as channel:
        status = health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest())  # type: ignore[attr-defined]
        assert status.status == health_pb2.HealthCheckResponse.SERVING
        asked = reflection_pb2.ServerReflectionRequest(list_services="")
        alpha = reflection_pb2_grpc.ServerReflectionStub(channel).ServerReflectionInfo(iter([asked]))  # type: ignore[operator]
        names = {service.name for service in next(iter(alpha)).list_services_response.service}
        assert {"recalld.v1.MemoryService", "recalld.v1.WatchService", "grpc.health.v1.Health"} <= names
        v1 = channel.stream_stream(
            "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
            request_serializer=reflection_pb2.ServerReflectionRequest.SerializeToString,
            response_deserializer=reflection_pb2.ServerReflectionResponse.FromString,
        )(iter([asked]))
        assert {service.name for service in next(iter(v1)).list_services_response.service} == names


@pytest.mark.parametrize("text", ["The office door code is kept by Omar.", "办公室的门禁密码由王师傅保管。"])
def test_twenty_simultaneous_identical_writes_give_one_memory(root: Client, text: str) -> None:
    with ThreadPoolExecutor(20) as pool:
        results = list(pool.map(lambda _: root.write(text), range(20)))
    assert len({result.memory_id for result in results}) == 1
    assert sorted(result.outcome.name for result in results) == ["CREATED"] + ["DUPLICATE"] * 19
    assert [memory.content for memory in root.list()] == [text]
    assert root.stats().total == 1


@pytest.mark.parametrize("text", ["Project Heron deploys on Tuesdays.", "鹭计划每周二部署。"])
def test_what_was_written_is_found_by_the_very_next_search(root: Client, text: str) -> None:
    for number in range(25):
        written = root.write(f"{text} ({number})")
        assert root.search(f"{text} ({number})")[0].memory_id == written.memory_id


def test_a_retry_gets_the_first_answer_and_another_body_is_refused(root: Client) -> None:
    first = root.write("林乔喝茶", request_id="r1")
    assert root.write("林乔喝茶", request_id="r1") == first
    with pytest.raises(errors.FailedPrecondition) as caught:
        root.write("林乔喝咖啡", request_id="r1")
    assert caught.value.reason == "REQUEST_ID_REUSED"
    assert root.stats().total == 1


def test_forgetting_and_writing_the_same_again_works_each_time(root: Client) -> None:
    for _ in range(3):
        written = root.write("Omar is vegetarian.")
        assert written.outcome.name == "CREATED"
        assert root.forget([written.memory_id]).count == 1
        assert list(root.list()) == []
        with pytest.raises(errors.NotFound):
            root.get(written.memory_id)


def test_a_forgotten_memory_can_be_restored_and_an_erased_one_cannot(root: Client) -> None:
    kept = root.write("王师傅的手机尾号是 7716。").memory_id
    root.forget([kept])
    assert root.restore(kept).content == "王师傅的手机尾号是 7716。"
    receipt = root.forget([kept], mode="erase").receipt
    assert receipt is not None
    assert receipt.counts["memories"] == 1
    with pytest.raises(errors.NotFound):
        root.restore(kept)


def test_one_bad_item_never_sinks_a_batch(root: Client) -> None:
    batch = root.write_batch(["one fact", "   ", "另一件事", "\u3000", "one fact"])
    outcomes = [item.result.outcome.name if item.result else item.error.reason for item in batch]  # type: ignore[union-attr]
    assert outcomes == ["CREATED", "BLANK_CONTENT", "CREATED", "BLANK_CONTENT", "DUPLICATE"]
    assert root.stats().total == 2


def test_a_stream_answers_each_item(root: Client) -> None:
    texts = [f"第 {number} 条记录 about topic {number}" for number in range(40)]
    answers = list(root.write_stream(texts))
    assert [item.sequence for item in answers] == list(range(40))
    assert {memory.content for memory in root.list()} == set(texts)


def test_a_private_memory_is_not_there_for_another_agent(running: Running, root: Client) -> None:
    secret = root.write("生日惊喜 a surprise", visibility="private")
    space = root.get(secret.memory_id).namespace
    key = root.keys.create("other", "writer", namespaces=[space]).secret
    with Client(running.address, key=key, namespace=space) as other:
        assert list(other.search("生日惊喜 surprise", top_k=100)) == []
        assert list(other.list()) == []
        for attempt in (
            other.get,
            other.restore,
            lambda each: other.forget([each]),
            lambda each: other.revisions(each).page(),
        ):
            with pytest.raises(errors.NotFound):
                attempt(secret.memory_id)
        assert other.stats().total == 0
    assert root.get(secret.memory_id).content == "生日惊喜 a surprise"


def test_a_namespace_that_is_denied_and_one_that_is_absent_look_the_same(running: Running, root: Client) -> None:
    space = root.get(root.write("a fact").memory_id).namespace
    key = root.keys.create("narrow", "writer", namespaces=["elsewhere"]).secret
    seen = []
    for name in (space, "no/such/namespace"):
        with Client(running.address, key=key, namespace=name) as narrow, pytest.raises(errors.NotFound) as caught:
            narrow.search("a fact")
        seen.append((caught.value.reason, str(caught.value)))
    assert seen[0] == seen[1]


def test_a_revoked_key_is_refused_within_seconds(running: Running, root: Client) -> None:
    made = root.keys.create("passing", "reader")
    root.keys.revoke(made.key.key_id)
    with Client(running.address, key=made.secret) as passing, pytest.raises(errors.Unauthenticated):
        passing.stats()


@pytest.mark.parametrize("key", ["", "rk_0000000000000000_" + "A" * 43, "nonsense"])
def test_a_wrong_key_is_refused(running: Running, key: str) -> None:
    with Client(running.address, key=key or "none") as stranger, pytest.raises(errors.Unauthenticated):
        stranger.search("anything")


def test_metadata_is_typed_and_comes_back_exactly(root: Client) -> None:
    values = [9, 10, "10", True, "true", None]
    for value in values:
        root.write(f"row {value!r} {type(value).__name__}", metadata={"rank": value})
    root.write("row without")

    def found(condition: object) -> list[object]:
        return [memory.metadata.get("rank", "missing") for memory in root.list(metadata=condition)]  # type: ignore[arg-type]

    assert found(where("rank") == 10) == [10]
    assert found(where("rank") > 9) == [10]
    assert found(where("rank") == True) == [True]  # noqa: E712 - builds a condition
    assert found(where("rank") == "10") == ["10"]
    assert [type(memory.metadata["rank"]) for memory in root.list(metadata=where("rank") == 10)] == [int]


def test_context_keeps_to_its_budget_and_speaks_the_language(root: Client) -> None:
    root.write_batch(
        [
            MemoryInput("林乔对青霉素过敏。"),
            MemoryInput("林乔看病前要先说明过敏史。", tags=["规则"]),
            MemoryInput("昨天林乔去看了牙医。", kind="episodic"),
        ]
    )
    whole = root.context("林乔看病过敏")
    assert "## 关于用户的已知信息" in whole.text
    short = root.context("林乔看病过敏", max_tokens=30)
    assert 0 < short.token_count <= 30
    assert len(short.text) < len(whole.text)


def test_a_second_server_on_a_port_that_is_taken_says_so_and_leaves_the_first_alone(running: Running) -> None:
    """Else the system would hand its calls to either, whatever database each is on."""
    command = [sys.executable, "-m", "recalld_server", "serve", "--data-dir", str(running.data_dir)]
    second = subprocess.run(
        [*command, "--listen", running.address], env={**os.environ, **FAST}, capture_output=True, text=True, timeout=120
    )
    assert second.returncode == 1
    assert f"{running.address} cannot be had: is another server there?" in second.stderr
    with Client(running.address, key=running.root_key) as memory:
        assert memory.write("还在 still there").memory_id

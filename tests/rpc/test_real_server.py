"""Every RPC that is served, on the real rules and the real database: what works, what is refused, and what nobody may tell
apart."""

from __future__ import annotations

from typing import Any

import grpc
from tests.rpc.building import ABSENT, TEAM, write
from tests.rpc.calling import Failure, call, failure
from tests.rpc.cases import CASES, EMPTY, update
from tests.rpc.test_bad_input import SERVED, requests
from tests.rpc.world import World

from recalld.v1 import memory_pb2
from recalld.v1 import memory_service_pb2 as pb

NOT_THERE = Failure(
    grpc.StatusCode.NOT_FOUND,
    "there is no such namespace: create it first, or check its name and your key",
    "NAMESPACE_NOT_FOUND",
    "recalld.dev",
    {},
    {},
    None,
)
"""What is told of a namespace that is not there, and of one that may not be seen."""


def test_every_call_that_is_served_is_here() -> None:
    assert {method.name for method in SERVED} == CASES.keys() | {"StreamWrite", "Import"}


async def test_it_works_for_those_who_may(world: World) -> None:
    holders = {
        "READER": world.reader,
        "WRITER": world.writer,
        "REFLECTOR": world.reflector,
        "ADMIN": world.admin,
    }
    for method, case in CASES.items():
        answer = await call(world.channel, method, case.ok(world), holders[case.role])
        assert answer if isinstance(answer, list) else answer.ListFields() or method in EMPTY, method


async def test_a_mistake_is_named_and_changes_nothing(world: World) -> None:
    before = await world.rows()
    for method, case in CASES.items():
        failed = await failure(world.channel, method, case.invalid(world), world.admin)
        assert failed.code is grpc.StatusCode.INVALID_ARGUMENT, method
        assert case.field in failed.fields, method
        assert await world.rows() == before, method


async def test_those_who_may_not_are_refused_and_change_nothing(world: World) -> None:
    before = await world.rows()
    lower = {
        "READER": [],
        "WRITER": [world.reader, world.reflector],
        "REFLECTOR": [world.reader, world.writer],
        "ADMIN": [world.reader, world.writer, world.reflector],
    }
    for method, case in CASES.items():
        for holder in lower[case.role]:
            failed = await failure(world.channel, method, case.ok(world), holder)
            assert (failed.code, failed.reason) == (grpc.StatusCode.PERMISSION_DENIED, "ROLE_REQUIRED"), method
            assert failed.metadata["role"] == case.role, method
        strangers = (world.stranger, world.narrow) if case.role in ("READER", "WRITER") else (world.stranger,)
        for holder in strangers if case.scoped else ():
            assert await failure(world.channel, method, case.ok(world), holder) == NOT_THERE, method
        assert await world.rows() == before, method


async def test_what_is_not_there_is_said_not_to_be(world: World) -> None:
    before = await world.rows()
    for method, case in CASES.items():
        if case.missing is not None:
            failed = await failure(world.channel, method, case.missing(world), world.admin)
            assert (failed.code, failed.reason) == (grpc.StatusCode.NOT_FOUND, case.reason), method
            assert case.reason != "NAMESPACE_NOT_FOUND" or failed == NOT_THERE, method
            assert await world.rows() == before, method


async def test_a_private_memory_of_another_agent_is_not_there(world: World) -> None:
    written = await call(
        world.channel, "Write", write("我的密码提示是茶", visibility=memory_pb2.VISIBILITY_PRIVATE), world.writer
    )
    hidden = written.result.memory_id
    for method, request in (
        ("Get", pb.GetRequest(namespace=TEAM, memory_id=hidden)),
        ("ListRevisions", pb.ListRevisionsRequest(namespace=TEAM, memory_id=hidden)),
        ("Update", update(world, hidden, "content")),
        ("Forget", pb.ForgetRequest(namespace=TEAM, memory_ids=[hidden])),
        ("Restore", pb.RestoreRequest(namespace=TEAM, memory_id=hidden)),
    ):
        told = await failure(world.channel, method, request, world.admin)
        assert (told.code, told.reason) == (grpc.StatusCode.NOT_FOUND, "MEMORY_NOT_FOUND"), method
    found = await call(world.channel, "Search", pb.SearchRequest(namespaces=[TEAM], query="密码提示"), world.admin)
    assert hidden not in {hit.memory.memory_id for hit in found.hits}
    listed = await call(world.channel, "List", pb.ListRequest(namespace=TEAM), world.admin)
    assert hidden not in {memory.memory_id for memory in listed.memories}


async def test_a_retry_gets_the_first_answer_and_another_body_none(world: World) -> None:
    request = write("I moved to Shanghai")
    request.request_id = "r-1"
    first = await call(world.channel, "Write", request, world.writer)
    assert await call(world.channel, "Write", request, world.writer) == first
    request.memory.content = "我搬到杭州了"
    failed = await failure(world.channel, "Write", request, world.writer)
    assert (failed.code, failed.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "REQUEST_ID_REUSED")


async def test_an_old_etag_is_told_the_new_one(world: World) -> None:
    request = update(world, world.memory_id, "content")
    request.etag = world.etag
    changed = await call(world.channel, "Update", request, world.writer)
    failed = await failure(world.channel, "Update", request, world.writer)
    assert (failed.code, failed.reason) == (grpc.StatusCode.ABORTED, "ETAG_MISMATCH")
    assert failed.metadata == {"current_etag": changed.memory.etag, "current_revision": "2"}


async def test_metadata_and_times_come_back_as_they_were_given(world: World) -> None:
    request = write("the order was delivered", memory_id=ABSENT)
    request.memory.metadata.update(
        {"a.b": 1, "a": {"b": 2.5}, "类别": "茶", "flag": True, "none": None, 'q"': [1, "x"]}
    )
    request.memory.event_time.FromJsonString("0001-01-01T00:00:00.000001Z")
    request.memory.valid_until.FromJsonString("9999-12-31T23:59:59.999999Z")
    await call(world.channel, "Write", request, world.writer)
    memory = (await call(world.channel, "Get", pb.GetRequest(namespace=TEAM, memory_id=ABSENT), world.reader)).memory
    assert memory.metadata == request.memory.metadata
    assert memory.event_time == request.memory.event_time
    assert memory.valid_until == request.memory.valid_until


async def test_a_stream_of_writes_lands_item_by_item(world: World) -> None:
    texts = ["我住在上海", "", "The build broke on Monday", "x" * 40_000, "喝红茶"]
    items = [
        pb.StreamWriteRequest(namespace=TEAM, sequence=n, memory=memory_pb2.MemoryInput(content=text))
        for n, text in enumerate(texts)
    ]
    answers = await call(world.channel, "StreamWrite", items, world.writer)
    assert [answer.sequence for answer in answers] == [0, 1, 2, 3, 4]
    errors = {a.sequence: Failure.of(a.item.error).reason for a in answers if a.item.HasField("error")}
    assert errors == {1: "INVALID_FIELD", 3: "CONTENT_TOO_LARGE"}
    listed = await call(world.channel, "List", pb.ListRequest(namespace=TEAM), world.reader)
    assert {texts[n] for n in (0, 2, 4)} <= {memory.content for memory in listed.memories}


async def test_generated_requests_end_in_what_the_contract_names(world: World) -> None:
    allowed = {
        grpc.StatusCode.INVALID_ARGUMENT,
        grpc.StatusCode.NOT_FOUND,
        grpc.StatusCode.ALREADY_EXISTS,
        grpc.StatusCode.FAILED_PRECONDITION,
        grpc.StatusCode.ABORTED,
    }
    for method in SERVED:
        for seed, request in requests(method.input_type, 60, TEAM, world.memory_id):
            if method.name == "Watch":
                request.ClearField("types")  # or there may be nothing to tell
            try:
                answer = await call(world.channel, method, request, world.admin)
            except grpc.aio.AioRpcError as error:
                codes = {error.code()}
            else:
                codes = {Failure.of(item.error).code for item in _items(answer) if item.HasField("error")}
            assert codes <= allowed, (method.name, seed, request)


def _items(answer: Any) -> list[pb.BatchWriteItem]:
    """What became of each item, where there are any."""
    if isinstance(answer, list):
        return [each.item for each in answer if isinstance(each, pb.StreamWriteResponse)]
    return list(getattr(answer, "items", ()))

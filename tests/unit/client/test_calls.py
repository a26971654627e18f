"""Deadlines, retries and errors, as a server makes them happen."""

import asyncio
import logging
import time
from typing import Any

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration
from google.rpc import error_details_pb2 as details

from recalld import AsyncClient, Client, errors
from recalld.v1 import memory_service_pb2 as ms

from .conftest import KEY, QUICK, Double, done, each, status

ID = "0197b2a0-0000-7000-8000-000000000001"


def failing(times: int, *abort: Any, answer: Any = None) -> Any:
    """A handler that aborts the first `times` calls."""
    left = [times]

    async def handler(call: Any, context: Any) -> Any:
        if left[0]:
            left[0] -= 1
            await context.abort(*abort)
        return answer or ms.WriteResponse(result=ms.WriteResult(outcome=ms.WRITE_OUTCOME_CREATED, memory_id=ID))

    return handler


def retry_info(seconds: float) -> details.RetryInfo:
    return details.RetryInfo(retry_delay=Duration(nanos=int(seconds * 1e9) % 10**9, seconds=int(seconds)))


async def test_an_unavailable_server_is_asked_again_under_the_same_name(client: Any, double: Double) -> None:
    double.on("Write", failing(2, grpc.StatusCode.UNAVAILABLE, "not now"))
    assert (await done(client.write("x"))).memory_id == ID
    names = [call.request.request_id for call in double.of("Write")]
    assert len(names) == 3
    assert len(set(names)) == 1


async def test_retries_end(client: Any, double: Double) -> None:
    double.on("Write", failing(99, grpc.StatusCode.UNAVAILABLE, "not now"))
    with pytest.raises(errors.Unavailable, match="not now"):
        await done(client.write("x"))
    assert len(double.of("Write")) == QUICK.attempts


async def test_the_server_says_after_how_long(client: Any, double: Double) -> None:
    double.on("Write", failing(1, *status(grpc.StatusCode.RESOURCE_EXHAUSTED, "too fast", retry_info(0.05))))
    before = time.monotonic()
    await done(client.write("x"))
    assert time.monotonic() - before >= 0.05
    assert len(double.of("Write")) == 2


async def test_a_wait_beyond_the_deadline_is_not_begun(client: Any, double: Double) -> None:
    double.on("Write", failing(1, *status(grpc.StatusCode.UNAVAILABLE, "later", retry_info(3600))))
    with pytest.raises(errors.Unavailable) as caught:
        await done(client.write("x"))
    assert caught.value.retry_after == 3600
    assert len(double.of("Write")) == 1


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (grpc.StatusCode.INVALID_ARGUMENT, errors.InvalidArgument),
        (grpc.StatusCode.OUT_OF_RANGE, errors.InvalidArgument),
        (grpc.StatusCode.UNAUTHENTICATED, errors.Unauthenticated),
        (grpc.StatusCode.PERMISSION_DENIED, errors.PermissionDenied),
        (grpc.StatusCode.NOT_FOUND, errors.NotFound),
        (grpc.StatusCode.ALREADY_EXISTS, errors.AlreadyExists),
        (grpc.StatusCode.ABORTED, errors.Conflict),
        (grpc.StatusCode.FAILED_PRECONDITION, errors.FailedPrecondition),
        (grpc.StatusCode.RESOURCE_EXHAUSTED, errors.QuotaExceeded),
        (grpc.StatusCode.DEADLINE_EXCEEDED, errors.DeadlineExceeded),
        (grpc.StatusCode.CANCELLED, errors.Cancelled),
        (grpc.StatusCode.UNIMPLEMENTED, errors.NotServed),
        (grpc.StatusCode.INTERNAL, errors.InternalError),
        (grpc.StatusCode.UNKNOWN, errors.InternalError),
        (grpc.StatusCode.DATA_LOSS, errors.InternalError),
    ],
)
async def test_every_other_code_is_raised_at_once(client: Any, double: Double, code: Any, kind: type) -> None:
    info = details.ErrorInfo(domain="recalld.dev", reason="SOME_REASON", metadata={"state": "archived"})
    double.on("Write", failing(99, *status(code, "what to do", info)))
    with pytest.raises(errors.RecalldError) as caught:
        await done(client.write("x"))
    assert type(caught.value) is kind
    assert caught.value.reason == "SOME_REASON"
    assert caught.value.metadata == {"state": "archived"}
    assert "what to do" in str(caught.value)
    assert len(double.of("Write")) == 1


async def test_fields_and_etags_are_told(client: Any, double: Double) -> None:
    bad = details.BadRequest(
        field_violations=[details.BadRequest.FieldViolation(field="memory.tags[1]", description="is repeated")]
    )
    double.on("Write", failing(1, *status(grpc.StatusCode.INVALID_ARGUMENT, "no", bad)))
    with pytest.raises(errors.InvalidArgument) as invalid:
        await done(client.write("x"))
    assert invalid.value.fields == (errors.FieldError("memory.tags[1]", "is repeated"),)

    moved = details.ErrorInfo(
        domain="recalld.dev", reason="ETAG_MISMATCH", metadata={"current_etag": "e7", "current_revision": "7"}
    )
    double.on("Update", failing(1, *status(grpc.StatusCode.ABORTED, "changed", moved)))
    with pytest.raises(errors.Conflict) as conflict:
        await done(client.update(ID, content="x", etag="e6"))
    assert (conflict.value.etag, conflict.value.revision) == ("e7", 7)


async def test_details_of_others_are_not_ours(client: Any, double: Double) -> None:
    foreign = details.ErrorInfo(domain="proxy.example", reason="LIMIT")
    double.on("Write", failing(1, *status(grpc.StatusCode.NOT_FOUND, "no route", foreign)))
    with pytest.raises(errors.NotFound) as caught:
        await done(client.write("x"))
    assert caught.value.reason == ""

    garbage = (("grpc-status-details-bin", b"\xff\xff\xff"),)
    double.on("Write", failing(1, grpc.StatusCode.NOT_FOUND, "no route", garbage))
    with pytest.raises(errors.NotFound, match="no route"):
        await done(client.write("x"))


async def test_deadlines_are_set_and_hold(client: Any, double: Double) -> None:
    await done(client.write("x"))
    await done(client.search("x"))
    await done(client.search("x", timeout=2.5))
    await done(client.search("x", timeout=float("inf")))
    write, (read, given, endless) = double.of("Write")[0], double.of("Search")
    # gRPC rounds what it sends up a little.
    assert 11 < (write.remaining or 0) < 31
    assert 3.5 < (read.remaining or 0) < 11
    assert 0 < (given.remaining or 0) < 3.5
    assert endless.remaining is None

    async def stuck(call: Any, context: Any) -> Any:
        await asyncio.Event().wait()

    double.on("Search", stuck)
    calls = len(double.of("Search"))
    with pytest.raises(errors.DeadlineExceeded):
        await done(client.search("x", timeout=0.05))
    assert len(double.of("Search")) == calls + 1

    for wrong in (0, -1, float("nan"), "5", True):
        with pytest.raises(errors.InvalidArgument):
            await done(client.search("x", timeout=wrong))


async def test_items_of_a_batch_fail_by_themselves(client: Any, double: Double) -> None:
    async def mixed(call: Any, context: Any) -> Any:
        from google.rpc.status_pb2 import Status

        error = Status(code=3, message="memories[1].content: is blank")
        error.details.add().Pack(details.ErrorInfo(domain="recalld.dev", reason="BLANK_CONTENT"))
        return ms.BatchWriteResponse(
            items=[
                ms.BatchWriteItem(result=ms.WriteResult(outcome=ms.WRITE_OUTCOME_DUPLICATE, memory_id=ID)),
                ms.BatchWriteItem(error=error),
            ]
        )

    double.on("BatchWrite", mixed)
    result = await done(client.write_batch(["花生过敏", " "]))
    assert result[0].unwrap().outcome == "duplicate"
    assert not result[0].unwrap().stored
    assert [item.sequence for item in result.failures] == [1]
    with pytest.raises(errors.InvalidArgument) as caught:
        result.unwrap()
    assert caught.value.reason == "BLANK_CONTENT"


async def test_pages_follow_each_other(client: Any, double: Double) -> None:
    async def page(call: Any, context: Any) -> Any:
        number = int(call.request.page_token or 0)
        from recalld.v1.memory_pb2 import Memory

        memories = [Memory(memory_id=f"{number}-{index}") for index in range(2)]
        return ms.ListResponse(memories=memories, next_page_token="" if number == 2 else str(number + 1))

    double.on("List", page)
    listing = client.list(kinds=["episodic"], page_size=2)
    assert [memory.memory_id for memory in await each(listing)] == ["0-0", "0-1", "1-0", "1-1", "2-0", "2-1"]
    assert [len(page) for page in await each(listing.pages())] == [2, 2, 2]
    assert (await done(listing.page("2"))).next_page_token == ""
    assert all(call.request.page_size == 2 and call.request.filter.kinds == [2] for call in double.of("List"))


@pytest.mark.parametrize("kind", [Client, AsyncClient])
async def test_the_key_is_never_shown(kind: Any, double: Double, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    client = kind(f"127.0.0.1:{double.port}", key=KEY)
    double.on("Write", failing(1, grpc.StatusCode.UNAUTHENTICATED, "no"))
    with pytest.raises(errors.Unauthenticated) as caught:
        await done(client.write("x"))
    await done(client.close())
    shown = f"{client!r} {client} {caught.value!r} {caught.getrepr(showlocals=True)} {caplog.text}"
    assert "verysecret" not in shown

    for bad in ("rk_a\nverysecret", "rk_é_verysecret", "rk verysecret"):
        with pytest.raises(errors.ConfigurationError) as refused:
            kind(f"127.0.0.1:{double.port}", key=bad)
        assert "verysecret" not in str(refused.value)


async def test_a_missing_key_is_explained(double: Double) -> None:
    double.on("Write", failing(9, grpc.StatusCode.UNAUTHENTICATED, "send a valid key"))
    with Client(f"127.0.0.1:{double.port}") as client, pytest.raises(errors.Unauthenticated, match="RECALLD_KEY"):
        client.write("x")


async def test_a_wrong_key_is_explained(client: Any, double: Double) -> None:
    info = details.ErrorInfo(domain="recalld.dev", reason="INVALID_CREDENTIAL")
    double.on("Write", failing(9, *status(grpc.StatusCode.UNAUTHENTICATED, "send a valid key", info)))
    with pytest.raises(errors.Unauthenticated, match="none of this server, was revoked, or has ended") as caught:
        await done(client.write("x"))
    assert caught.value.reason == "INVALID_CREDENTIAL"


async def test_a_lost_secret_is_told(client: Any, double: Double) -> None:
    from recalld.v1 import namespace_service_pb2 as ns

    async def again(call: Any, context: Any) -> Any:
        return ns.CreateKeyResponse(key=ns.Key(key_id="abc"))

    double.on("CreateKey", again)
    with pytest.raises(errors.FailedPrecondition) as caught:
        await done(client.keys.create("agent", "writer"))
    assert caught.value.metadata["key_id"] == "abc"

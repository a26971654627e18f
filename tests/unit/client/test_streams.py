"""Streams: writing as it comes, watching through breaks, following a reflection."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any

import grpc
import pytest

from recalld import AsyncClient, Client, errors
from recalld._ending import CUT_SHORT
from recalld._status import from_rpc
from recalld.v1 import memory_service_pb2 as ms
from recalld.v1 import watch_service_pb2 as ws

from .conftest import KEY, QUICK, Double, Host, collect, done, each

ID = "0197b2a0-0000-7000-8000-000000000001"


async def test_a_stream_numbers_and_names_its_items(client: Any, double: Double) -> None:
    items = await each(client.write_stream(["one", "二", "three"], stream_id="s"))
    assert [item.sequence for item in items] == [0, 1, 2]
    assert [request.request_id for request in double.of("StreamWrite")[0].requests] == ["s-0", "s-1", "s-2"]
    assert [request.memory.content for request in double.of("StreamWrite")[0].requests] == ["one", "二", "three"]


async def test_what_the_source_raises_comes_after_the_answers(client: Any, double: Double) -> None:
    def source() -> Iterator[str]:
        yield "one"
        raise LookupError("the caller's own")

    got: list[Any] = []
    with pytest.raises(LookupError, match="the caller's own"):
        await collect(client.write_stream(source()), got)
    assert len(double.of("StreamWrite")[0].requests) == 1
    assert [item.sequence for item in got] == [0]


async def test_a_refusal_is_told_although_more_was_being_sent(client: Any, double: Double) -> None:
    """Often enough that the end of the call and a message meet each other."""

    async def refuse(call: Any, context: grpc.aio.ServicerContext[Any, Any], requests: Any) -> Any:
        await context.abort(grpc.StatusCode.UNAUTHENTICATED, "this key was revoked 已撤销")
        yield

    double.on("StreamWrite", refuse)
    for _ in range(100):
        with pytest.raises(errors.Unauthenticated, match="已撤销"):
            await each(client.write_stream(f"text {number} 文" for number in range(20)))


async def test_a_word_of_grpc_in_place_of_a_status_that_never_came_is_said_to_be_worth_another_try() -> None:
    none = grpc.aio.Metadata()
    failure = from_rpc(grpc.aio.AioRpcError(grpc.StatusCode.INTERNAL, none, none, CUT_SHORT))
    assert isinstance(failure, errors.Unavailable)


async def test_an_item_that_cannot_be_sent_is_named(client: Any, double: Double) -> None:
    with pytest.raises(errors.InvalidArgument) as caught:
        await each(client.write_stream(["one", 2]))
    assert caught.value.fields[0].field == "memories[1]"
    assert len(double.of("StreamWrite")[0].requests) == 1


async def test_the_asyncio_client_takes_both_kinds_of_source(double: Double) -> None:
    async def source() -> Any:
        yield "one"
        await asyncio.sleep(0)
        yield "二"

    async with AsyncClient(f"127.0.0.1:{double.port}", key=KEY) as client:
        assert len([item async for item in client.write_stream(source())]) == 2


async def test_answers_come_while_the_stream_is_open(client: Any, double: Double) -> None:
    answered, second = threading.Event(), asyncio.Event()

    def source() -> Iterator[str]:
        yield "one"
        assert answered.wait(10), "no answer before the second item"
        yield "二"

    async def asynchronous() -> AsyncIterator[str]:
        yield "one"
        await asyncio.wait_for(second.wait(), 10)
        yield "二"

    got: list[Any] = []

    def seen(item: Any) -> None:
        got.append(item)
        answered.set()
        second.set()

    if isinstance(client, Client):
        for item in client.write_stream(source()):
            seen(item)
    else:
        async for item in client.write_stream(asynchronous()):
            seen(item)
    assert [item.sequence for item in got] == [0, 1]


async def test_a_stream_that_is_left_is_cancelled(client: Any, double: Double) -> None:
    async def endless(call: Any, context: Any) -> Any:
        from recalld.v1 import namespace_service_pb2 as ns

        while True:
            yield ns.ExportResponse(record=ns.ExportRecord(version=1))
            await asyncio.sleep(0.001)

    double.on("Export", endless)
    records = client.export()
    if isinstance(client, Client):
        next(records)
        records.close()
    else:
        await anext(records)
        await records.aclose()
    assert await asyncio.to_thread(double.of("Export")[0].cancelled.wait, 10)


def event(number: int, type: Any = ws.WATCH_EVENT_TYPE_CREATED) -> ws.WatchResponse:
    return ws.WatchResponse(type=type, memory_id=str(number), resume_token=f"t{number}")


@pytest.mark.parametrize("end", [grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED, None])
async def test_a_watch_goes_on_behind_the_last_event(client: Any, double: Double, end: Any) -> None:
    async def broken(call: Any, context: Any) -> Any:
        start = int(call.request.resume_token.removeprefix("t") or 0)
        yield event(start + 1)
        yield event(start + 2, ws.WATCH_EVENT_TYPE_CHECKPOINT)
        if end is not None:
            await context.abort(end, "gone")

    double.on("Watch", broken)
    watch = client.watch(types=["created"], user_ids="u")
    seen: list[str] = []
    if isinstance(client, Client):
        for each_event in watch:
            seen.append(each_event.memory_id)
            if len(seen) == 3:
                break
    else:
        async for each_event in watch:
            seen.append(each_event.memory_id)
            if len(seen) == 3:
                break
    assert seen == ["1", "3", "5"]
    assert [call.request.resume_token for call in double.of("Watch")] == ["", "t2", "t4"]
    assert watch.resume_token == "t5"
    # The client's own signals are asked for although only one type is to be shown.
    assert set(double.of("Watch")[0].request.types) == {1, 7, 8}
    assert double.of("Watch")[0].remaining is None


async def test_a_watch_shows_a_reset(client: Any, double: Double) -> None:
    async def reset(call: Any, context: Any) -> Any:
        yield event(1, ws.WATCH_EVENT_TYPE_RESET)
        await asyncio.Event().wait()

    double.on("Watch", reset)
    watch = client.watch(resume_token="old")
    first = next(iter(watch)) if isinstance(client, Client) else await anext(aiter(watch))
    assert first.type == "reset"


async def test_a_watch_gives_up(client: Any, double: Double) -> None:
    async def down(call: Any, context: Any) -> Any:
        await context.abort(grpc.StatusCode.UNAVAILABLE, "gone")
        yield

    double.on("Watch", down)
    with pytest.raises(errors.Unavailable):
        await each(client.watch(patience=0.05))
    assert len(double.of("Watch")) > 1

    async def refused(call: Any, context: Any) -> Any:
        await context.abort(grpc.StatusCode.NOT_FOUND, "no such namespace")
        yield

    double.on("Watch", refused)
    before = len(double.of("Watch"))
    with pytest.raises(errors.NotFound):
        await each(client.watch())
    assert len(double.of("Watch")) == before + 1


async def test_a_watch_can_be_closed_from_elsewhere(client: Any, double: Double) -> None:
    async def quiet(call: Any, context: Any) -> Any:
        yield event(1)
        await asyncio.Event().wait()

    double.on("Watch", quiet)
    watch = client.watch()
    if isinstance(client, Client):
        events = iter(watch)
        assert next(events).memory_id == "1"
        closing = threading.Thread(target=watch.close)
        closing.start()
        assert list(events) == []
        closing.join()
    else:
        following = aiter(watch)
        assert (await anext(following)).memory_id == "1"
        rest = asyncio.create_task(each(following))
        await asyncio.sleep(0)
        watch.close()
        assert await rest == []


async def test_closing_the_client_ends_its_calls_and_cancelling_a_task_does_so_too(double: Double) -> None:
    reached = asyncio.Event()
    loop = asyncio.get_running_loop()

    async def stuck(call: Any, context: Any) -> Any:
        loop.call_soon_threadsafe(reached.set)
        await asyncio.Event().wait()

    double.on("Search", stuck)
    client = AsyncClient(f"127.0.0.1:{double.port}", key=KEY)
    task = asyncio.create_task(client.search("x"))
    await reached.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    reached.clear()
    task = asyncio.create_task(client.search("x"))
    await reached.wait()
    await client.close()
    with pytest.raises(errors.Cancelled):
        await task


async def test_a_watch_survives_a_server_that_starts_again(host: Host, tmp_path: Any) -> None:
    address = f"unix:{tmp_path}/s"
    double = Double()

    async def counting(call: Any, context: Any) -> Any:
        yield event(int(call.request.resume_token.removeprefix("t") or 0) + 1)
        await asyncio.Event().wait()

    double.on("Watch", counting)
    server = host.start(double, address)
    with Client(address, key=KEY, retry=QUICK) as client:
        events = iter(client.watch(patience=20))
        assert next(events).memory_id == "1"
        host.stop(server)
        server = host.start(double, address)
        assert next(events).memory_id == "2"
    host.stop(server)


async def test_a_reflection_is_followed_to_its_end(client: Any, double: Double) -> None:
    turn = [0]

    async def steps(call: Any, context: Any) -> Any:
        turn[0] += 1
        if turn[0] == 1:
            yield ms.WatchReflectionResponse(reflection=ms.Reflection(state=ms.REFLECTION_STATE_RUNNING, progress=0.5))
            await context.abort(grpc.StatusCode.UNAVAILABLE, "gone")
        insight = ms.Insight(content="Alice moved to Shanghai 上海", confidence=0.9, support=2)
        yield ms.WatchReflectionResponse(
            reflection=ms.Reflection(
                state=ms.REFLECTION_STATE_SUCCEEDED, progress=1, counts={"created": 1}, insights=[insight]
            )
        )

    async def started(call: Any, context: Any) -> Any:
        return ms.ReflectResponse(reflection=ms.Reflection(reflection_id=ID))

    double.on("Reflect", started)
    double.on("WatchReflection", steps)
    handle = await done(client.reflect(session_id="s1", targets="lessons"))
    assert [step.progress for step in await each(handle.progress())] == [0.5, 1]
    assert turn == [2]
    turn[0] = 0
    reflection = await done(handle.wait())
    assert reflection.done
    assert reflection.counts == {"created": 1}
    assert reflection.insights[0].content == "Alice moved to Shanghai 上海"
    assert double.of("Reflect")[0].request.scope.session_id == "s1"


async def test_waiting_has_an_end(client: Any, double: Double) -> None:
    async def stuck(call: Any, context: Any) -> Any:
        yield ms.WatchReflectionResponse(reflection=ms.Reflection(state=ms.REFLECTION_STATE_RUNNING))
        await asyncio.Event().wait()

    double.on("WatchReflection", stuck)
    with pytest.raises(errors.DeadlineExceeded):
        await done(client.reflection(ID).wait(timeout=0.1))


async def test_a_session_ends_with_its_block(client: Any, double: Double) -> None:
    async def use(work: Any) -> None:
        session = client.session("s1", user_id="u1")
        if isinstance(client, Client):
            with session:
                await work(session)
        else:
            async with session:
                await work(session)

    async def talk(session: Any) -> None:
        await done(session.add("hello"))
        await done(session.add("你好", role="assistant", speaker="Bot"))

    async def look(session: Any) -> None:
        await done(session.get())

    async def fail(session: Any) -> None:
        await done(session.add("hello"))
        raise LookupError

    await use(talk)
    assert [call.request.turns[0].role for call in double.of("AppendTurns")] == [1, 2]
    assert double.of("AppendTurns")[0].request.user_id == "u1"
    assert len(double.of("EndSession")) == 1
    await use(look)
    assert len(double.of("EndSession")) == 1
    with pytest.raises(LookupError):
        await use(fail)
    assert len(double.of("EndSession")) == 1


async def test_forgetting_by_filter_is_planned_first(client: Any, double: Double) -> None:
    async def forget(call: Any, context: Any) -> Any:
        if call.request.dry_run:
            return ms.ForgetResponse(count=2, memory_ids=[ID], digest="d1")
        return ms.ForgetResponse(count=2, receipt=ms.ErasureReceipt(receipt_id="r", counts={"memories": 2}))

    double.on("Forget", forget)
    plan = await done(client.plan_forget(mode="erase", user_ids="u1", reason="asked"))
    assert (plan.count, plan.memory_ids) == (2, (ID,))
    assert [call.request.dry_run for call in double.of("Forget")] == [True]
    result = await done(plan.confirm())
    assert result.receipt.counts == {"memories": 2}
    request = double.of("Forget")[1].request
    assert (request.dry_run, request.digest, request.mode, request.reason) == (False, "d1", 3, "asked")
    assert list(request.filter.user_ids) == ["u1"]

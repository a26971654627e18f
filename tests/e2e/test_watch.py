"""Watch: what happens is told once, in the order of the commits, to those who may know, and to nobody else."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import asyncpg
import grpc
import pytest
from tests.e2e.watching import OTHER, PATIENCE, SPACE, Server, named, server
from tests.rpc.calling import told

from recalld.v1 import memory_pb2
from recalld.v1 import watch_service_pb2 as pb
from recalld_server.core.watch import WatchOptions
from recalld_server.errors import SlowReader
from recalld_server.model import Role
from recalld_server.rpc import watch
from recalld_server.store.postgres.maintenance import MaintenanceOptions

TEA, COFFEE = "喝茶不加糖。", "Coffee is served at nine."


@pytest.fixture
async def one(database: str) -> AsyncIterator[Server]:
    async with server(database) as running:
        yield running


def content(message: pb.WatchResponse) -> str:
    return message.memory.content


async def test_what_happens_to_a_memory_is_told_with_the_memory_as_it_is_now(one: Server) -> None:
    key = await one.key("ann")
    async with one.client(key) as client, one.watch(key) as stream:
        await stream.begun()
        written = await client.write(TEA, kind="semantic")
        event = await stream.event()
        assert (named(event), event.namespace, event.actor) == (f"CREATED {written.memory_id}", SPACE, "ann")
        assert event.memory.content == TEA
        assert event.create_time.ToDatetime(UTC) > datetime.now(UTC) - timedelta(minutes=5)
        await client.update(written.memory_id, tags=["drinks"])
        event = await stream.event()
        assert (named(event), list(event.memory.tags)) == (f"UPDATED {written.memory_id}", ["drinks"])
        await client.forget([written.memory_id])
        event = await stream.event()
        assert (named(event), event.memory.state) == (
            f"FORGOTTEN {written.memory_id}",
            memory_pb2.MEMORY_STATE_FORGOTTEN,
        )
        await client.forget([written.memory_id], mode="erase")
        event = await stream.event()
        assert (named(event), event.HasField("memory")) == (f"FORGOTTEN {written.memory_id}", False)


async def test_a_fact_that_is_replaced_and_one_whose_time_has_passed(one: Server) -> None:
    key = await one.key("ann")
    async with one.client(key) as client, one.watch(key) as stream:
        await stream.begun()
        old = await client.write("林乔住在杭州市。", user_id="lin")
        new = await client.write("林乔搬到上海市了。", user_id="lin")
        soon = await client.write(COFFEE, expire_time=datetime.now(UTC) + timedelta(milliseconds=300))
        seen = {named(await stream.event()) for _ in range(4)}
        assert seen == {
            f"CREATED {old.memory_id}",
            f"CREATED {new.memory_id}",
            f"SUPERSEDED {old.memory_id}",
            f"CREATED {soon.memory_id}",
        }
        async with asyncio.timeout(PATIENCE):
            while not await one.store.maintenance().sweep_expired():  # noqa: ASYNC110 - time has to pass
                await asyncio.sleep(0.02)
        event = await stream.event()
        assert (named(event), event.actor) == (f"EXPIRED {soon.memory_id}", "system")


async def test_a_token_goes_on_where_it_was_given_on_another_server_too(one: Server, database: str) -> None:
    key = await one.key("ann")
    async with server(database) as two, one.client(key) as client:
        async with one.watch(key, SPACE, OTHER) as stream:
            await stream.begun()
            ids = [
                (await client.namespace(where).write(text)).memory_id
                for text in (TEA, COFFEE)
                for where in (SPACE, OTHER)
            ]
            tokens = [stream.token]
            for _ in ids:
                await stream.event()
                tokens.append(stream.token)
        for running in (one, two):
            seen = []
            for token in tokens:
                # the order of the request does not matter, the set of namespaces does
                async with running.watch(key, OTHER, SPACE, resume_token=token) as stream:
                    await stream.begun()
                    assert stream.token == token
                    seen.append(await stream.told())
            assert [len(each) for each in seen] == [4, 3, 2, 1, 0]
            assert all(len(set(each)) == len(each) for each in seen)
            assert set(seen[0]) == {f"CREATED {each}" for each in ids}


async def test_without_a_token_only_what_comes_is_told(one: Server) -> None:
    key = await one.key("ann")
    async with one.client(key) as client:
        await client.write(TEA)
        async with one.watch(key) as stream:
            await stream.begun()
            assert await stream.told() == []
            later = await client.write(COFFEE)
            assert (await stream.event()).memory_id == later.memory_id


async def test_private_memories_of_others_are_passed_over_and_the_token_moves_on(one: Server) -> None:
    ann, bob = await one.key("ann"), await one.key("bob", Role.READER)
    async with one.client(ann) as client, one.watch(ann) as own, one.watch(bob) as foreign:
        await own.begun()
        await foreign.begun()
        before = foreign.token
        secret = await client.write(TEA, visibility="private")
        assert (await own.event()).memory_id == secret.memory_id
        moved = await foreign.until(lambda message: message.resume_token != before)
        assert named(moved) == "CHECKPOINT "
        shared = await client.write(COFFEE, visibility="shared")
        assert (await foreign.event()).memory_id == shared.memory_id
        await client.forget([secret.memory_id], mode="erase")
        assert (await own.event()).memory_id == shared.memory_id
        last = await client.write(f"{COFFEE} 九点。", visibility="shared")
        assert (await own.event()).memory_id == secret.memory_id
        assert (await foreign.event()).memory_id == last.memory_id


async def test_a_filter_means_memories_whatever_their_state(one: Server) -> None:
    key = await one.key("ann")
    filter = memory_pb2.Filter(any_tags=["茶"])
    gone = memory_pb2.Filter(any_tags=["茶"], states=[memory_pb2.MEMORY_STATE_FORGOTTEN])
    async with (
        one.client(key) as client,
        one.watch(key, filter=filter) as tea,
        one.watch(key, filter=gone) as forgotten,
    ):
        await tea.begun()
        await forgotten.begun()
        await client.write(COFFEE)
        written = await client.write(TEA, tags=["茶"])
        assert named(await tea.event()) == f"CREATED {written.memory_id}"
        await client.forget([written.memory_id])
        assert named(await tea.event()) == f"FORGOTTEN {written.memory_id}"
        assert named(await forgotten.event()) in (f"CREATED {written.memory_id}", f"FORGOTTEN {written.memory_id}")


async def test_only_the_types_that_are_asked_for_and_reset_in_any_case(one: Server, database: str) -> None:
    key = await one.key("ann")
    types = [pb.WATCH_EVENT_TYPE_UPDATED]
    async with one.client(key) as client, one.watch(key) as all_of_it, one.watch(key, types=types) as stream:
        await all_of_it.begun()
        start = all_of_it.token
        written = await client.write(TEA)
        await client.update(written.memory_id, tags=["a"])
        assert named(await stream.next()) == f"UPDATED {written.memory_id}"
        await forget_changes(one)
        async with one.watch(key, types=types, resume_token=start) as late:
            assert named(await late.next()) == "RESET "


async def test_a_token_that_is_too_old_is_told_so_once(one: Server) -> None:
    key = await one.key("ann")
    async with one.client(key) as client:
        async with one.watch(key, SPACE, OTHER) as stream:
            await stream.begun()
            start = stream.token
        await client.write(TEA)
        await forget_changes(one)
        async with one.watch(key, SPACE, OTHER, resume_token=start) as stream:
            event = await stream.event()
            assert (named(event), event.namespace) == ("RESET ", SPACE)
            assert await stream.told() == []
            after = stream.token
            written = await client.write(COFFEE)
            assert (await stream.event()).memory_id == written.memory_id
        async with one.watch(key, SPACE, OTHER, resume_token=after) as stream:
            assert (await stream.event()).memory_id == written.memory_id


async def test_a_token_of_a_history_that_was_undone_is_told_so(one: Server, database: str) -> None:
    key = await one.key("ann")
    async with one.client(key) as client, one.watch(key) as stream:
        await stream.begun()
        await client.write(TEA)
        await stream.event()
    await in_database(database, "UPDATE recalld.namespace_heads SET change_sequence = 0", "DELETE FROM recalld.changes")
    async with one.watch(key, resume_token=stream.token) as again:
        assert named(await again.event()) == "RESET "


@pytest.mark.parametrize("token", ["x", "AQ", "茶", "A" * 2000])
async def test_a_token_that_was_not_given_is_refused(one: Server, token: str) -> None:
    async with one.watch(await one.key("ann"), resume_token=token) as stream:
        failed = told(await stream.failure())
    assert (failed.code, failed.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_RESUME_TOKEN")


async def test_a_token_of_other_namespaces_or_of_another_tenant_is_refused(one: Server) -> None:
    key = await one.key("ann")
    async with one.watch(key, SPACE) as stream:
        await stream.begun()
    for namespaces in ((OTHER,), (SPACE, OTHER)):
        async with one.watch(key, *namespaces, resume_token=stream.token) as again:
            assert told(await again.failure()).reason == "INVALID_RESUME_TOKEN"


async def test_one_namespace_that_is_not_there_or_not_allowed_fails_the_stream(one: Server) -> None:
    narrow, foreign = await one.key("ann", namespaces=(SPACE,)), await one.key("eve", tenant="orion")
    for key, namespaces in ((narrow, (SPACE, OTHER)), (narrow, (SPACE, "nowhere")), (foreign, (SPACE,))):
        async with one.watch(key, *namespaces) as stream:
            failed = told(await stream.failure())
        assert (failed.code, failed.reason) == (grpc.StatusCode.NOT_FOUND, "NAMESPACE_NOT_FOUND")
        assert OTHER not in failed.text


async def test_a_key_that_is_revoked_hears_no_more(one: Server) -> None:
    ann, bob = await one.key("ann"), await one.key("bob", Role.READER)
    async with one.client(ann) as client, one.watch(bob) as stream:
        await stream.begun()
        await client.write(TEA)
        await stream.event()
        await one.revoke(bob)
        failed = told(await stream.failure())
        assert (failed.code, failed.reason) == (grpc.StatusCode.UNAUTHENTICATED, "INVALID_CREDENTIAL")


async def test_a_namespace_that_is_lost_ends_the_stream(one: Server, database: str) -> None:
    async with one.watch(await one.key("ann")) as stream:
        await stream.begun()
        await in_database(database, f"UPDATE recalld.namespaces SET name = 'elsewhere' WHERE name = '{SPACE}'")
        assert told(await stream.failure()).reason == "NAMESPACE_NOT_FOUND"


async def test_who_does_not_read_is_let_go_and_goes_on_by_the_last_token(
    one: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    let_go = asyncio.Event()

    class Noticed(SlowReader):
        def __init__(self) -> None:
            super().__init__()
            let_go.set()

    monkeypatch.setattr(watch, "STALL_SECONDS", 0.2)
    monkeypatch.setattr(watch, "SlowReader", Noticed)
    key, text = await one.key("ann"), "记忆" * 5000
    async with one.client(key) as client, one.watch(key) as stream:
        await stream.begun()
        start = stream.token
        written = [f"CREATED {(await client.write(f'{n} {text}', kind='episodic')).memory_id}" for n in range(20)]
        await asyncio.wait_for(let_go.wait(), 60)
        seen: list[str] = []
        failed = told(await stream.failure(seen))
        assert (failed.code, failed.reason) == (grpc.StatusCode.UNAVAILABLE, "SLOW_READER")
        assert 0 < len(seen) < 20
        monkeypatch.setattr(watch, "STALL_SECONDS", 30)
        async with one.watch(key, resume_token=stream.token) as rest:
            await rest.begun()
            assert seen + await rest.told() == written
        async with one.watch(key, resume_token=start) as everything:
            await everything.begun()
            assert await everything.told() == written


async def test_a_server_that_stops_ends_its_streams_at_once(one: Server) -> None:
    async with one.watch(await one.key("ann")) as stream:
        await stream.begun()
        stopping = asyncio.create_task(one.rpc.stop(grace=60))
        failed = told(await stream.failure())
        assert (failed.code, failed.reason) == (grpc.StatusCode.UNAVAILABLE, "DRAINING")
        await asyncio.wait_for(stopping, 30)


async def test_what_was_not_notified_is_found_soon(one: Server, database: str) -> None:
    key = await one.key("ann")
    async with one.client(key) as client, one.watch(key) as stream:
        await stream.begun()
        await asyncio.wait_for(one.wakes.listening.wait(), 30)
        await in_database(
            database,
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'recalld listener'",
        )
        written = await client.write(TEA)
        assert (await stream.event()).memory_id == written.memory_id
        await asyncio.wait_for(one.wakes.listening.wait(), 30)
        again = await client.write(COFFEE)
        assert (await stream.event()).memory_id == again.memory_id


async def test_many_watchers_leave_connections_to_the_others(database: str) -> None:
    async with server(database, WatchOptions(recheck=0.05, idle=0.3, readers=1)) as one:
        key = await one.key("ann")
        streams = [one.watch(key) for _ in range(40)]
        opened = [await each.__aenter__() for each in streams]
        try:
            await asyncio.gather(*(each.begun() for each in opened))
            async with one.client(key) as client:
                ids = [(await client.write(f"{TEA} {n}")).memory_id for n in range(5)]
            for each in opened:
                assert [(await each.event()).memory_id for _ in ids] == ids
        finally:
            for stream in streams:
                await stream.__aexit__(None, None, None)


async def forget_changes(running: Server) -> None:
    """Sweeps away all changes up to now."""
    await running.store.maintenance(MaintenanceOptions(keep_changes=timedelta(0))).sweep_changes()


async def in_database(database: str, *statements: str) -> None:
    connection = await asyncpg.connect(database)
    try:
        for statement in statements:
            await connection.execute(statement)
    finally:
        await connection.close()

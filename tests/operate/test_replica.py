"""A streaming standby answers reads: nobody reads what is older than what he wrote or was told, whoever may not see a memory
does not see it there either, and whatever becomes of the standby, searches go on."""

from __future__ import annotations

import asyncio
from pathlib import Path

import grpc
import pytest
from tests.operate.replicated import REPLICA, SERVING, Server, replicated, until
from tests.operate.replication import Standby

from recalld import Client, errors
from recalld.v1 import memory_service_pb2 as pb
from recalld.v1.memory_service_pb2_grpc import MemoryServiceStub
from recalld_server.embedded import PostgresHandle

HEADER = "recalld-read-after"
ANY = "0" * 16
SPACE = "replicas"


async def search(server: Server, text: str, token: str | None, namespace: str = SPACE) -> tuple[list[str], str]:
    """The texts that a Search finds which gives this token, and the token that comes back."""
    metadata = [("authorization", f"Bearer {server.key}")] + ([(HEADER, token)] if token is not None else [])
    async with grpc.aio.insecure_channel(server.address) as channel:
        call = MemoryServiceStub(channel).Search(
            pb.SearchRequest(namespaces=[namespace], query=text), metadata=metadata, timeout=20
        )
        answer = await call
        told = dict(await call.trailing_metadata())
        return [hit.memory.content for hit in answer.hits], str(told.get(HEADER, ""))


async def test_the_standby_answers_and_what_was_just_written_is_found(
    primary: PostgresHandle, standby: Standby, tmp_path: Path
) -> None:
    async with replicated(primary.dsn(), tmp_path, standby.dsn) as server, server.client(namespace=SPACE) as client:
        await client.namespaces.create(SPACE)
        for step in range(10):
            text = f"step {step} 第{step}步 {step * 104729}"
            written = await client.write(text)
            assert (await client.search(text))[0].content == text
            assert (await client.get(written.memory_id)).content == text
        found = await server.served(lambda: client.search("step 3 第3步"))
        assert found[0].content.startswith("step 3 ")
        # what a search through a standby writes is written to the database: its record, and the use of its hits
        assert await client.mark_used(found.search_id, [found[0].memory_id]) == 1
        assert (await client.get(found[0].memory_id)).use_count == 1
        assert await server.served(client.stats)
        assert await server.served(lambda: client.context("step 5 第5步"))


async def test_while_replay_is_paused_own_writes_are_read_and_the_others_not_yet(
    primary: PostgresHandle, standby: Standby, tmp_path: Path
) -> None:
    space = "paused"
    async with (
        replicated(primary.dsn(), tmp_path, standby.dsn) as server,
        server.client(namespace=space) as writer,
        server.client(namespace=space) as other,
    ):
        await writer.namespaces.create(space)
        old = await writer.write("the kettle is red 水壶是红色的")
        # a client that has just begun reads all that was there before
        assert (await other.search("kettle 水壶"))[0].memory_id == old.memory_id
        await server.served(lambda: writer.search("kettle"))
        await standby.run("SELECT pg_wal_replay_pause()")
        await until(lambda: standby.run("SELECT pg_get_wal_replay_pause_state() = 'paused'"), "replay is paused")

        new = await writer.update(old.memory_id, content="the kettle is green 水壶是绿色的")
        later = await writer.write("the pot is new 锅是新的")
        # every kind of read has what this client wrote
        assert (await writer.search("水壶 kettle"))[0].content == new.content
        assert (await writer.get(old.memory_id)).content == new.content
        assert {each.memory_id async for each in writer.list()} == {old.memory_id, later.memory_id}
        assert len([each async for each in writer.revisions(old.memory_id)]) == 2
        assert (await writer.stats()).total == 2
        assert "the pot is new" in (await writer.context("pot 锅")).text
        # another client has not heard of it: the standby answers it, as it was
        assert (await server.served(lambda: other.search("水壶 kettle")))[0].content == "the kettle is red 水壶是红色的"
        # unless it is told, as one process tells another
        other.read_after = writer.read_after
        assert (await other.search("水壶 kettle"))[0].content == new.content
        # one that knows nothing of tokens is answered by the database
        assert (await search(server, "水壶 kettle", None, space))[0][0] == new.content
        assert (await search(server, "水壶 kettle", ANY, space))[0][0] == "the kettle is red 水壶是红色的"
        texts, told = await search(server, "水壶 kettle", "now", space)
        assert texts[0] == new.content
        # what it was told by the database, no standby that is older takes back
        assert (await search(server, "水壶 kettle", told, space))[0][0] == new.content

        await standby.run("SELECT pg_wal_replay_resume()")
        assert (await server.served(lambda: writer.search("水壶 kettle")))[0].content == new.content


async def test_what_a_stream_told_of_is_read(primary: PostgresHandle, standby: Standby, tmp_path: Path) -> None:
    space = "told"
    async with (
        replicated(primary.dsn(), tmp_path, standby.dsn) as server,
        server.client(namespace=space) as client,
        server.client(namespace=space) as watcher,
    ):
        await client.namespaces.create(space)
        await client.write("first 第一")
        await server.served(lambda: watcher.search("first"))
        await standby.run("SELECT pg_wal_replay_pause()")
        async with asyncio.timeout(60):
            watch = watcher.watch()
            events = aiter(watch)
            coming = asyncio.ensure_future(anext(events))
            written = 0
            while not coming.done():
                written += 1
                await client.write(f"heard of 听说了 {written * 7919}")
                await asyncio.wait({coming}, timeout=0.2)
            event = await coming
            assert (await watcher.get(event.memory_id)).content.startswith("heard of")
            watch.close()
            async for item in client.write_stream(f"streamed 流式 {n * 104729}" for n in range(3)):
                assert (await client.get(item.unwrap().memory_id)).content.startswith("streamed")


def test_the_blocking_client_reads_what_it_wrote(primary: PostgresHandle, standby: Standby, tmp_path: Path) -> None:
    space = "blocking"

    async def paused_and_used() -> None:
        async with replicated(primary.dsn(), tmp_path, standby.dsn) as server:
            await server.health(REPLICA, SERVING)
            await standby.run("SELECT pg_wal_replay_pause()")
            await asyncio.to_thread(use, server)

    def use(server: Server) -> None:
        with Client(server.address, key=server.key, namespace=space) as client:
            client.namespaces.create(space)
            written = client.write("blocking 阻塞")
            assert client.search("阻塞")[0].memory_id == written.memory_id
            with pytest.raises(errors.NotFound):
                client.update("01890a5d-ac96-774b-bcce-b302099a8057", content="x")
            assert client.read_after == "now"
            assert client.get(written.memory_id).content == "blocking 阻塞"
            assert client.read_after != "now"

    asyncio.run(paused_and_used())


async def test_nobody_sees_more_on_a_standby(primary: PostgresHandle, standby: Standby, tmp_path: Path) -> None:
    space = "walls"
    async with replicated(primary.dsn(), tmp_path, standby.dsn) as server, server.client(namespace=space) as root:
        await root.namespaces.create(space)
        await root.namespaces.create(f"{space}/other")
        made = {name: (await root.keys.create(name, "writer", namespaces=[space])).secret for name in ("ann", "ben")}
        async with (
            server.client(namespace=space, key=made["ann"]) as ann,
            server.client(namespace=space, key=made["ben"]) as ben,
        ):
            secret = await ann.write("ann's diary 安的日记", visibility="private")
            ben.read_after = ann.read_after
            hits = await server.served(lambda: ben.search("diary 日记"))
            assert [each.memory_id for each in hits] == []
            before = await server.reads("served")
            with pytest.raises(errors.NotFound):
                await ben.get(secret.memory_id)
            assert await server.reads("served") == before + 1
            assert (await server.served(lambda: ann.search("diary 日记")))[0].memory_id == secret.memory_id
            with pytest.raises(errors.NotFound):
                await ben.search("diary", namespaces=f"{space}/other")


async def test_what_is_no_token_is_refused(primary: PostgresHandle, standby: Standby, tmp_path: Path) -> None:
    async with replicated(primary.dsn(), tmp_path, standby.dsn) as server:
        for token in ("", "nonsense", "0/16B3748", "ffff", "F" * 16, "0" * 17, "now!"):
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await search(server, "anything", token)
            assert caught.value.code() == grpc.StatusCode.INVALID_ARGUMENT, token
            assert HEADER in str(caught.value.details())

"""Watch where a grant opens the way: for as long as it lasts, in that namespace alone, and without what is private."""

from __future__ import annotations

import grpc
from tests.e2e.watching import OTHER, SPACE, server
from tests.rpc.calling import told

from recalld_server.model import Policy, Role

TEA = "喝茶不加糖。"


async def test_a_grant_that_is_withdrawn_ends_the_stream(database: str) -> None:
    async with server(database) as running, running.client(await running.key("ada")) as admin:
        ben = await running.key("ben", Role.READER, namespaces=(OTHER,))
        grant = await admin.grants.create(SPACE, "reader", agent_id="ben")
        async with running.watch(ben, SPACE, OTHER) as stream:
            await stream.begun()
            written = await admin.write(TEA)
            assert (await stream.event()).memory_id == written.memory_id
            await admin.grants.revoke(SPACE, grant.grant_id)
            failed = told(await stream.failure())
            assert (failed.code, failed.reason) == (grpc.StatusCode.NOT_FOUND, "NAMESPACE_NOT_FOUND")
        await admin.write(f"{TEA} 之后")
        async with running.watch(ben, SPACE, OTHER, resume_token=stream.token) as again:
            assert told(await again.failure()).reason == "NAMESPACE_NOT_FOUND"


async def test_another_tenant_is_told_of_what_is_shared_with_it_beside_its_own(database: str) -> None:
    async with server(database) as running, running.client(await running.key("ada")) as admin:
        tenant_id = await running.store.ensure_tenant("beta")
        await running.store.create_namespace(tenant_id, "home", description="", policy=Policy())
        eve = await running.key("eve", Role.WRITER, tenant="beta")
        theirs = f"default/{SPACE}"
        await admin.grants.create(SPACE, "reader", tenant="beta")
        async with running.watch(eve, theirs, "home") as stream, running.client(eve, "home") as client:
            await stream.begun()
            await admin.write("我的秘密。", visibility="private")
            shared = await admin.write(TEA, visibility="shared")
            event = await stream.event()
            assert (event.memory_id, event.namespace) == (shared.memory_id, theirs)
            own = await client.write("At home.")
            event = await stream.event()
            assert (event.memory_id, event.namespace) == (own.memory_id, "home")


async def test_names_that_look_alike_are_others(database: str) -> None:
    names = ["orion", "orion-labs", "orion/sub", "ori", "a_b", "axb"]
    async with server(database) as running:
        tenant_id = await running.store.ensure_tenant("default")
        for name in names:
            await running.store.create_namespace(tenant_id, name, description="", policy=Policy())
        async with running.client(await running.key("ada")) as client:
            for watched in ("orion", "a_b"):
                async with running.watch(
                    await running.key("ben", Role.READER, namespaces=(watched,)), watched
                ) as stream:
                    await stream.begun()
                    for name in names:
                        if name != watched:
                            await client.namespace(name).write(f"{TEA} {name}", kind="episodic")
                    written = await client.namespace(watched).write("Coffee is served at nine.", kind="episodic")
                    assert (await stream.event()).memory_id == written.memory_id

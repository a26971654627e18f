"""The audit log: every change is in it, once, by whom, with ids and without texts."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

import asyncpg
import pytest
from google.protobuf.field_mask_pb2 import FieldMask
from tests.rpc.tenancy.worlds import Metadata, World

from recalld.v1 import memory_pb2
from recalld.v1 import memory_service_pb2 as pb
from recalld.v1 import namespace_service_pb2 as ns
from recalld.v1 import review_service_pb2 as rv
from recalld_server.core.denials import NOTED_AT_MOST
from recalld_server.errors import StoreUnavailable
from recalld_server.model import Role
from recalld_server.store.postgres import MaintenanceOptions
from recalld_server.store.postgres.party import Party


async def events(there: World, who: Metadata, **asked: object) -> list[ns.AuditEvent]:
    """Latest last."""
    found: list[ns.AuditEvent] = []
    token = ""
    while True:
        request = ns.ListAuditEventsRequest(page_size=2, page_token=token, **asked)  # type: ignore[arg-type]
        answer = await there.call("ListAuditEvents", request, who)
        found += answer.events
        token = answer.next_page_token
        if not token:
            return found[::-1]


async def test_who_did_what_where_to_which(there: World) -> None:
    admin, ben = await there.key("acme", "ada", Role.ADMIN), await there.key("acme", "ben", Role.WRITER)
    first = await there.write(ben, "orion", "小橘住在杭州 Xiaoju lives in Hangzhou")
    changing = pb.UpdateRequest(
        namespace="orion",
        memory_id=first,
        memory=pb.MemoryUpdate(content="小橘"),
        update_mask=FieldMask(paths=["content"]),
    )
    await there.call("Update", changing, admin)
    batch = [memory_pb2.MemoryInput(content=text) for text in ("一只猫 a cat", "两只狗 two dogs")]
    written = await there.call("BatchWrite", pb.BatchWriteRequest(namespace="home", memories=batch), ben)
    both = {item.result.memory_id for item in written.items}
    await there.call("Forget", pb.ForgetRequest(namespace="orion", memory_ids=[first]), ben)
    erasing = pb.ForgetRequest(namespace="home", memory_ids=sorted(both), mode=pb.FORGET_MODE_ERASE)
    await there.call("Forget", erasing, admin)
    grant_id = await there.grant(admin, "orion", agent_id="ben")
    await there.revoke(admin, "orion", grant_id)
    made = await there.call("CreateKey", ns.CreateKeyRequest(agent_id="carl", roles=[ns.ROLE_READER]), admin)
    await there.call("RevokeKey", ns.RevokeKeyRequest(key_id=made.key.key_id), admin)
    await there.call("CreateNamespace", ns.CreateNamespaceRequest(name="fresh"), admin)
    renamed = ns.UpdateNamespaceRequest(name="fresh", description="新", update_mask=FieldMask(paths=["description"]))
    await there.call("UpdateNamespace", renamed, admin)
    await there.call("DeleteNamespace", ns.DeleteNamespaceRequest(name="fresh", confirm="fresh"), admin)
    told = await events(there, admin)
    key_of = {"ada": there.keys[admin[0][1]], "ben": there.keys[ben[0][1]]}
    assert [(e.action, e.agent_id, e.namespace) for e in told] == [
        ("Write", "ben", "orion"),
        ("Update", "ada", "orion"),
        ("BatchWrite", "ben", "home"),
        ("Forget", "ben", "orion"),
        ("Forget", "ada", "home"),
        ("CreateGrant", "ada", "orion"),
        ("RevokeGrant", "ada", "orion"),
        ("CreateKey", "ada", ""),
        ("RevokeKey", "ada", ""),
        ("CreateNamespace", "ada", "fresh"),
        ("UpdateNamespace", "ada", "fresh"),
        ("DeleteNamespace", "ada", "fresh"),
    ]
    assert all(e.key_id == key_of[e.agent_id] and e.outcome == "OK" for e in told)
    targets = [set(e.target_ids) for e in told]
    assert targets[:5] == [{first}, {first}, both, {first}, both]
    assert targets[5] == targets[6] == {grant_id}
    assert targets[7] == targets[8] == {made.key.key_id}
    assert targets[9] == targets[10] == targets[11] != {""}
    assert "小橘" not in str(told)
    assert [e.action for e in await events(there, admin, namespace="home")] == ["BatchWrite", "Forget"]
    assert {e.agent_id for e in await events(there, admin, agent_id="ben")} == {"ben"}
    half = memory_pb2.TimeRange(start=told[6].create_time)
    assert [e.action for e in await events(there, admin, range=half)] == [e.action for e in told[6:]]


async def test_what_ends_an_older_memory_names_both_in_one_event(there: World) -> None:
    admin = await there.key("acme", "ada", Role.ADMIN)
    old = await there.write(admin, "orion", "林乔住在杭州。")
    new = await there.write(admin, "orion", "林乔搬到上海了。")
    told = await events(there, admin)
    assert [set(e.target_ids) for e in told] == [{old}, {old, new}]


async def test_what_changes_nothing_is_no_event(there: World) -> None:
    admin = await there.key("acme", "ada", Role.ADMIN)
    await there.write(admin, "orion", "我喝茶 I drink tea")
    await there.write(admin, "orion", "我喝茶 I drink tea")
    await there.search(admin, "茶", "orion")
    await there.refused("RevokeKey", ns.RevokeKeyRequest(key_id="0" * 16), admin)
    assert [e.action for e in await events(there, admin)] == ["Write"]


def ended(told: list[ns.AuditEvent]) -> list[tuple[str, str, str, str]]:
    return [(e.agent_id, e.action, e.namespace, e.outcome) for e in told]


async def test_what_was_denied_is_noted_for_the_denied_ones_own_tenant(there: World) -> None:
    admin, bob = await there.key("acme", "ada", Role.ADMIN), await there.key("beta", "bob", Role.ADMIN)
    reader, narrow = (
        await there.key("acme", "rita", Role.READER),
        await there.key("acme", "nora", Role.WRITER, namespaces=("home",)),
    )
    memory = memory_pb2.MemoryInput(content="小橘住在杭州 Xiaoju lives in Hangzhou")
    await there.refused("Write", pb.WriteRequest(namespace="orion", memory=memory), reader)
    await there.refused("CreateKey", ns.CreateKeyRequest(agent_id="eve", roles=[ns.ROLE_ADMIN]), reader)
    for namespace in ("orion", "nowhere"):
        await there.refused("Search", pb.SearchRequest(namespaces=["home", namespace], query="小橘 Xiaoju"), narrow)
    streamed = [pb.StreamWriteRequest(namespace="orion", memory=memory)]
    assert (await there.call("StreamWrite", streamed, narrow))[0].item.HasField("error")
    await there.refused("Get", pb.GetRequest(namespace="acme/orion", memory_id=str(UUID(int=7))), bob)
    told = await events(there, admin)
    assert ended(told) == [
        ("rita", "Write", "orion", "PERMISSION_DENIED"),
        ("rita", "CreateKey", "", "PERMISSION_DENIED"),
        ("nora", "Search", "orion", "NOT_FOUND"),
        ("nora", "Search", "nowhere", "NOT_FOUND"),
        ("nora", "StreamWrite", "orion", "NOT_FOUND"),
    ]
    assert told[0].key_id == there.keys[reader[0][1]]
    assert not any(e.target_ids for e in told)
    assert "小橘" not in str(told)
    assert ended(await events(there, bob)) == [("bob", "Get", "acme/orion", "NOT_FOUND")]


async def test_who_asks_again_and_again_does_not_fill_the_log(there: World) -> None:
    admin, reader = await there.key("acme", "ada", Role.ADMIN), await there.key("acme", "rita", Role.READER)
    for number in range(NOTED_AT_MOST + 5):
        for _ in range(2):
            await there.refused("ListReviews", rv.ListReviewsRequest(namespace=f"n{number}"), reader)
    told = await events(there, admin)
    assert len(set(ended(told))) == len(told) == NOTED_AT_MOST


async def test_a_denial_is_told_although_it_cannot_be_noted(there: World, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = await there.key("acme", "rita", Role.READER)

    async def away(*_: object) -> None:
        raise StoreUnavailable("away", 1.0)

    monkeypatch.setattr(there.store, "note", away)
    failed = await there.refused("CreateNamespace", ns.CreateNamespaceRequest(name="fresh"), reader)
    assert failed.reason == "ROLE_REQUIRED"


async def test_an_event_stands_or_falls_with_its_change(there: World) -> None:
    """No change without its event: where the log cannot be written, nothing is."""
    admin = await there.key("acme", "ada", Role.ADMIN)
    connection = await asyncpg.connect(there.dsn)
    try:
        await connection.execute("ALTER TABLE recalld.audit ADD CONSTRAINT full_up CHECK (false) NOT VALID")
    finally:
        await connection.close()
    before = await there.rows()
    for method, request in (
        ("Write", pb.WriteRequest(namespace="orion", memory=memory_pb2.MemoryInput(content="茶 tea"))),
        ("CreateGrant", ns.CreateGrantRequest(grant=ns.Grant(namespace="orion", agent_id="b", role=ns.ROLE_READER))),
        ("CreateKey", ns.CreateKeyRequest(agent_id="b", roles=[ns.ROLE_READER])),
        ("DeleteNamespace", ns.DeleteNamespaceRequest(name="orion", confirm="orion")),
    ):
        assert (await there.refused(method, request, admin)).reason == "INTERNAL", method
    assert await there.rows() == before


async def test_the_log_is_each_tenants_own_and_each_admins_own(there: World) -> None:
    admin, bob = await there.key("acme", "ada", Role.ADMIN), await there.key("beta", "bob", Role.ADMIN)
    narrow = await there.key("acme", "nora", Role.ADMIN, namespaces=("orion",))
    for namespace in ("orion", "orion-labs", "home"):
        await there.write(admin, namespace, "茶 tea")
    await there.write(bob, "home", "咖啡 coffee")
    assert [e.namespace for e in await events(there, narrow)] == ["orion"]
    assert [e.agent_id for e in await events(there, bob)] == ["bob"]
    failed = await there.refused("ListAuditEvents", ns.ListAuditEventsRequest(namespace="orion-labs"), narrow)
    assert failed.reason == "NAMESPACE_NOT_FOUND"
    writer = await there.key("acme", "will", Role.WRITER)
    assert (await there.refused("ListAuditEvents", ns.ListAuditEventsRequest(), writer)).reason == "ROLE_REQUIRED"


async def test_another_tenants_writes_are_in_the_owners_log(there: World) -> None:
    admin, bob = await there.key("acme", "ada", Role.ADMIN), await there.key("beta", "bob", Role.ADMIN)
    await there.grant(admin, "orion", ns.ROLE_WRITER, tenant="beta")
    await there.write(bob, "acme/orion", "咖啡 coffee")
    last = (await events(there, admin))[-1]
    assert (last.action, last.agent_id, last.namespace) == ("Write", "beta/bob", "orion")
    assert last.key_id == there.keys[bob[0][1]]
    assert await events(there, bob) == []


async def test_old_events_are_swept(there: World) -> None:
    admin = await there.key("acme", "ada", Role.ADMIN)
    await there.write(admin, "orion", "茶 tea")
    swept = []
    for keep in (None, timedelta(hours=1), timedelta(0)):
        swept.append(await there.store.maintenance(MaintenanceOptions(keep_audit=keep)).sweep_audit())
    assert swept == [0, 0, 1]
    assert await events(there, admin) == []


@pytest.mark.parametrize("statement", ["DELETE FROM audit", "UPDATE audit SET agent_id = 'x'", "TRUNCATE audit"])
async def test_the_server_itself_cannot_rewrite_the_log(there: World, statement: str) -> None:
    admin = await there.key("acme", "ada", Role.ADMIN)
    await there.write(admin, "orion", "茶 tea")
    connection = await asyncpg.connect(there.dsn)
    try:
        await connection.execute("SET search_path = recalld; SET ROLE recalld_app")
        party = Party(await there.store.ensure_tenant("acme"), frozenset(), "*")
        async with connection.transaction():
            await connection.execute(f"SELECT {party.settings()}")
            assert await connection.fetchval("SELECT count(*) FROM audit") == 1
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await connection.execute(statement)
    except asyncpg.InFailedSQLTransactionError:
        pass
    finally:
        await connection.close()

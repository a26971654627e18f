"""Grants: what they open, to whom, for how long, and what they never open."""

from __future__ import annotations

from datetime import timedelta

import grpc
import pytest
from google.protobuf.timestamp_pb2 import Timestamp
from tests.rpc.calling import Failure
from tests.rpc.tenancy.worlds import World

from recalld.v1 import memory_pb2
from recalld.v1 import memory_service_pb2 as pb
from recalld.v1 import namespace_service_pb2 as ns
from recalld_server.core.access import CACHE_SECONDS, Access
from recalld_server.core.policy import Action
from recalld_server.errors import NamespaceNotFound
from recalld_server.model import Grantee, Principal, Role, utc_now
from recalld_server.store.base import NewGrant


def absent(failed: Failure) -> bool:
    return failed == Failure(
        grpc.StatusCode.NOT_FOUND,
        "there is no such namespace: create it first, or check its name and your key",
        "NAMESPACE_NOT_FOUND",
        "recalld.dev",
        {},
        {},
        None,
    )


def get(namespace: str) -> pb.ListRequest:
    return pb.ListRequest(namespace=namespace)


async def test_a_grant_to_an_agent_opens_that_namespace_alone(there: World) -> None:
    admin = await there.key("acme", "ada", Role.ADMIN)
    ben = await there.key("acme", "ben", Role.WRITER, namespaces=("home",))
    assert absent(await there.refused("List", get("orion"), ben))
    grant_id = await there.grant(admin, "orion", agent_id="ben")
    await there.call("List", get("orion"), ben)
    assert await there.names(ben) == ["home", "orion"]
    for look_alike in ("orion-labs", "orion/sub", "ori"):
        assert absent(await there.refused("List", get(look_alike), ben))
    writing = pb.WriteRequest(namespace="orion", memory=memory_pb2.MemoryInput(content="写 write"))
    refused = await there.refused("Write", writing, ben)
    assert (refused.code, refused.metadata) == (grpc.StatusCode.PERMISSION_DENIED, {"role": "WRITER"})
    await there.revoke(admin, "orion", grant_id)
    assert absent(await there.refused("List", get("orion"), ben))
    assert await there.names(ben) == ["home"]


async def test_a_grant_raises_what_an_agent_may_do_there_and_nowhere_else(there: World) -> None:
    admin, ben = await there.key("acme", "ada", Role.ADMIN), await there.key("acme", "ben", Role.READER)
    writing = pb.WriteRequest(namespace="a_b", memory=memory_pb2.MemoryInput(content="我喝茶 tea"))
    assert (await there.refused("Write", writing, ben)).reason == "ROLE_REQUIRED"
    await there.grant(admin, "a_b", ns.ROLE_WRITER, agent_id="ben")
    await there.call("Write", writing, ben)
    for other in ("axb", "home", "nowhere"):
        writing.namespace = other
        assert (await there.refused("Write", writing, ben)).reason == "ROLE_REQUIRED"
    carl = await there.key("acme", "carl", Role.READER)
    writing.namespace = "a_b"
    assert (await there.refused("Write", writing, carl)).reason == "ROLE_REQUIRED"


async def test_a_grant_to_a_role_is_for_its_holders_in_the_tenant(there: World) -> None:
    admin = await there.key("acme", "ada", Role.ADMIN)
    await there.grant(admin, "orion", ns.ROLE_READER, grantee_role=ns.ROLE_REFLECTOR)
    yes = await there.key("acme", "ben", Role.REFLECTOR, namespaces=("home",))
    no = await there.key("acme", "carl", Role.WRITER, namespaces=("home",))
    stranger = await there.key("beta", "dan", Role.REFLECTOR)
    await there.call("List", get("orion"), yes)
    for other in (no, stranger):
        assert absent(await there.refused("List", get("orion"), other))


async def test_what_lies_below_is_opened_only_where_asked(there: World) -> None:
    admin = await there.key("acme", "ada", Role.ADMIN)
    ben = await there.key("acme", "ben", Role.READER, namespaces=("home",))
    await there.grant(admin, "orion", agent_id="ben", recursive=True)
    assert await there.names(ben) == ["home", "orion", "orion/sub", "orion/sub/deep"]
    assert await there.names(ben, "orion/sub") == ["orion/sub", "orion/sub/deep"]
    for name in ("orion", "orion/sub", "orion/sub/deep"):
        await there.call("List", get(name), ben)
    for name in ("orion-labs", "ori", "a_b"):
        assert absent(await there.refused("List", get(name), ben))


async def test_a_grant_ends_when_it_says(there: World) -> None:
    admin = await there.key("acme", "ada", Role.ADMIN)
    ben = await there.key("acme", "ben", Role.READER, namespaces=("home",))
    past = Timestamp()
    past.FromDatetime(utc_now() - timedelta(seconds=1))
    grant = ns.Grant(namespace="orion", agent_id="ben", role=ns.ROLE_READER, expire_time=past)
    refused = await there.refused("CreateGrant", ns.CreateGrantRequest(grant=grant), admin)
    assert refused.fields == {"grant.expire_time": "has passed"}
    await _ended_grant(there, "orion", "ben")
    assert absent(await there.refused("List", get("orion"), ben))
    assert absent(await there.refused("List", get("orion/sub"), ben))
    assert await there.names(ben) == ["home"]


async def _ended_grant(there: World, name: str, agent: str) -> None:
    tenant_id = await there.store.ensure_tenant("acme")
    namespace = await there.store.get_namespace(tenant_id, name)
    assert namespace is not None
    ended = NewGrant(Grantee.AGENT, agent, Role.READER, True, utc_now() - timedelta(seconds=1))
    await there.store.create_grant(tenant_id, namespace.namespace_id, ended)


async def test_a_grant_that_is_remembered_ends_in_time_as_well(there: World) -> None:
    admin = await there.key("acme", "ada", Role.ADMIN)
    await there.key("acme", "ben", Role.READER, namespaces=("home",))
    tenant_id = await there.store.ensure_tenant("acme")
    ben = Principal(tenant_id, "acme", "ben", frozenset({Role.READER}), "", ("home",))
    now = 0.0
    elsewhere = Access(there.store, lambda: now)
    grant_id = await there.grant(admin, "orion", agent_id="ben")
    await elsewhere.open(ben, "orion", Action.READ)
    await there.revoke(admin, "orion", grant_id)
    now = CACHE_SECONDS + 0.001
    assert now < 5
    with pytest.raises(NamespaceNotFound):
        await elsewhere.open(ben, "orion", Action.READ)


async def test_another_tenant_reaches_what_was_granted_by_its_owners_name(there: World) -> None:
    admin = await there.key("acme", "ada", Role.ADMIN)
    await there.write(admin, "orion", "狗的名字是小橘 the dog is called Xiaoju")
    await there.write(admin, "home", "狗在家里 the dog is at home")
    bob = await there.key("beta", "bob", Role.WRITER)
    carl = await there.key("beta", "carl", Role.READER)
    for name in ("orion", "acme/orion", "acme/home"):
        assert absent(await there.refused("List", get(name), bob))
    grant_id = await there.grant(admin, "orion", ns.ROLE_WRITER, tenant="beta")
    assert await there.names(bob) == ["acme/orion", "home"]
    assert await there.names(bob, "acme") == ["acme/orion"]
    for name in (
        "orion",
        "acme/home",
        "acme/orion-labs",
        "acme/orion/sub",
        "acme",
        "acme/",
        "ACME/orion",
        "beta/orion",
    ):
        failed = await there.refused("List", get(name), bob)
        assert absent(failed) or failed.code is grpc.StatusCode.INVALID_ARGUMENT, name
    hits = await there.search(bob, "狗 dog", "home", "acme/orion")
    assert hits == [("acme/orion", "ada", "狗的名字是小橘 the dog is called Xiaoju")]
    await there.write(bob, "acme/orion", "狗三岁 the dog is three")
    writing = pb.WriteRequest(namespace="acme/orion", memory=memory_pb2.MemoryInput(content="no"))
    assert (await there.refused("Write", writing, carl)).reason == "ROLE_REQUIRED"
    seen = await there.search(admin, "狗 dog", "orion")
    assert ("orion", "beta/bob", "狗三岁 the dog is three") in seen
    shown = await there.call("GetNamespace", ns.GetNamespaceRequest(name="acme/orion"), bob)
    assert (shown.namespace.name, shown.namespace.memory_count) == ("acme/orion", 2)
    await there.revoke(admin, "orion", grant_id)
    assert absent(await there.refused("List", get("acme/orion"), bob))
    assert absent(await there.refused("Search", pb.SearchRequest(namespaces=["home", "acme/orion"], query="狗"), bob))
    assert await there.names(bob) == ["home"]


async def test_agents_of_one_name_in_two_tenants_are_two(there: World) -> None:
    private = {"visibility": memory_pb2.VISIBILITY_PRIVATE}
    theirs, ours = await there.key("acme", "twin", Role.ADMIN), await there.key("beta", "twin", Role.WRITER)
    await there.grant(theirs, "orion", ns.ROLE_WRITER, tenant="beta")
    hidden = await there.write(theirs, "orion", "我的密码是茶 acme's secret is tea", **private)
    await there.write(ours, "acme/orion", "我的密码是咖啡 beta's secret is coffee", **private)
    await there.write(ours, "home", "我的密码是水 the secret at home is water", **private)
    assert await there.search(ours, "密码 secret", "acme/orion") == [
        ("acme/orion", "beta/twin", "我的密码是咖啡 beta's secret is coffee")
    ]
    assert await there.search(theirs, "密码 secret", "orion") == [
        ("orion", "twin", "我的密码是茶 acme's secret is tea")
    ]
    both = await there.search(ours, "密码 secret", "home", "acme/orion")
    assert {(name, author) for name, author, _ in both} == {("home", "twin"), ("acme/orion", "beta/twin")}
    reading = pb.GetRequest(namespace="acme/orion", memory_id=hidden)
    assert (await there.refused("Get", reading, ours)).reason == "MEMORY_NOT_FOUND"


async def test_a_namespace_of_ones_own_comes_before_anothers(there: World) -> None:
    admin = await there.key("acme", "ada", Role.ADMIN)
    bob = await there.key("beta", "bob", Role.ADMIN)
    await there.grant(admin, "orion", tenant="beta")
    await there.write(admin, "orion", "是 acme 的 it is acme's")
    await there.call("CreateNamespace", ns.CreateNamespaceRequest(name="acme/orion"), bob)
    assert await there.search(bob, "是 it", "acme/orion") == []
    assert await there.names(bob) == ["acme/orion", "home"]


async def test_a_credential_for_some_namespaces_reaches_others_tenants_only_by_name(there: World) -> None:
    admin = await there.key("acme", "ada", Role.ADMIN)
    await there.grant(admin, "orion", ns.ROLE_WRITER, tenant="beta", recursive=True)
    narrow = await there.key("beta", "bob", Role.WRITER, namespaces=("home",))
    named = await there.key("beta", "carl", Role.READER, namespaces=("acme/orion/sub",))
    assert absent(await there.refused("List", get("acme/orion"), narrow))
    assert absent(await there.refused("List", get("acme/orion"), named))
    await there.call("List", get("acme/orion/sub"), named)
    assert await there.names(narrow) == ["home"]
    assert await there.names(named) == ["acme/orion/sub"]


async def test_whose_it_is_decides_who_else_may_use_it(there: World) -> None:
    admin = await there.key("acme", "ada", Role.ADMIN)
    bob = await there.key("beta", "bob", Role.ADMIN)
    await there.grant(admin, "orion", ns.ROLE_ADMIN, tenant="beta")
    before = await there.rows()
    for method, request in (
        (
            "CreateGrant",
            ns.CreateGrantRequest(grant=ns.Grant(namespace="acme/orion", agent_id="x", role=ns.ROLE_READER)),
        ),
        ("ListGrants", ns.ListGrantsRequest(namespace="acme/orion")),
        ("DeleteNamespace", ns.DeleteNamespaceRequest(name="acme/orion", confirm="acme/orion")),
        ("ListAuditEvents", ns.ListAuditEventsRequest(namespace="acme/orion")),
    ):
        assert (await there.refused(method, request, bob)).reason == "ROLE_REQUIRED", method
    assert await there.rows() == before


async def test_a_key_made_with_a_narrow_one_cannot_be_widened(there: World) -> None:
    admin = await there.key("acme", "ada", Role.ADMIN)
    narrow = await there.key("acme", "nora", Role.ADMIN, namespaces=("home", "orion"))
    await there.grant(admin, "a_b", agent_id="ben")
    asked = ns.CreateKeyRequest(agent_id="ben", roles=[ns.ROLE_READER], namespaces=["home"])
    made = await there.call("CreateKey", asked, narrow)
    ben = (("authorization", f"Bearer {made.secret}"),)
    await there.call("List", get("home"), ben)
    assert absent(await there.refused("List", get("a_b"), ben))
    assert await there.names(ben) == ["home"]
    recursive = ns.Grant(namespace="orion", agent_id="ben", role=ns.ROLE_READER, recursive=True)
    refused = await there.refused("CreateGrant", ns.CreateGrantRequest(grant=recursive), narrow)
    assert "grant.recursive" in refused.fields


async def test_a_narrow_admin_sees_and_ends_its_own_kind_of_keys_only(there: World) -> None:
    admin = await there.key("acme", "ada", Role.ADMIN)
    narrow = await there.key("acme", "nora", Role.ADMIN, namespaces=("orion",))
    inside = await there.key("acme", "ben", Role.READER, namespaces=("orion",))
    beside = await there.key("acme", "carl", Role.READER, namespaces=("orion", "orion-labs"))
    listed = await there.call("ListKeys", ns.ListKeysRequest(), narrow)
    ids = {
        name: there.keys[key[0][1]]
        for name, key in (("admin", admin), ("narrow", narrow), ("inside", inside), ("beside", beside))
    }
    assert {key.key_id for key in listed.keys} == {ids["narrow"], ids["inside"]}
    for hidden in (ids["admin"], ids["beside"], "0" * 16):
        refused = await there.refused("RevokeKey", ns.RevokeKeyRequest(key_id=hidden), narrow)
        assert (refused.code, refused.reason) == (grpc.StatusCode.NOT_FOUND, "RESOURCE_NOT_FOUND")
    await there.call("RevokeKey", ns.RevokeKeyRequest(key_id=ids["inside"]), narrow)
    failed = await there.refused("List", get("orion"), inside)
    assert (failed.code, failed.reason) == (grpc.StatusCode.UNAUTHENTICATED, "INVALID_CREDENTIAL")


async def test_grants_are_listed_page_by_page_and_a_retry_makes_no_second(there: World) -> None:
    admin = await there.key("acme", "ada", Role.ADMIN)
    asked = ns.CreateGrantRequest(
        grant=ns.Grant(namespace="orion", agent_id="ben", role=ns.ROLE_READER), request_id="r-1"
    )
    made = await there.call("CreateGrant", asked, admin)
    assert await there.call("CreateGrant", asked, admin) == made
    ids = [made.grant.grant_id]
    ids += [await there.grant(admin, "orion", tenant=f"tenant-{n}") for n in range(3)]
    found: list[str] = []
    token = ""
    while True:
        page = await there.call(
            "ListGrants", ns.ListGrantsRequest(namespace="orion", page_size=2, page_token=token), admin
        )
        found += [grant.grant_id for grant in page.grants]
        token = page.next_page_token
        if not token:
            break
    assert found == ids
    ending = ns.RevokeGrantRequest(namespace="orion", grant_id=ids[0], request_id="r-2")
    await there.call("RevokeGrant", ending, admin)
    await there.call("RevokeGrant", ending, admin)
    ending.request_id = "r-3"
    for _ in range(2):  # what was refused is no answer that a retry could get
        assert (await there.refused("RevokeGrant", ending, admin)).reason == "RESOURCE_NOT_FOUND"
    other = ns.RevokeGrantRequest(namespace="home", grant_id=ids[1])
    assert (await there.refused("RevokeGrant", other, admin)).reason == "RESOURCE_NOT_FOUND"


async def test_a_forbidden_namespace_fails_the_search_and_is_not_named(there: World) -> None:
    admin = await there.key("acme", "ada", Role.ADMIN)
    await there.write(admin, "orion", "秘密 the secret of orion")
    ben = await there.key("acme", "ben", Role.READER, namespaces=("home",))
    for names in (["home", "orion"], ["orion"], ["home", "nowhere"], ["orion", "home", "axb"]):
        failed = await there.refused("Search", pb.SearchRequest(namespaces=names, query="秘密"), ben)
        assert absent(failed)
        assert "orion" not in failed.text

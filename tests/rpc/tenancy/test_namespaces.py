"""Changing and erasing namespaces."""

from __future__ import annotations

from contextlib import suppress

import asyncpg
import grpc
import pytest
from google.protobuf.field_mask_pb2 import FieldMask
from hypothesis import given
from hypothesis import strategies as st
from tests.rpc.tenancy.worlds import Metadata, World

from recalld.v1 import memory_pb2
from recalld.v1 import memory_service_pb2 as pb
from recalld.v1 import namespace_service_pb2 as ns
from recalld_server.core.namespaces import check_policy
from recalld_server.errors import InvalidField
from recalld_server.model import Policy, Role


def update(*paths: str, **given: object) -> ns.UpdateNamespaceRequest:
    return ns.UpdateNamespaceRequest(name="orion", update_mask=FieldMask(paths=paths), **given)  # type: ignore[arg-type]


async def shown(there: World, who: Metadata) -> ns.Namespace:
    answer = await there.call("GetNamespace", ns.GetNamespaceRequest(name="orion"), who)
    return ns.Namespace.FromString(answer.namespace.SerializeToString())


async def test_only_what_the_mask_names_is_changed(there: World) -> None:
    admin = await there.key("acme", "ada", Role.ADMIN)
    before = await shown(there, admin)
    policy = ns.Policy(importance_threshold=0.6, reflection_schedule="30 3 * * 1-5", time_zone="Asia/Shanghai")
    answer = await there.call(
        "UpdateNamespace",
        update("description", "policy.importance_threshold", description="猎户座", policy=policy),
        admin,
    )
    now = answer.namespace
    assert now == await shown(there, admin)
    assert (now.description, now.policy.importance_threshold) == ("猎户座", 0.6)
    assert (now.policy.reflection_schedule, now.policy.time_zone) == ("", "UTC")
    assert now.etag != before.etag
    assert now.create_time == before.create_time
    await there.call("UpdateNamespace", update("policy", policy=policy), admin)
    assert (await shown(there, admin)).policy.reflection_schedule == "30 3 * * 1-5"
    await there.call("UpdateNamespace", update("policy.importance_threshold"), admin)
    last = await shown(there, admin)
    assert (last.description, last.policy.importance_threshold) == ("猎户座", 0.0)
    assert last.policy.time_zone == "Asia/Shanghai"


async def test_a_changed_rule_is_followed_at_once(there: World) -> None:
    admin = await there.key("acme", "ada", Role.ADMIN)
    await there.write(admin, "orion", "之前 before")
    changed = update("policy", policy=ns.Policy(default_visibility=memory_pb2.VISIBILITY_PRIVATE))
    await there.call("UpdateNamespace", changed, admin)
    memory_id = await there.write(admin, "orion", "之后 after")
    read = await there.call("Get", pb.GetRequest(namespace="orion", memory_id=memory_id), admin)
    assert read.memory.visibility == memory_pb2.VISIBILITY_PRIVATE


async def test_an_old_etag_changes_nothing(there: World) -> None:
    admin = await there.key("acme", "ada", Role.ADMIN)
    old = (await shown(there, admin)).etag
    await there.call("UpdateNamespace", update("description", description="一", etag=old), admin)
    failed = await there.refused("UpdateNamespace", update("description", description="二", etag=old), admin)
    now = await shown(there, admin)
    assert (failed.code, failed.reason) == (grpc.StatusCode.ABORTED, "ETAG_MISMATCH")
    assert failed.metadata == {"current_etag": now.etag, "current_revision": "2"}
    assert now.description == "一"


async def test_a_retried_change_is_made_once(there: World) -> None:
    admin = await there.key("acme", "ada", Role.ADMIN)
    request = update("description", description="一次 once", request_id="r")
    first = await there.call("UpdateNamespace", request, admin)
    assert await there.call("UpdateNamespace", request, admin) == first


@pytest.mark.parametrize(
    ("policy", "field"),
    [
        ({"reflection_schedule": "every day"}, "policy.reflection_schedule"),
        ({"reflection_schedule": "@daily"}, "policy.reflection_schedule"),
        ({"reflection_schedule": "0 0 3 * * *"}, "policy.reflection_schedule"),
        ({"reflection_schedule": "60 3 * * *"}, "policy.reflection_schedule"),
        ({"reflection_schedule": "0 3 30 2 *"}, "policy.reflection_schedule"),
        ({"reflection_schedule": "0 ３ * * *"}, "policy.reflection_schedule"),
        ({"reflection_schedule": "R R * * *"}, "policy.reflection_schedule"),
        ({"time_zone": "Mars/Olympus"}, "policy.time_zone"),
        ({"importance_threshold": 1.5}, "policy.importance_threshold"),
        ({"importance_threshold": float("nan")}, "policy.importance_threshold"),
        ({"half_life_days": 0.0}, "policy.half_life_days"),
        ({"session_ttl_seconds": 1}, "policy.session_ttl_seconds"),
        ({"review_window_days": 0}, "policy.review_window_days"),
        ({"episodic_retention_days": -1}, "policy.episodic_retention_days"),
        ({"default_visibility": 9}, "policy.default_visibility"),
        ({"when_model_is_down": 9}, "policy.when_model_is_down"),
        ({"lexical_weight": 0.0, "vector_weight": 0.0}, "policy.vector_weight"),
    ],
)
async def test_a_rule_that_cannot_be_kept_is_refused(there: World, policy: dict[str, object], field: str) -> None:
    admin = await there.key("acme", "ada", Role.ADMIN)
    before = await there.rows()
    for method, request in (
        ("UpdateNamespace", update("policy", policy=ns.Policy(**policy))),  # type: ignore[arg-type]
        ("CreateNamespace", ns.CreateNamespaceRequest(name="fresh", policy=ns.Policy(**policy))),  # type: ignore[arg-type]
    ):
        failed = await there.refused(method, request, admin)
        assert failed.code is grpc.StatusCode.INVALID_ARGUMENT
        assert field in failed.fields, failed.fields
    assert await there.rows() == before


@given(
    st.text(max_size=30)
    | st.lists(
        st.sampled_from(["0", "59", "60", "*", "/", "-", ",", "1-5", "*/15", "MON", "mon", "L", "#", "?", "H", "星"]),
        max_size=7,
    ).map(" ".join)
)
def test_whatever_is_given_as_a_schedule_is_taken_or_refused(line: str) -> None:
    fields = len(line.split())
    with suppress(InvalidField):
        check_policy(Policy(reflection_schedule=line))
        assert fields in (0, 5)
    if fields not in (0, 5):
        with pytest.raises(InvalidField, match="reflection_schedule"):
            check_policy(Policy(reflection_schedule=line))


@pytest.mark.parametrize("paths", [(), ("policy.nope",), ("name",), ("policy.",), ("etag", "description")])
async def test_a_mask_must_name_what_can_be_changed(there: World, paths: tuple[str, ...]) -> None:
    admin = await there.key("acme", "ada", Role.ADMIN)
    failed = await there.refused("UpdateNamespace", update(*paths), admin)
    assert failed.code is grpc.StatusCode.INVALID_ARGUMENT
    assert set(failed.fields) <= {"update_mask", "update_mask.paths[0]"}


async def test_an_erased_namespace_leaves_nothing(there: World) -> None:
    admin = await there.key("acme", "ada", Role.ADMIN)
    ben = await there.key("acme", "ben", Role.WRITER)
    secret = "小橘 Xiaoju 是一只猫"
    ids = [
        await there.write(admin, "orion", secret),
        await there.write(ben, "orion", f"{secret} 秘密", visibility=memory_pb2.VISIBILITY_PRIVATE),
    ]
    changing = pb.UpdateRequest(
        namespace="orion",
        memory_id=ids[0],
        memory=pb.MemoryUpdate(content=f"{secret}!"),
        update_mask=FieldMask(paths=["content"]),
        request_id="r-1",
    )
    await there.call("Update", changing, admin)
    await there.grant(admin, "orion", agent_id="ben")
    kept = await there.write(admin, "orion-labs", "留下 this stays")
    request = ns.DeleteNamespaceRequest(name="orion", confirm="orion", request_id="r-2")
    answer = await there.call("DeleteNamespace", request, admin)
    assert answer.counts["memories"] == 2
    assert answer.counts["revisions"] == 3
    assert answer.counts["grants"] == answer.counts["requests"] == 1
    assert await there.call("DeleteNamespace", request, admin) == answer
    everything = str(await there.rows())
    assert "Xiaoju" not in everything
    assert "小橘" not in everything
    assert await there.names(admin, "orion") == ["orion/sub", "orion/sub/deep"]
    await there.call("Get", pb.GetRequest(namespace="orion-labs", memory_id=kept), admin)
    failed = await there.refused("Search", pb.SearchRequest(namespaces=["orion"], query="猫"), admin)
    assert failed.reason == "NAMESPACE_NOT_FOUND"
    await there.call("CreateNamespace", ns.CreateNamespaceRequest(name="orion"), admin)
    assert await there.search(admin, secret, "orion") == []
    assert (await there.call("ListGrants", ns.ListGrantsRequest(namespace="orion"), admin)).grants == []


async def test_every_table_of_a_namespace_is_emptied(there: World) -> None:
    """From the catalogue, so that a table that is added joins by itself."""
    tenant_id = await there.store.ensure_tenant("acme")
    namespace = await there.store.get_namespace(tenant_id, "orion")
    assert namespace is not None
    connection = await asyncpg.connect(there.dsn)
    try:
        missing = await connection.fetch(
            "SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'namespace_id'"
            " WHERE c.relnamespace = 'recalld'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition"
            " AND NOT has_table_privilege('recalld_app', c.oid, 'SELECT, DELETE')"
        )
        assert [row["relname"] for row in missing] == [], "the app's role must be able to erase what a namespace holds"
    finally:
        await connection.close()


async def test_a_write_that_comes_after_the_end_is_refused(there: World) -> None:
    admin = await there.key("acme", "ada", Role.ADMIN)
    await there.write(admin, "orion", "之前 before")
    tenant_id = await there.store.ensure_tenant("acme")
    namespace = await there.store.get_namespace(tenant_id, "orion")
    assert namespace is not None
    # behind the server's back, as another server does it
    await there.store.delete_namespace(tenant_id, namespace.namespace_id)
    writing = pb.WriteRequest(namespace="orion", memory=memory_pb2.MemoryInput(content="之后 after"))
    assert (await there.refused("Write", writing, admin)).reason == "NAMESPACE_NOT_FOUND"
    assert "after" not in str(await there.rows())

"""Every RPC that is served, on the real rules and the real database: what works, what is refused, and what nobody may tell
apart."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

import asyncpg
import grpc
import pytest
from google.protobuf.field_mask_pb2 import FieldMask
from google.protobuf.message import Message
from tests.rpc.calling import Failure, call, failure
from tests.rpc.test_bad_input import SERVED, requests

from recalld.v1 import memory_pb2
from recalld.v1 import memory_service_pb2 as pb
from recalld.v1 import namespace_service_pb2 as ns
from recalld.v1 import review_service_pb2 as rv
from recalld.v1 import session_service_pb2 as se
from recalld.v1 import watch_service_pb2 as wt
from recalld_server.app import build_core
from recalld_server.core.keys import mint, secret_hash
from recalld_server.core.search_log import SearchLog
from recalld_server.model import Policy, Role, Scope, utc_now
from recalld_server.models.base import load_calibration
from recalld_server.models.hash import HashEmbedder
from recalld_server.rpc.convert.metadata import to_struct
from recalld_server.rpc.server import RpcServer, RpcSettings
from recalld_server.settings import read_settings
from recalld_server.store.postgres import PoolOptions, PostgresStore

Metadata = tuple[tuple[str, str], ...]
ABSENT = "01890a5d-ac96-774b-bcce-b302099a8057"
TEAM = "team/tea"


@dataclass(frozen=True)
class World:
    """A server with two tenants; `team/tea` of the first holds one memory, and the session `s-1` with one turn."""

    channel: grpc.aio.Channel
    dsn: str
    admin: Metadata
    writer: Metadata
    reader: Metadata
    narrow: Metadata
    """A writer of the same tenant whose key is good for another namespace only."""
    stranger: Metadata
    """An admin of the other tenant."""
    memory_id: str
    etag: str
    key_id: str
    """A key that can be spared."""
    search_id: str
    """A search of the reader's that returned the memory."""
    reflection_id: str
    """A reflection that was cancelled."""
    grant_id: str
    reflector: Metadata
    review_id: str
    """Of two memories that contradict each other."""

    async def rows(self) -> Mapping[str, int]:
        """Rows of each table."""
        connection = await asyncpg.connect(self.dsn)
        try:
            names = await connection.fetch("SELECT tablename FROM pg_tables WHERE schemaname = 'recalld'")
            assert names
            return {name: await connection.fetchval(f'SELECT count(*) FROM recalld."{name}"') for (name,) in names}
        finally:
            await connection.close()


async def _key(
    store: PostgresStore, tenant_id: UUID, agent_id: str, role: Role, *namespaces: str
) -> tuple[str, Metadata]:
    key_id, key, _ = mint()
    await store.create_key(
        tenant_id,
        key_id=key_id,
        secret_hash=secret_hash(key.rpartition("_")[2]),
        agent_id=agent_id,
        roles=frozenset({role}),
        namespaces=namespaces,
        description="",
        expire_time=None,
    )
    return key_id, (("authorization", f"Bearer {key}"),)


async def store_memory(channel: grpc.aio.Channel, text: str, holder: Metadata) -> UUID:
    return UUID((await call(channel, "Write", write(text), holder)).result.memory_id)


@pytest.fixture
async def world(database: str) -> AsyncIterator[World]:
    store = PostgresStore(database, PoolOptions(size=4))
    await store.start()
    embedder = HashEmbedder()
    await store.embedding_model(embedder.id, embedder.dimensions)
    ours, theirs = await store.ensure_tenant("ours"), await store.ensure_tenant("theirs")
    for tenant_id, name in ((ours, TEAM), (ours, "other"), (theirs, "theirs")):
        await store.create_namespace(tenant_id, name, description="", policy=Policy())
    keys = [
        await _key(store, ours, "ada", Role.ADMIN),
        await _key(store, ours, "ben", Role.WRITER),
        await _key(store, ours, "cleo", Role.READER),
        await _key(store, ours, "dora", Role.WRITER, "other"),
        await _key(store, theirs, "eve", Role.ADMIN),
    ]
    search_log = SearchLog(store)
    core = build_core(store, embedder, load_calibration(embedder.id), read_settings({}), search_log)
    server = RpcServer(core, RpcSettings(listen="127.0.0.1:0", reuse_port=False))
    async with grpc.aio.insecure_channel(await server.start()) as channel:
        request = pb.WriteRequest(namespace=TEAM, memory=memory_pb2.MemoryInput(content="我喝茶不加糖 I take no sugar"))
        written = (await call(channel, "Write", request, keys[0][1])).result
        admin, writer, reader, narrow, stranger = (key for _, key in keys)
        found = await call(channel, "Search", pb.SearchRequest(namespaces=[TEAM], query="茶"), reader)
        await search_log.flush()
        await call(channel, "AppendTurns", turns("s-1", "我们去哪儿吃饭? Where do we eat?"), keys[1][1])
        started = await call(channel, "Reflect", reflect(session_id="s-1"), keys[0][1])
        reflection_id = started.reflection.reflection_id
        cancel = pb.CancelReflectionRequest(namespace=TEAM, reflection_id=reflection_id)
        await call(channel, "CancelReflection", cancel, keys[0][1])
        grant = ns.Grant(namespace=TEAM, agent_id="gus", role=ns.ROLE_WRITER)
        made = await call(channel, "CreateGrant", ns.CreateGrantRequest(grant=grant), admin)
        pair = [await store_memory(channel, text, keys[1][1]) for text in ("周会在周二", "The weekly is on Friday")]
        namespace = await store.get_namespace(ours, TEAM)
        assert namespace is not None
        scope = Scope(ours, namespace.namespace_id, TEAM, "ben")
        async with store.unit(scope) as unit:
            review_id = await unit.link_conflict(scope, pair[1], pair[:1], expire_time=utc_now() + timedelta(days=7))
        _, reflector = await _key(store, ours, "fritz", Role.REFLECTOR)
        yield World(
            channel,
            database,
            admin,
            writer,
            reader,
            narrow,
            stranger,
            written.memory_id,
            written.etag,
            keys[2][0],
            found.search_id,
            reflection_id,
            made.grant.grant_id,
            reflector,
            str(review_id),
        )
    await server.stop(grace=0)
    await store.close()


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


@dataclass(frozen=True)
class Case:
    """Requests by what should come of them. `missing` is like `ok` but for a name or id that is not there."""

    ok: Callable[[World], Message]
    invalid: Callable[[World], Message]
    field: str
    missing: Callable[[World], Message] | None = None
    reason: str = "NAMESPACE_NOT_FOUND"
    role: str = "WRITER"
    """The role that is needed; READER: any."""
    scoped: bool = True
    """The request names a namespace of the tenant."""


def write(content: str, namespace: str = TEAM, **fields: Any) -> pb.WriteRequest:
    return pb.WriteRequest(namespace=namespace, memory=memory_pb2.MemoryInput(content=content, **fields))


def reflect(**scope: Any) -> pb.ReflectRequest:
    return pb.ReflectRequest(namespace=TEAM, scope=pb.ReflectionScope(**scope))


def update(world: World, memory_id: str, *paths: str) -> pb.UpdateRequest:
    memory = pb.MemoryUpdate(content="我喝茶加糖")
    return pb.UpdateRequest(namespace=TEAM, memory_id=memory_id, memory=memory, update_mask=FieldMask(paths=paths))


def turns(session_id: str, *contents: str, namespace: str = TEAM) -> se.AppendTurnsRequest:
    told = [se.Turn(role=se.TURN_ROLE_USER, content=content) for content in contents]
    return se.AppendTurnsRequest(namespace=namespace, session_id=session_id, turns=told)


CASES: dict[str, Case] = {
    "Write": Case(
        lambda w: write("我对花生过敏"), lambda w: write(" 　\u200b\n"), "memory.content", lambda w: write("x", "gone")
    ),
    "BatchWrite": Case(
        lambda w: pb.BatchWriteRequest(namespace=TEAM, memories=[memory_pb2.MemoryInput(content="x y z")]),
        lambda w: pb.BatchWriteRequest(namespace=TEAM),
        "memories",
        lambda w: pb.BatchWriteRequest(namespace="gone", memories=[memory_pb2.MemoryInput(content="x")]),
    ),
    "Search": Case(
        lambda w: pb.SearchRequest(namespaces=[TEAM], query="茶"),
        lambda w: pb.SearchRequest(namespaces=[TEAM], query="　\u200b"),
        "query",
        lambda w: pb.SearchRequest(namespaces=[TEAM, "gone"], query="tea"),
        role="READER",
    ),
    "BuildContext": Case(
        lambda w: pb.BuildContextRequest(namespaces=[TEAM], query="茶"),
        lambda w: pb.BuildContextRequest(namespaces=[TEAM], query="tea", max_tokens=1),
        "max_tokens",
        lambda w: pb.BuildContextRequest(namespaces=["gone"], query="tea"),
        role="READER",
    ),
    "Get": Case(
        lambda w: pb.GetRequest(namespace=TEAM, memory_id=w.memory_id),
        lambda w: pb.GetRequest(namespace=TEAM, memory_id="7"),
        "memory_id",
        lambda w: pb.GetRequest(namespace=TEAM, memory_id=ABSENT),
        "MEMORY_NOT_FOUND",
        role="READER",
    ),
    "List": Case(
        lambda w: pb.ListRequest(namespace=TEAM),
        lambda w: pb.ListRequest(namespace=TEAM, page_token="????"),
        "page_token",
        lambda w: pb.ListRequest(namespace="gone"),
        role="READER",
    ),
    "Update": Case(
        lambda w: update(w, w.memory_id, "content"),
        lambda w: update(w, w.memory_id, "agent_id"),
        "update_mask.paths[0]",
        lambda w: update(w, ABSENT, "content"),
        "MEMORY_NOT_FOUND",
    ),
    "ListRevisions": Case(
        lambda w: pb.ListRevisionsRequest(namespace=TEAM, memory_id=w.memory_id),
        lambda w: pb.ListRevisionsRequest(namespace=TEAM, memory_id=w.memory_id, page_token="AAAA"),
        "page_token",
        lambda w: pb.ListRevisionsRequest(namespace=TEAM, memory_id=ABSENT),
        "MEMORY_NOT_FOUND",
        role="READER",
    ),
    "Restore": Case(
        lambda w: pb.RestoreRequest(namespace=TEAM, memory_id=w.memory_id, revision=1),
        lambda w: pb.RestoreRequest(namespace=TEAM, memory_id=w.memory_id, revision=99),
        "revision",
        lambda w: pb.RestoreRequest(namespace=TEAM, memory_id=ABSENT),
        "MEMORY_NOT_FOUND",
    ),
    "Forget": Case(
        lambda w: pb.ForgetRequest(namespace=TEAM, memory_ids=[w.memory_id]),
        lambda w: pb.ForgetRequest(namespace=TEAM, filter=memory_pb2.Filter(), dry_run=True),
        "filter",
        lambda w: pb.ForgetRequest(namespace=TEAM, memory_ids=[ABSENT]),
        "MEMORY_NOT_FOUND",
    ),
    "Stats": Case(
        lambda w: pb.StatsRequest(namespace=TEAM),
        lambda w: pb.StatsRequest(namespace="%"),
        "namespace",
        lambda w: pb.StatsRequest(namespace="gone"),
        role="READER",
    ),
    "MarkUsed": Case(
        lambda w: pb.MarkUsedRequest(search_id=w.search_id, memory_ids=[w.memory_id]),
        lambda w: pb.MarkUsedRequest(search_id=w.search_id),
        "memory_ids",
        lambda w: pb.MarkUsedRequest(search_id=ABSENT, memory_ids=[w.memory_id]),
        "RESOURCE_NOT_FOUND",
        role="READER",
        scoped=False,
    ),
    "AppendTurns": Case(
        lambda w: turns("s-1", "记住:我不吃辣"),
        lambda w: turns("new", "fine", "x" * 40_000),
        "turns[1].content",
        lambda w: turns("s-1", "x", namespace="gone"),
    ),
    "GetSession": Case(
        lambda w: se.GetSessionRequest(namespace=TEAM, session_id="s-1"),
        lambda w: se.GetSessionRequest(namespace=TEAM, session_id="s-1", max_turns=-1),
        "max_turns",
        lambda w: se.GetSessionRequest(namespace=TEAM, session_id="s-2"),
        "RESOURCE_NOT_FOUND",
        role="READER",
    ),
    "SetVariables": Case(
        lambda w: se.SetVariablesRequest(namespace=TEAM, session_id="s-1", variables=to_struct({"城市": "上海"})),
        lambda w: se.SetVariablesRequest(namespace=TEAM, session_id="new", variables=to_struct({"n": 2**60})),
        "variables.n",
        lambda w: se.SetVariablesRequest(namespace="gone", session_id="s-1", variables=to_struct({"a": 1})),
    ),
    "ListReviews": Case(
        lambda w: rv.ListReviewsRequest(namespace=TEAM),
        lambda w: rv.ListReviewsRequest(namespace=TEAM, page_token="x"),
        "page_token",
        lambda w: rv.ListReviewsRequest(namespace="gone"),
        role="REFLECTOR",
    ),
    "ResolveReview": Case(
        lambda w: rv.ResolveReviewRequest(namespace=TEAM, review_id=w.review_id, decision=rv.REVIEW_DECISION_KEEP_BOTH),
        lambda w: rv.ResolveReviewRequest(namespace=TEAM, review_id=w.review_id, decision=rv.REVIEW_DECISION_EDIT),
        "decision",
        lambda w: rv.ResolveReviewRequest(namespace=TEAM, review_id=ABSENT, decision=rv.REVIEW_DECISION_REJECT),
        "RESOURCE_NOT_FOUND",
        role="REFLECTOR",
    ),
    "ListSessions": Case(
        lambda w: se.ListSessionsRequest(namespace=TEAM),
        lambda w: se.ListSessionsRequest(namespace=TEAM, page_token="x"),
        "page_token",
        lambda w: se.ListSessionsRequest(namespace="gone"),
        role="READER",
    ),
    "EndSession": Case(
        lambda w: se.EndSessionRequest(namespace=TEAM, session_id="s-1"),
        lambda w: se.EndSessionRequest(namespace=TEAM),
        "session_id",
        lambda w: se.EndSessionRequest(namespace=TEAM, session_id="s-2"),
        "RESOURCE_NOT_FOUND",
    ),
    "Watch": Case(
        lambda w: wt.WatchRequest(namespaces=[TEAM]),
        lambda w: wt.WatchRequest(namespaces=[TEAM], resume_token="茶"),
        "resume_token",
        lambda w: wt.WatchRequest(namespaces=[TEAM, "gone"]),
        role="READER",
    ),
    "Reflect": Case(
        lambda w: reflect(session_id="s-1"),
        lambda w: reflect(time_range=memory_pb2.TimeRange()),
        "scope.time_range",
        lambda w: reflect(session_id="s-2"),
        "RESOURCE_NOT_FOUND",
        role="REFLECTOR",
    ),
    "GetReflection": Case(
        lambda w: pb.GetReflectionRequest(namespace=TEAM, reflection_id=w.reflection_id),
        lambda w: pb.GetReflectionRequest(namespace=TEAM, reflection_id="7"),
        "reflection_id",
        lambda w: pb.GetReflectionRequest(namespace=TEAM, reflection_id=ABSENT),
        "RESOURCE_NOT_FOUND",
        role="READER",
    ),
    "WatchReflection": Case(
        lambda w: pb.WatchReflectionRequest(namespace=TEAM, reflection_id=w.reflection_id),
        lambda w: pb.WatchReflectionRequest(namespace=TEAM, reflection_id="7"),
        "reflection_id",
        lambda w: pb.WatchReflectionRequest(namespace=TEAM, reflection_id=ABSENT),
        "RESOURCE_NOT_FOUND",
        role="READER",
    ),
    "CancelReflection": Case(
        lambda w: pb.CancelReflectionRequest(namespace=TEAM, reflection_id=w.reflection_id),
        lambda w: pb.CancelReflectionRequest(namespace=TEAM, reflection_id="7"),
        "reflection_id",
        lambda w: pb.CancelReflectionRequest(namespace=TEAM, reflection_id=ABSENT),
        "RESOURCE_NOT_FOUND",
        role="REFLECTOR",
    ),
    "CreateNamespace": Case(
        lambda w: ns.CreateNamespaceRequest(name="new"),
        lambda w: ns.CreateNamespaceRequest(name="new", policy=ns.Policy(time_zone="Mars/Olympus")),
        "policy.time_zone",
        role="ADMIN",
        scoped=False,
    ),
    "GetNamespace": Case(
        lambda w: ns.GetNamespaceRequest(name=TEAM),
        lambda w: ns.GetNamespaceRequest(name="a//b"),
        "name",
        lambda w: ns.GetNamespaceRequest(name="gone"),
        role="READER",
    ),
    "ListNamespaces": Case(
        lambda w: ns.ListNamespacesRequest(),
        lambda w: ns.ListNamespacesRequest(page_token="x"),
        "page_token",
        role="READER",
        scoped=False,
    ),
    "Export": Case(
        lambda w: ns.ExportRequest(namespace=TEAM),
        lambda w: ns.ExportRequest(namespace=TEAM, filter=memory_pb2.Filter(kinds=[9])),  # type: ignore[list-item]
        "filter.kinds[0]",
        lambda w: ns.ExportRequest(namespace="gone"),
        role="READER",
    ),
    "CreateKey": Case(
        lambda w: ns.CreateKeyRequest(agent_id="fay", roles=[ns.ROLE_READER]),
        lambda w: ns.CreateKeyRequest(agent_id="费", roles=[ns.ROLE_READER]),
        "agent_id",
        role="ADMIN",
        scoped=False,
    ),
    "ListKeys": Case(
        lambda w: ns.ListKeysRequest(),
        lambda w: ns.ListKeysRequest(page_token="x"),
        "page_token",
        role="ADMIN",
        scoped=False,
    ),
    "RevokeKey": Case(
        lambda w: ns.RevokeKeyRequest(key_id=w.key_id),
        lambda w: ns.RevokeKeyRequest(),
        "key_id",
        lambda w: ns.RevokeKeyRequest(key_id="0" * 16),
        "RESOURCE_NOT_FOUND",
        role="ADMIN",
        scoped=False,
    ),
    "UpdateNamespace": Case(
        lambda w: ns.UpdateNamespaceRequest(
            name=TEAM, policy=ns.Policy(reflection_schedule="0 3 * * 1-5"), update_mask=FieldMask(paths=["policy"])
        ),
        lambda w: ns.UpdateNamespaceRequest(
            name=TEAM, policy=ns.Policy(reflection_schedule="每天"), update_mask=FieldMask(paths=["policy"])
        ),
        "policy.reflection_schedule",
        lambda w: ns.UpdateNamespaceRequest(name="gone", update_mask=FieldMask(paths=["description"])),
        role="ADMIN",
    ),
    "DeleteNamespace": Case(
        lambda w: ns.DeleteNamespaceRequest(name="other", confirm="other"),
        lambda w: ns.DeleteNamespaceRequest(name="other", confirm="othe"),
        "confirm",
        lambda w: ns.DeleteNamespaceRequest(name="gone", confirm="gone"),
        role="ADMIN",
    ),
    "CreateGrant": Case(
        lambda w: ns.CreateGrantRequest(grant=ns.Grant(namespace=TEAM, tenant="theirs", role=ns.ROLE_READER)),
        lambda w: ns.CreateGrantRequest(grant=ns.Grant(namespace=TEAM, tenant="ours", role=ns.ROLE_READER)),
        "grant.tenant",
        lambda w: ns.CreateGrantRequest(grant=ns.Grant(namespace="gone", agent_id="ben", role=ns.ROLE_READER)),
        role="ADMIN",
    ),
    "ListGrants": Case(
        lambda w: ns.ListGrantsRequest(namespace=TEAM),
        lambda w: ns.ListGrantsRequest(namespace=TEAM, page_token="????"),
        "page_token",
        lambda w: ns.ListGrantsRequest(namespace="gone"),
        role="ADMIN",
    ),
    "RevokeGrant": Case(
        lambda w: ns.RevokeGrantRequest(namespace=TEAM, grant_id=w.grant_id),
        lambda w: ns.RevokeGrantRequest(namespace=TEAM, grant_id="7"),
        "grant_id",
        lambda w: ns.RevokeGrantRequest(namespace=TEAM, grant_id=ABSENT),
        "RESOURCE_NOT_FOUND",
        role="ADMIN",
    ),
    "ListAuditEvents": Case(
        lambda w: ns.ListAuditEventsRequest(namespace=TEAM),
        lambda w: ns.ListAuditEventsRequest(namespace=TEAM, page_token="x"),
        "page_token",
        lambda w: ns.ListAuditEventsRequest(namespace="gone"),
        role="ADMIN",
    ),
}


EMPTY = {"RevokeGrant"}
"""Their answer says nothing but that it was done."""


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

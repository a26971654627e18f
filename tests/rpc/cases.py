"""For every call: a request that works, one that is a mistake, and one for something that is not there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from google.protobuf.field_mask_pb2 import FieldMask
from google.protobuf.message import Message
from tests.rpc.building import ABSENT, TEAM, reflect, turns, write
from tests.rpc.world import World

from recalld.v1 import memory_pb2
from recalld.v1 import memory_service_pb2 as pb
from recalld.v1 import namespace_service_pb2 as ns
from recalld.v1 import review_service_pb2 as rv
from recalld.v1 import session_service_pb2 as se
from recalld.v1 import watch_service_pb2 as wt
from recalld_server.rpc.convert.metadata import to_struct


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


def update(world: World, memory_id: str, *paths: str) -> pb.UpdateRequest:
    memory = pb.MemoryUpdate(content="我喝茶加糖")
    return pb.UpdateRequest(namespace=TEAM, memory_id=memory_id, memory=memory, update_mask=FieldMask(paths=paths))


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

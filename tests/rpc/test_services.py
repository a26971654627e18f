"""Every RPC that is served: what the rules are asked, and what their answer becomes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import grpc
import numpy as np
import pytest
from google.protobuf.field_mask_pb2 import FieldMask
from google.protobuf.message import Message
from tests.rpc.calling import call
from tests.rpc.doubles import (
    ADA,
    EVENT,
    GRANT,
    ID,
    KEY,
    MEMORY,
    NAMESPACE,
    NOW,
    REFLECTION,
    REVIEW,
    SESSION,
    TURN,
    FakeCore,
)
from tests.rpc.test_bad_input import SERVED

from recalld.v1 import memory_pb2
from recalld.v1 import memory_service_pb2 as pb
from recalld.v1 import namespace_service_pb2 as ns
from recalld.v1 import review_service_pb2 as rv
from recalld.v1 import session_service_pb2 as se
from recalld.v1 import watch_service_pb2 as wt
from recalld_server.core.moving import Exported
from recalld_server.core.reflect import ReflectOrder
from recalld_server.core.sessions import Appended, Ended
from recalld_server.core.types import (
    ArmScore,
    CallOptions,
    Context,
    ContextQuery,
    Explanation,
    ForgetOrder,
    Forgotten,
    Hit,
    Precondition,
    Ranking,
    Receipt,
    SearchAnswer,
    SearchQuery,
    Section,
    Verdict,
    WriteOptions,
)
from recalld_server.core.watch import Event, EventType, WatchQuery
from recalld_server.model import (
    DayCount,
    Draft,
    Durability,
    Filter,
    ForgetMode,
    Grantee,
    IndexState,
    Kind,
    KindCount,
    Namespace,
    Outcome,
    Page,
    Policy,
    ReflectionScope,
    ReflectionTarget,
    Related,
    ReviewDecision,
    ReviewState,
    Role,
    SessionState,
    State,
    Stats,
    TimeMode,
    TimeSpan,
    ToolCall,
    ToolStatus,
    TurnDraft,
    TurnRole,
    Visibility,
    WriteResult,
)
from recalld_server.rpc import convert
from recalld_server.rpc.calls import METHODS as METHOD_OF
from recalld_server.rpc.convert.values import to_timestamp
from recalld_server.store.base import Kept, NewGrant

OTHER = UUID("01890a5d-ac96-774b-bcce-b302099a8058")
CALL = CallOptions()


REFLECTED = pb.Reflection(
    reflection_id=str(ID),
    namespace="team",
    state=pb.REFLECTION_STATE_FAILED,
    scope={  # type: ignore[arg-type]
        "filter": {
            "kinds": [2],
            "any_tags": ["会议"],
            "visibility": 2,
            "confidence": {"min": 0.5},
            "event_time": {"start": to_timestamp(NOW)},
            "metadata": [
                {"path": ["a.b"], "operator": 7, "values": {"values": [{"number_value": 1}, {"string_value": "二"}]}},
                {"path": ["c"], "operator": 1},
                {"path": ["d"], "operator": 6, "value": {"number_value": 3}},
            ],
        }
    },
    targets=[pb.REFLECTION_TARGET_FACTS, pb.REFLECTION_TARGET_EXPIRE_STALE],
    dry_run=True,
    progress=0.5,
    counts={"read": 3, "created": 0, "superseded": 0, "merged": 0, "review": 0, "skipped": 0, "failed": 1},
    insights=[
        pb.Insight(
            category="fact",
            content="住在上海",
            confidence=0.5,
            source_ids=[str(ID)],
            support=2,
            counterfactual="否则会迟到",
            outcome="review",
            review_id=str(ID),
        )
    ],
    skipped={"chatter": 2},
    error="the model did not answer in time",
    actor="ada",
    create_time=to_timestamp(NOW),
    start_time=to_timestamp(NOW),
    end_time=to_timestamp(NOW),
)


@dataclass(frozen=True)
class Case:
    """A request, the call of the rules that it must become, and the answer for one of theirs."""

    method: str
    request: Message
    asked: str
    arguments: tuple[Any, ...]
    options: Mapping[str, Any]
    answer: Any
    response: Message | list[Message]


CASES = [
    Case(
        "Write",
        pb.WriteRequest(namespace="team", memory={"content": "喝茶不加糖"}, durability=2, validate_only=True),  # type: ignore[arg-type]
        "writes.write",
        ("team", Draft("喝茶不加糖"), WriteOptions(Durability.ACCEPTED, True, CALL)),
        {},
        WriteResult(
            Outcome.CONFLICT, ID, (Related(OTHER, 0.9),), "unsure", 0.5, 0.25, OTHER, IndexState.PENDING, 2, '"2-a"'
        ),
        pb.WriteResponse(
            result=pb.WriteResult(
                outcome=pb.WRITE_OUTCOME_CONFLICT,
                memory_id=str(ID),
                related=[pb.RelatedMemory(memory_id=str(OTHER), similarity=0.9)],
                reason="unsure",
                importance=0.5,
                importance_threshold=0.25,
                review_id=str(OTHER),
                index_state=memory_pb2.INDEX_STATE_PENDING,
                revision=2,
                etag='"2-a"',
            )
        ),
    ),
    Case(
        "BatchWrite",
        pb.BatchWriteRequest(namespace="team", memories=[{"content": "一"}, {"content": "two"}]),  # type: ignore[list-item]
        "writes.write_batch",
        ("team", [Draft("一"), Draft("two")], WriteOptions(call=CALL)),
        {},
        [WriteResult(Outcome.CREATED, ID), WriteResult(Outcome.BELOW_THRESHOLD, None)],
        pb.BatchWriteResponse(
            items=[
                {"result": {"outcome": 1, "memory_id": str(ID), "index_state": 2}},  # type: ignore[list-item]
                {"result": {"outcome": 5, "index_state": 2}},  # type: ignore[list-item]
            ]
        ),
    ),
    Case(
        "Search",
        pb.SearchRequest(
            namespaces=["team", "b"],
            query="上周的会议",
            filter={"any_tags": ["会议"]},  # type: ignore[arg-type]
            top_k=7,
            min_score=0.0,
            ranking={"lexical_weight": 0.0, "half_life_days": 2, "skip_reranker": True},  # type: ignore[arg-type]
            time_zone="Asia/Shanghai",
            time_mode=pb.TIME_MODE_FILTER,
            reference_time=to_timestamp(NOW),
            as_of=to_timestamp(NOW),
            max_tokens=100,
            explain=True,
        ),
        "searches.search",
        (
            SearchQuery(
                ("team", "b"),
                "上周的会议",
                Filter(any_tags=("会议",)),
                7,
                0.0,
                Ranking(lexical_weight=0.0, half_life_days=2.0, skip_reranker=True),
                "Asia/Shanghai",
                TimeMode.FILTER,
                NOW,
                NOW,
                100,
                True,
            ),
        ),
        {},
        SearchAnswer(
            (Hit(MEMORY, 0.9, (ArmScore("vector", 0.8, 1, 0.5),), (OTHER,)),),
            ID,
            "上周",
            TimeSpan(NOW, None),
            ("rerank",),
            0.25,
            Explanation(("exact",), (("embed", 1.5),), (("vector", 3),), (("vector", 0.65),), ("会议",)),
            2,
        ),
        pb.SearchResponse(
            hits=[
                pb.SearchHit(
                    memory=convert.memory(MEMORY),
                    score=0.9,
                    arms=[pb.ArmScore(arm="vector", raw=0.8, rank=1, contribution=0.5)],
                    folded_ids=[str(OTHER)],
                )
            ],
            search_id=str(ID),
            understood_time=pb.UnderstoodTime(phrase="上周", range=memory_pb2.TimeRange(start=to_timestamp(NOW))),
            degraded_stages=["rerank"],
            min_score=0.25,
            explanation=pb.SearchExplanation(
                plans=["exact"],
                timings=[pb.StageTiming(stage="embed", milliseconds=1.5)],
                candidates={"vector": 3},
                weights={"vector": 0.65},
                terms=["会议"],
            ),
            omitted_by_tokens=2,
        ),
    ),
    Case(
        "BuildContext",
        pb.BuildContextRequest(
            namespaces=["team"],
            query="他喝什么茶？",
            filter={"user_ids": ["u"]},  # type: ignore[arg-type]
            max_tokens=64,
            session_id="s",
            language="zh",
            time_zone="Asia/Shanghai",
            include_counterfactuals=True,
        ),
        "contexts.build",
        (ContextQuery(("team",), "他喝什么茶？", Filter(user_ids=("u",)), 64, "s", "zh", "Asia/Shanghai", True),),
        {},
        Context("## 关于用户\n喝茶不加糖", (Section("## 关于用户", "喝茶不加糖", (ID,)),), 9, OTHER, ("vector",)),
        pb.BuildContextResponse(
            text="## 关于用户\n喝茶不加糖",
            sections=[pb.ContextSection(heading="## 关于用户", text="喝茶不加糖", memory_ids=[str(ID)])],
            token_count=9,
            search_id=str(OTHER),
            degraded_stages=["vector"],
        ),
    ),
    Case(
        "Get",
        pb.GetRequest(namespace="team", memory_id=str(ID), as_of=to_timestamp(NOW)),
        "memories.get",
        ("team", ID, NOW),
        {},
        MEMORY,
        pb.GetResponse(memory=convert.memory(MEMORY)),
    ),
    Case(
        "List",
        pb.ListRequest(namespace="team", filter={"states": [4]}, page_size=3, page_token="t"),  # type: ignore[arg-type]
        "memories.list",
        ("team", Filter(states=(State.ARCHIVED,))),
        {"page_size": 3, "page_token": "t", "as_of": None},
        Page((MEMORY,), "next"),
        pb.ListResponse(memories=[convert.memory(MEMORY)], next_page_token="next"),
    ),
    Case(
        "Update",
        pb.UpdateRequest(
            namespace="team",
            memory_id=str(ID),
            memory=pb.MemoryUpdate(content="红茶"),
            update_mask=FieldMask(paths=["content", "metadata.k"]),
            etag='"1-a"',
            expected_revision=4,
            reason="改\x00",
        ),
        "memories.update",
        ("team", ID, {"content": "红茶", "metadata_keys": {"k": ...}}),
        {"precondition": Precondition('"1-a"', 4), "reason": "改", "call": CALL},
        MEMORY,
        pb.UpdateResponse(memory=convert.memory(MEMORY)),
    ),
    Case(
        "ListRevisions",
        pb.ListRevisionsRequest(namespace="team", memory_id=str(ID)),
        "memories.revisions",
        ("team", ID),
        {"page_size": 50, "page_token": ""},
        Page(()),
        pb.ListRevisionsResponse(),
    ),
    Case(
        "Restore",
        pb.RestoreRequest(namespace="team", memory_id=str(ID), revision=2, expected_revision=3, reason="back"),
        "memories.restore",
        ("team", ID),
        {"revision": 2, "precondition": Precondition("", 3), "reason": "back", "call": CALL},
        MEMORY,
        pb.RestoreResponse(memory=convert.memory(MEMORY)),
    ),
    Case(
        "Forget",
        pb.ForgetRequest(namespace="team", filter={"any_tags": ["旧"]}, mode=3, dry_run=True, digest="d", reason="r"),  # type: ignore[arg-type]
        "forgets.forget",
        ("team", ForgetOrder((), Filter(any_tags=("旧",)), ForgetMode.ERASE, True, "d", Precondition(), "r"), CALL),
        {},
        Forgotten(2, (ID,), "d", (OTHER,), Receipt(OTHER, NOW, (("memories", 2),))),
        pb.ForgetResponse(
            count=2,
            memory_ids=[str(ID)],
            digest="d",
            skipped_ids=[str(OTHER)],
            receipt=pb.ErasureReceipt(receipt_id=str(OTHER), create_time=to_timestamp(NOW), counts={"memories": 2}),
        ),
    ),
    Case(
        "Stats",
        pb.StatsRequest(range=memory_pb2.TimeRange(start=to_timestamp(NOW))),
        "figures.stats",
        ("", TimeSpan(NOW, None)),
        {},
        Stats(
            total=1,
            counts=(KindCount(Kind.EPISODIC, State.ACTIVE, 1),),
            mean_confidence=0.5,
            days=(DayCount(datetime(2025, 3, 4, tzinfo=UTC), 1, 2),),
            hit_rate=0.25,
            embedding_model="e5",
        ),
        pb.StatsResponse(
            total=1,
            counts=[{"kind": 2, "state": 1, "count": 1}],  # type: ignore[list-item]
            mean_confidence=0.5,
            days=[pb.DayCount(day=to_timestamp(datetime(2025, 3, 4, tzinfo=UTC)), created=1, searches=2)],
            hit_rate=0.25,
            embedding_model="e5",
        ),
    ),
    Case(
        "MarkUsed",
        pb.MarkUsedRequest(search_id=str(ID), memory_ids=[str(OTHER), str(ID)]),
        "usage.mark_used",
        (ID, [OTHER, ID], CALL),
        {},
        2,
        pb.MarkUsedResponse(marked=2),
    ),
    Case(
        "CreateNamespace",
        ns.CreateNamespaceRequest(
            name="team", description="茶\x00", policy=ns.Policy(importance_threshold=0.0, time_zone="Asia/Shanghai")
        ),
        "namespaces.create",
        ("team",),
        {"description": "茶", "policy": Policy(importance_threshold=0.0, time_zone="Asia/Shanghai"), "call": CALL},
        NAMESPACE,
        ns.CreateNamespaceResponse(namespace=convert.namespace(NAMESPACE)),
    ),
    Case(
        "GetNamespace",
        ns.GetNamespaceRequest(name="team"),
        "namespaces.get",
        ("team",),
        {},
        NAMESPACE,
        ns.GetNamespaceResponse(namespace=convert.namespace(NAMESPACE)),
    ),
    Case(
        "ListNamespaces",
        ns.ListNamespacesRequest(parent="team", page_size=1),
        "namespaces.list",
        (),
        {"parent": "team", "page_size": 1, "page_token": ""},
        Page((NAMESPACE,), "n"),
        ns.ListNamespacesResponse(namespaces=[convert.namespace(NAMESPACE)], next_page_token="n"),
    ),
    Case(
        "AppendTurns",
        se.AppendTurnsRequest(
            namespace="team",
            session_id="s-1",
            user_id="u1",
            turns=[
                se.Turn(role=se.TURN_ROLE_USER, content="以后都用英文"),
                se.Turn(
                    role=se.TURN_ROLE_TOOL,
                    speaker="grep",
                    event_time=to_timestamp(NOW),
                    tool_calls=[memory_pb2.ToolCall(tool="grep", status=2, arguments="{}", error="no\x00 file")],  # type: ignore[arg-type]
                ),
            ],
        ),
        "sessions.append",
        (
            "team",
            "s-1",
            [
                TurnDraft(TurnRole.USER, "以后都用英文"),
                TurnDraft(TurnRole.TOOL, "", "grep", (ToolCall("grep", ToolStatus.ERROR, "{}", "no file"),), NOW),
            ],
        ),
        {"user_id": "u1", "call": CALL},
        Appended(SESSION, (ID, OTHER), ID),
        se.AppendTurnsResponse(session=convert.session(SESSION), turn_ids=[str(ID), str(OTHER)], reflection_id=str(ID)),
    ),
    Case(
        "GetSession",
        se.GetSessionRequest(namespace="team", session_id="s-1", max_turns=0, max_tokens=9),
        "sessions.get",
        ("team", "s-1"),
        {"max_turns": 0, "max_tokens": 9},
        (SESSION, (TURN,)),
        se.GetSessionResponse(
            session=se.Session(
                session_id="s-1",
                namespace="team",
                state=se.SESSION_STATE_OPEN,
                user_id="u1",
                turn_count=2,
                variables=convert.metadata.to_struct({"城市": "上海", "n": 1, "deep": {"a": [None]}}),
                etag=SESSION.etag,
                create_time=to_timestamp(NOW),
                update_time=to_timestamp(NOW),
                expire_time=to_timestamp(NOW),
            ),
            turns=[
                se.Turn(
                    turn_id=str(ID),
                    sequence=2,
                    role=se.TURN_ROLE_TOOL,
                    content="没有这个文件",
                    speaker="grep",
                    tool_calls=[memory_pb2.ToolCall(tool="grep", status=2, arguments="{}", error="no such file")],  # type: ignore[arg-type]
                    event_time=to_timestamp(NOW),
                    agent_id="ada",
                )
            ],
        ),
    ),
    Case(
        "SetVariables",
        se.SetVariablesRequest(
            namespace="team",
            session_id="s-1",
            variables=convert.metadata.to_struct({"城市": None, "n": 2}),
            etag='"1-a"',
        ),
        "sessions.set_variables",
        ("team", "s-1", {"城市": None, "n": 2}),
        {"etag": '"1-a"', "call": CALL},
        SESSION,
        se.SetVariablesResponse(session=convert.session(SESSION)),
    ),
    Case(
        "EndSession",
        se.EndSessionRequest(namespace="team", session_id="s-1", skip_reflection=True),
        "sessions.end",
        ("team", "s-1"),
        {"skip_reflection": True, "call": CALL},
        Ended(SESSION),
        se.EndSessionResponse(session=convert.session(SESSION)),
    ),
    Case(
        "ListReviews",
        rv.ListReviewsRequest(namespace="team", page_size=1),
        "reviews.list",
        ("team", ReviewState.OPEN),
        {"page_size": 1, "page_token": ""},
        Page((REVIEW,), "n"),
        rv.ListReviewsResponse(
            reviews=[
                rv.Review(
                    review_id=str(ID),
                    namespace="team",
                    cause=rv.REVIEW_CAUSE_CONFLICT,
                    state=rv.REVIEW_STATE_RESOLVED,
                    memories=[convert.memory(MEMORY)],
                    decision=rv.REVIEW_DECISION_KEEP_BOTH,
                    actor="ada",
                    create_time=to_timestamp(NOW),
                    resolve_time=to_timestamp(NOW),
                    expire_time=to_timestamp(NOW),
                )
            ],
            next_page_token="n",
        ),
    ),
    Case(
        "ResolveReview",
        rv.ResolveReviewRequest(
            namespace="team",
            review_id=str(ID),
            decision=rv.REVIEW_DECISION_CHOOSE,
            chosen_id=str(OTHER),
            reason="better\x07",
        ),
        "reviews.resolve",
        ("team", ID, Verdict(ReviewDecision.CHOOSE, "", OTHER, "better"), CALL),
        {},
        REVIEW,
        rv.ResolveReviewResponse(review=convert.review(REVIEW)),
    ),
    Case(
        "ListSessions",
        se.ListSessionsRequest(namespace="team", user_id="u1", state=se.SESSION_STATE_ENDED, page_token="t"),
        "sessions.list",
        ("team",),
        {"user_id": "u1", "state": SessionState.ENDED, "page_size": 50, "page_token": "t"},
        Page((SESSION,), "n"),
        se.ListSessionsResponse(sessions=[convert.session(SESSION)], next_page_token="n"),
    ),
    Case(
        "CreateKey",
        ns.CreateKeyRequest(agent_id="ben", roles=[2, 1], namespaces=["team"], expire_time=to_timestamp(NOW)),  # type: ignore[list-item]
        "keys.create",
        (),
        {
            "agent_id": "ben",
            "roles": frozenset({Role.READER, Role.WRITER}),
            "namespaces": ("team",),
            "description": "",
            "expire_time": NOW,
            "call": CALL,
        },
        (KEY, "rk_secret"),
        ns.CreateKeyResponse(key=convert.key(KEY), secret="rk_secret"),
    ),
    Case(
        "ListKeys",
        ns.ListKeysRequest(page_token="t"),
        "keys.list",
        (),
        {"page_size": 50, "page_token": "t"},
        Page((KEY,)),
        ns.ListKeysResponse(keys=[convert.key(KEY)]),
    ),
    Case(
        "RevokeKey",
        ns.RevokeKeyRequest(key_id="0" * 16),
        "keys.revoke",
        ("0" * 16, CALL),
        {},
        KEY,
        ns.RevokeKeyResponse(key=convert.key(KEY)),
    ),
    Case(
        "Export",
        ns.ExportRequest(namespace="team", filter={"user_ids": ["ada"]}, include_revisions=True),  # type: ignore[arg-type]
        "moving.export",
        ("team", Filter(user_ids=("ada",))),
        {"vectors": False, "revisions": True},
        [Exported(Kept(MEMORY)), Exported(Kept(MEMORY, (), np.array([1.0, 0.0], np.float32)), "m")],
        [
            ns.ExportResponse(record={"version": 1, "memory": convert.memory(MEMORY)}),  # type: ignore[arg-type]
            ns.ExportResponse(
                record={"version": 1, "memory": convert.memory(MEMORY), "vector": [1, 0], "embedding_model": "m"}  # type: ignore[arg-type]
            ),
        ],
    ),
    Case(
        "Watch",
        wt.WatchRequest(namespaces=["team", "b"], types=[1, 7], resume_token="t-0", filter={"any_tags": ["茶"]}),  # type: ignore[list-item, arg-type]
        "watches.watch",
        (
            WatchQuery(
                ("team", "b"),
                Filter(any_tags=("茶",)),
                frozenset({EventType.CREATED, EventType.CHECKPOINT}),
                "t-0",
            ),
        ),
        {},
        [Event(EventType.CREATED, NOW, "t-1", "team", ID, MEMORY, "ada")],
        wt.WatchResponse(
            type=wt.WATCH_EVENT_TYPE_CREATED,
            namespace="team",
            memory_id=str(ID),
            memory=convert.memory(MEMORY),
            actor="ada",
            create_time=to_timestamp(NOW),
            resume_token="t-1",
        ),
    ),
    Case(
        "Reflect",
        pb.ReflectRequest(
            namespace="team",
            scope={"time_range": {"start": to_timestamp(NOW)}},  # type: ignore[arg-type]
            targets=[pb.REFLECTION_TARGET_LESSONS],
            dry_run=True,
        ),
        "reflections.start",
        (
            "team",
            ReflectOrder(ReflectionScope(time_range=TimeSpan(NOW, None)), (ReflectionTarget.LESSONS,), True),
            CALL,
        ),
        {},
        REFLECTION,
        pb.ReflectResponse(reflection=REFLECTED),
    ),
    Case(
        "GetReflection",
        pb.GetReflectionRequest(namespace="team", reflection_id=str(ID)),
        "reflections.get",
        ("team", ID),
        {},
        REFLECTION,
        pb.GetReflectionResponse(reflection=REFLECTED),
    ),
    Case(
        "WatchReflection",
        pb.WatchReflectionRequest(namespace="team", reflection_id=str(ID)),
        "reflections.watch",
        ("team", ID),
        {},
        [REFLECTION, REFLECTION],
        [pb.WatchReflectionResponse(reflection=REFLECTED)] * 2,
    ),
    Case(
        "CancelReflection",
        pb.CancelReflectionRequest(namespace="team", reflection_id=str(ID)),
        "reflections.cancel",
        ("team", ID, CALL),
        {},
        REFLECTION,
        pb.CancelReflectionResponse(reflection=REFLECTED),
    ),
    Case(
        "UpdateNamespace",
        ns.UpdateNamespaceRequest(
            name="team",
            description="茶\x00",
            policy=ns.Policy(importance_threshold=0.5, when_model_is_down=ns.MODEL_DOWN_POLICY_ACCEPT),
            update_mask=FieldMask(
                paths=[
                    "description",
                    "policy.importance_threshold",
                    "policy.when_model_is_down",
                    "policy.half_life_days",
                ]
            ),
            etag="e",
        ),
        "namespaces.update",
        ("team",),
        {
            "description": "茶",
            "rules": {"importance_threshold": 0.5, "accept_when_model_is_down": True, "half_life_days": None},
            "etag": "e",
            "call": CALL,
        },
        NAMESPACE,
        ns.UpdateNamespaceResponse(namespace=convert.namespace(NAMESPACE)),
    ),
    Case(
        "DeleteNamespace",
        ns.DeleteNamespaceRequest(name="team", confirm="team"),
        "namespaces.delete",
        ("team", CALL),
        {},
        {"memories": 2},
        ns.DeleteNamespaceResponse(counts={"memories": 2}),
    ),
    Case(
        "CreateGrant",
        ns.CreateGrantRequest(
            grant=ns.Grant(namespace="team", tenant="acme", role=ns.ROLE_READER, expire_time=to_timestamp(NOW))
        ),
        "sharing.create",
        ("team", NewGrant(Grantee.TENANT, "acme", Role.READER, False, NOW), CALL),
        {},
        GRANT,
        ns.CreateGrantResponse(grant=convert.grant(GRANT)),
    ),
    Case(
        "ListGrants",
        ns.ListGrantsRequest(namespace="team", page_size=2),
        "sharing.list",
        ("team",),
        {"page_size": 2, "page_token": ""},
        Page((GRANT,), "n"),
        ns.ListGrantsResponse(grants=[convert.grant(GRANT)], next_page_token="n"),
    ),
    Case(
        "RevokeGrant",
        ns.RevokeGrantRequest(namespace="team", grant_id=str(ID)),
        "sharing.revoke",
        ("team", ID, CALL),
        {},
        None,
        ns.RevokeGrantResponse(),
    ),
    Case(
        "ListAuditEvents",
        ns.ListAuditEventsRequest(namespace="team", agent_id="ada"),
        "audit.list",
        (),
        {"namespace": "team", "agent_id": "ada", "span": TimeSpan(), "page_size": 50, "page_token": ""},
        Page((EVENT,)),
        ns.ListAuditEventsResponse(events=[convert.audit_event(EVENT)]),
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.method)
async def test_a_call_is_passed_on_and_its_answer_back(channel: grpc.aio.Channel, fake: FakeCore, case: Case) -> None:
    fake.answers[case.asked] = case.answer
    assert await call(channel, case.method, case.request, timeout=None) == case.response
    asked = fake.asked[-1]
    assert (asked.name, asked.principal) == (case.asked, ADA)
    assert asked.arguments == case.arguments
    assert asked.options == case.options


def test_every_call_that_is_served_is_tested() -> None:
    assert {method.name for method in SERVED} == {case.method for case in CASES} | {"StreamWrite", "Import"}


MUTATIONS = [case for case in CASES if "request_id" in case.request.DESCRIPTOR.fields_by_name]


@pytest.mark.parametrize("case", MUTATIONS, ids=lambda case: case.method)
async def test_every_mutation_can_be_named_for_a_retry(channel: grpc.aio.Channel, fake: FakeCore, case: Case) -> None:
    request = type(case.request)()
    request.CopyFrom(case.request)
    request.request_id = "r-1"  # type: ignore[attr-defined]
    fake.answers[case.asked] = case.answer
    await call(channel, case.method, request, timeout=None)
    asked = fake.asked[-1]
    (options,) = [
        each for each in (*asked.arguments, *asked.options.values()) if isinstance(each, CallOptions | WriteOptions)
    ]
    named = (options.call if isinstance(options, WriteOptions) else options).request
    assert named is not None
    assert (named.method, named.request_id) == (METHOD_OF[request.DESCRIPTOR.full_name], "r-1")
    assert len(named.fingerprint) == 32


def test_a_policy_is_sent_with_its_defaults() -> None:
    policy = convert.namespace(NAMESPACE).policy
    assert policy.HasField("importance_threshold")
    assert policy.importance_threshold == 0
    assert policy.default_visibility == memory_pb2.VISIBILITY_SHARED
    assert policy.when_model_is_down == ns.MODEL_DOWN_POLICY_REFUSE
    assert (policy.episodic_retention_days, policy.episodic_cap_per_user) == (30, 1000)
    assert (policy.time_zone, policy.keep_query_text) == ("UTC", False)
    assert not policy.HasField("recency_weight")


def test_a_policy_comes_back_as_it_was_given() -> None:
    given = ns.Policy(
        importance_threshold=0.5,
        default_visibility=memory_pb2.VISIBILITY_PRIVATE,
        when_model_is_down=ns.MODEL_DOWN_POLICY_ACCEPT,
        episodic_retention_days=0,
        low_confidence_retention_days=1,
        episodic_cap_per_user=2,
        session_ttl_seconds=60,
        reflect_every_turns=0,
        reflection_schedule="0 3 * * *",
        time_zone="Asia/Shanghai",
        forget_window_days=3,
        review_window_days=4,
        review_threshold=0.0,
        keep_query_text=True,
        lexical_weight=0.0,
        vector_weight=1.0,
        recency_weight=0.25,
        half_life_days=1.0,
    )
    assert len(given.ListFields()) == len(given.DESCRIPTOR.fields)
    policy = convert.policy(given)
    assert policy.default_visibility is Visibility.PRIVATE
    assert policy.accept_when_model_is_down is True
    namespace = Namespace(UUID(int=7), "team", "", policy, 1, NOW, NOW)
    assert convert.namespace(namespace).policy == given

"""Finding, figures and following: how a call is passed on."""

from __future__ import annotations

from datetime import UTC, datetime

from tests.rpc.doubles import (
    ID,
    MEMORY,
    NOW,
)
from tests.rpc.passing.case import CALL, OTHER, Case

from recalld.v1 import memory_pb2
from recalld.v1 import memory_service_pb2 as pb
from recalld.v1 import watch_service_pb2 as wt
from recalld_server.core.types import (
    ArmScore,
    Context,
    ContextQuery,
    Explanation,
    Hit,
    Ranking,
    SearchAnswer,
    SearchQuery,
    Section,
)
from recalld_server.core.watch import Event, EventType, WatchQuery
from recalld_server.model import (
    DayCount,
    Filter,
    Kind,
    KindCount,
    State,
    Stats,
    TimeMode,
    TimeSpan,
)
from recalld_server.rpc import convert
from recalld_server.rpc.convert.values import to_timestamp

CASES = [
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
]

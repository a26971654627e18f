"""What a search finds, by words alone where that is the point, and what it must not find."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from recalld import Client, MemoryInput, RankingOptions, TimeRange, errors, where
from recalld_server.demo.process import Running

WORDS = RankingOptions(vector_weight=0)
"""The vector arm is off."""


@pytest.mark.parametrize(
    ("text", "queries"),
    [
        ("会议室预订系统的管理员密码规则是每九十天更换一次", ["管理员密码", "九十天"]),
        ("上海办公室的打印机型号是HP M283", ["请问一下上海那个办公室打印机是什么型号的", "HP M283"]),
        ("会議室の予約は総務部に連絡してください", ["会議室", "総務部"]),
        ("회의실 예약은 총무팀에 문의하세요", ["회의실", "총무팀에"]),
        ("The migration of ERR_OSSL_EVP_UNSUPPORTED needs node 17", ["ERR_OSSL_EVP_UNSUPPORTED", "ossl evp"]),
    ],
)
def test_words_alone_find_in_every_script(root: Client, text: str, queries: list[str]) -> None:
    root.write_batch([text, "天气晴朗适合散步", "Nothing of the sort", "無関係なメモです", "관계없는 메모"])
    for query in queries:
        found = root.search(query, ranking=WORDS, explain=True)
        assert found[0].content == text, query
        assert found.explanation is not None
        assert found.explanation.candidates["lexical"] >= 1
        assert found.explanation.plans == ("off",)


def test_a_query_of_two_scripts_loses_neither(root: Client) -> None:
    root.write_batch(["kubectl install notes", "kubectl 部署回滚步骤写在运维手册第三章", "回滚前先备份数据库"])
    contents = [hit.content for hit in root.search("kubectl 回滚", ranking=WORDS)]
    assert contents[0] == "kubectl 部署回滚步骤写在运维手册第三章"
    assert len(contents) == 3


@pytest.mark.parametrize(
    "query", ["What did I do last Friday?", "what happened last Friday", "上周五我做了什么", "上週五發生了什麼事"]
)
def test_a_question_for_a_time_alone_is_answered_with_what_happened_then(root: Client, query: str) -> None:
    monday = datetime(2026, 11, 30, 9, tzinfo=UTC)
    then = datetime(2026, 11, 27, 12, tzinfo=UTC)
    told = ["Had a root canal; it cost 380 euros.", "和亨利在车站旁吃了拉面"]
    root.write_batch([MemoryInput(text, kind="episodic", event_time=then) for text in told])
    root.write_batch(
        [f"School closes on Friday in week {n}; what I did last is no matter" for n in range(12)]
        + [f"周五的外卖由行政统一订，第{n}组" for n in range(12)]
    )
    found = root.search(query, reference_time=monday, top_k=5)
    assert {hit.content for hit in found[:2]} == set(told)


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("Where were we over Christmas?", "Skied in Tyrol"),
        ("去年春节我们做了什么", "和外婆包饺子"),
        ("what broke between 3 and 5 pm yesterday", "The login page was down"),
        ("昨天下午三点到五点出了什么问题", "The login page was down"),
        ("the tickets of week 42", "写了周报"),
    ],
)
def test_words_for_a_time_are_a_filter_in_the_callers_zone(root: Client, query: str, told: str) -> None:
    def at(text: str) -> datetime:
        return datetime.fromisoformat(f"{text}+08:00")

    happened = {
        "Skied in Tyrol": at("2025-12-26T00:30"),
        "和外婆包饺子": at("2025-01-29T07:00"),
        "The login page was down": at("2026-11-29T16:59"),
        "The login page was up again": at("2026-11-29T17:00"),
        "写了周报": at("2026-10-12T00:00"),
        "An ordinary day": at("2026-10-11T23:59"),
    }
    root.write_batch([MemoryInput(text, kind="episodic", event_time=moment) for text, moment in happened.items()])
    now = at("2026-11-30T10:00")
    found = root.search(query, reference_time=now, time_zone="Asia/Shanghai", time_mode="filter")
    assert [hit.content for hit in found] == [told]
    assert found.understood_time is not None
    again = root.search(query, reference_time=now, time_zone="Asia/Shanghai", event_time=found.understood_time.range)
    assert [hit.content for hit in again] == [told]
    assert again.understood_time is None


@pytest.mark.parametrize(
    "query", ["who is the one that was there", "The Who", "to be or not to be", "是不是的", "了吗", "???", "😀"]
)
def test_words_that_say_little_are_a_query_like_any(root: Client, query: str) -> None:
    root.write_batch(["We saw The Who live in 2019", "他是不是已经走了", "an unrelated memory of lunch"])
    found = root.search(query)
    assert all(0 <= hit.score <= 1 for hit in found)
    if query == "The Who":
        assert found[0].content == "We saw The Who live in 2019"
        assert root.search(query, ranking=WORDS)[0].content == "We saw The Who live in 2019"
    if query == "是不是的":
        assert root.search(query, ranking=WORDS)[0].content == "他是不是已经走了"


@pytest.mark.parametrize(
    ("old", "new", "query"),
    [
        ("The office door code is 1357", "The office door code is 2468", "door code"),
        ("林乔住在杭州", "林乔住在上海", "林乔住在哪里"),
    ],
)
def test_the_superseded_is_absent_unless_asked_for_and_then_below(root: Client, old: str, new: str, query: str) -> None:
    before = root.write(old)
    after = root.write(new)
    assert (after.outcome.name, [each.memory_id for each in after.related]) == ("SUPERSEDED", [before.memory_id])
    assert [hit.content for hit in root.search(query)] == [new]
    both = root.search(query, states=["active", "superseded"], ranking=RankingOptions(keep_near_duplicates=True))
    assert [hit.content for hit in both] == [new, old]
    assert both[1].memory.superseded_by == after.memory_id
    assert both[1].memory.state.name == "SUPERSEDED"


@pytest.mark.parametrize(
    ("liked", "disliked", "query"),
    [
        ("I enjoy cilantro", "I cannot stand cilantro any more", "cilantro"),
        ("我喜欢吃香菜", "我再也不吃香菜了", "香菜"),
    ],
)
def test_who_takes_a_thing_back_is_believed_and_nothing_is_lost(
    root: Client, liked: str, disliked: str, query: str
) -> None:
    first, second = root.write(liked), root.write(disliked)
    found = [hit.memory for hit in root.search(query)]
    assert found[0].memory_id == second.memory_id
    assert second.outcome.name in ("SUPERSEDED", "CONFLICT")
    everything = {memory.content: memory.state.name for memory in root.list(states=["active", "superseded"])}
    assert everything[disliked] == "ACTIVE"
    assert everything[liked] == ("SUPERSEDED" if second.outcome.name == "SUPERSEDED" else "ACTIVE")
    assert root.get(first.memory_id).content == liked


def test_the_forgotten_takes_no_place_in_an_answer(root: Client) -> None:
    alike = root.write_batch([MemoryInput(f"茶 tea order {n}", kind="episodic") for n in range(50)])
    ids = {item.unwrap().memory_id for item in alike}
    assert len(ids) > 25
    live = root.write("someone once spoke of tea 有人提过茶")
    root.forget(sorted(ids))
    for query in ("茶 tea order 7", "tea", "茶"):
        assert [hit.memory.memory_id for hit in root.search(query, top_k=5)] == [live.memory_id]
        assert [hit.memory.memory_id for hit in root.search(query, top_k=5, ranking=WORDS)] == [live.memory_id]


def test_only_the_namespaces_that_were_named_are_searched(running: Running, root: Client) -> None:
    space = root.get(root.write("a loose mention of the heron 鹭").memory_id).namespace
    better = [f"{space}-labs", f"{space}/sub", space[:-1]]
    for name in better:
        root.namespaces.create(name)
        root.namespace(name).write("heron heron 鹭 heron 鹭")
    assert [hit.memory.namespace for hit in root.search("heron 鹭", top_k=100)] == [space]
    assert root.stats().total == 1
    found = root.search("heron 鹭", namespaces=[space, better[0]], top_k=100)
    assert {hit.memory.namespace for hit in found} == {space, better[0]}
    key = root.keys.create("narrow", "reader", namespaces=[space]).secret
    with Client(running.address, key=key) as narrow:
        for names in ([space, better[0]], [better[1]], [space, "no/such"]):
            with pytest.raises(errors.NotFound):
                narrow.search("heron", namespaces=names)
        assert len(narrow.search("heron", namespaces=[space])) == 1


def test_two_namespaces_may_hold_the_same_id(running: Running, root: Client) -> None:
    first = root.write("the heron nests in March 鹭")
    space, other = root.get(first.memory_id).namespace, f"{root.get(first.memory_id).namespace}-twin"
    root.namespaces.create(other)
    root.namespace(other).write("the heron left in May 鹭", memory_id=first.memory_id)
    found = root.search("heron 鹭", namespaces=[space, other])
    assert {(hit.memory.namespace, hit.content) for hit in found} == {
        (space, "the heron nests in March 鹭"),
        (other, "the heron left in May 鹭"),
    }


def test_an_answer_is_as_long_as_it_can_be(root: Client) -> None:
    root.write_batch(
        [MemoryInput(f"事件 event {n}", kind="episodic", tags=["x"] if n < 70 else []) for n in range(130)]
    )
    for options in (None, WORDS):
        for query in ("事件 event 12", "nothing of the sort 毫不相干"):
            assert len(root.search(query, top_k=100, ranking=options)) == 100
            assert len(root.search(query, top_k=100, ranking=options, all_tags=["x"])) == 70


def test_values_of_metadata_are_values_and_no_patterns(root: Client) -> None:
    root.write("the visit of O'Hara", metadata={"name": "O'Hara"})
    root.write("the key of q7k", metadata={"name": "q7k"})

    def found(condition: object) -> list[object]:
        listed: list[object] = [memory.metadata["name"] for memory in root.list(metadata=condition)]  # type: ignore[arg-type]
        hits = [hit.memory.metadata["name"] for hit in root.search("the visit key", metadata=condition)]  # type: ignore[arg-type]
        assert sorted(map(str, listed)) == sorted(map(str, hits))
        return listed

    assert found(where("name").in_(["O'Hara"])) == ["O'Hara"]
    assert found(where("name").in_(["q", "7", "k"])) == []
    assert found(where("name").in_([])) == []
    assert found(where("name") == "zz') OR true --") == []


MOMENTS = [
    datetime(1, 1, 1, tzinfo=UTC),
    datetime(1931, 6, 7, 0, 0, 0, 250_000, tzinfo=UTC),
    datetime(1969, 12, 31, 23, 59, 59, 500_000, tzinfo=UTC),
    datetime(1970, 1, 1, tzinfo=UTC),
    datetime(2026, 3, 8, 1, 30, tzinfo=UTC),
    datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
]


def test_any_moment_comes_back_and_is_filtered_exactly(root: Client) -> None:
    root.write_batch([MemoryInput(f"事件 event {n}", kind="episodic", event_time=t) for n, t in enumerate(MOMENTS)])
    assert sorted(memory.event_time for memory in root.list() if memory.event_time) == MOMENTS
    for moment in MOMENTS[1:]:
        earlier = [memory.event_time for memory in root.list(event_time=TimeRange(end=moment))]
        assert sorted(each for each in earlier if each) == [each for each in MOMENTS if each < moment]
    found = root.search("事件 event", top_k=100, event_time=TimeRange(end=MOMENTS[3]))
    assert {hit.memory.event_time for hit in found} == set(MOMENTS[:3])


@pytest.mark.parametrize("zone", ["Asia/Shanghai", "America/New_York"])
def test_the_ends_of_the_calendar_are_read_in_every_zone(root: Client, zone: str) -> None:
    ends = MOMENTS[0], MOMENTS[-1]
    root.write_batch([MemoryInput(f"事件 event {n}", kind="episodic", event_time=t) for n, t in enumerate(ends)])
    text = root.context("事件 event", time_zone=zone).text
    assert "0001-01-01 事件 event 0" in text
    assert "9999-12-31 事件 event 1" in text
    for query in ("the event of last week", "上周的事件"):
        for now in ends:
            assert len(root.search(query, time_zone=zone, reference_time=now, time_mode="boost")) == 2


def test_times_of_any_zone_contradict_each_other_in_order(root: Client) -> None:
    root.write("Omar's flight leaves at 9", event_time=datetime.fromisoformat("2026-03-08T01:30:00+08:00"))
    root.write("Omar's flight leaves at 11", event_time=datetime.fromisoformat("2026-03-08T01:30:00"))
    times = {memory.content: memory.event_time for memory in root.list(states=["active", "superseded"])}
    assert times["Omar's flight leaves at 9"] == datetime(2026, 3, 7, 17, 30, tzinfo=UTC)
    assert times["Omar's flight leaves at 11"] == datetime(2026, 3, 8, 1, 30, tzinfo=UTC)

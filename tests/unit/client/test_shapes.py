"""Files of other programs become memories to write."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from recalld.cli.shapes import Shape, guess, read
from recalld.errors import InvalidArgument
from recalld.types.memories import MemoryInput

CHAT = {
    "messages": [
        {"role": "system", "content": "You are terse."},
        {"role": "user", "content": "我对花生过敏", "name": "Alice"},
        {"role": "assistant", "content": [{"type": "text", "text": "Noted."}, {"type": "image_url", "image_url": {}}]},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"function": {"name": "search", "arguments": '{"q": "nuts"}'}}],
        },
        {"role": "tool", "content": ""},
    ]
}
LOCOMO = {
    "sample_id": "conv-1",
    "conversation": {
        "speaker_a": "Ann",
        "speaker_b": "Bo",
        "session_10": [{"speaker": "Bo", "dia_id": "D10:1", "text": "later"}],
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ann", "dia_id": "D1:1", "text": "去了上海"},
            {"speaker": "Bo", "dia_id": "D1:2", "text": "", "blip_caption": "a bridge"},
        ],
        "session_10_date_time": "soon",
    },
}
GRAPH = [
    {"type": "entity", "name": "李雷", "entityType": "person", "observations": ["喜欢龙井", "李雷住在杭州"]},
    {"type": "entity", "name": "ACME", "entityType": "company", "observations": []},
    {"type": "relation", "from": "李雷", "to": "ACME", "relationType": "works_at"},
]


def lines(*values: object) -> list[str]:
    return [json.dumps(value, ensure_ascii=False) + "\n" for value in values]


def read_all(shape: Shape, given: list[str]) -> list[MemoryInput]:
    return list(read(shape, given, "log"))


def test_each_line_of_a_text_is_a_memory() -> None:
    memories = read_all(Shape.TEXT, ["\ufeffAlice likes tea\n", "\n", "  爱丽丝喜欢茶  \n"])
    assert [memory.content for memory in memories] == ["Alice likes tea", "爱丽丝喜欢茶"]


@pytest.mark.parametrize(
    "given", [lines(CHAT), json.dumps(CHAT, indent=1).splitlines(keepends=True), lines(CHAT["messages"])]
)
def test_a_chat_log_is_an_episode_for_each_message(given: list[str]) -> None:
    memories = read_all(Shape.OPENAI, given)
    assert [memory.content for memory in memories] == ["我对花生过敏", "Noted.", "calls search"]
    assert [memory.speaker for memory in memories] == ["Alice", "assistant", "assistant"]
    assert {memory.kind for memory in memories} == {"episodic"}
    assert {memory.session_id for memory in memories} == {"log-0"}
    assert memories[2].tool_calls[0].arguments == '{"q": "nuts"}'


def test_messages_may_come_one_a_line() -> None:
    memories = read_all(
        Shape.OPENAI, lines({"role": "user", "content": "hi", "timestamp": 1}, {"role": "user", "content": "你好"})
    )
    assert [memory.content for memory in memories] == ["hi", "你好"]
    assert memories[0].event_time == datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("stamp", "moment"),
    [
        (1_700_000_000, datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)),
        (1_700_000_000_000, datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)),
        ("2023-11-14T22:13:20Z", datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)),
        (1e300, None),
        (float("nan"), None),
        ("昨天", None),
    ],
)
def test_the_time_of_a_message_is_read_in_seconds_or_milliseconds(stamp: object, moment: datetime | None) -> None:
    (memory,) = read_all(Shape.OPENAI, lines({"role": "user", "content": "你好", "created_at": stamp}))
    assert memory.event_time == moment


@pytest.mark.parametrize("given", [lines([LOCOMO]), json.dumps([LOCOMO], indent=2).splitlines(keepends=True)])
def test_locomo_keeps_speakers_sessions_and_times(given: list[str]) -> None:
    one, two, three = read_all(Shape.LOCOMO, given)
    assert (one.content, one.speaker, one.session_id) == ("去了上海", "Ann", "conv-1/session_1")
    assert one.event_time == datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
    assert two.content == "[shows a picture: a bridge]"
    assert one.event_time is not None
    assert two.event_time is not None
    assert two.event_time > one.event_time
    assert (three.session_id, three.event_time, three.metadata) == ("conv-1/session_10", None, {"dia_id": "D10:1"})


def test_a_graph_becomes_facts_that_name_their_entities() -> None:
    memories = read_all(Shape.MCP_GRAPH, lines(*GRAPH))
    assert [memory.content for memory in memories] == [
        "李雷: 喜欢龙井",
        "李雷住在杭州",
        "ACME: is of the type company",
        "李雷 works at ACME",
    ]
    assert memories[3].entities == ["李雷", "ACME"]
    assert memories[0].tags == ["person"]


@pytest.mark.parametrize(
    ("given", "shape"),
    [
        (lines(CHAT), Shape.OPENAI),
        (lines({"role": "user", "content": "x"}), Shape.OPENAI),
        ([json.dumps(CHAT, indent=1)], Shape.OPENAI),
        (lines([LOCOMO]), Shape.LOCOMO),
        ([json.dumps([LOCOMO], indent=1)], Shape.LOCOMO),
        (lines(*GRAPH), Shape.MCP_GRAPH),
        (lines({"version": 1, "memory": {"content": "x"}}), Shape.RECALL),
        (["Alice likes tea\n", "more\n"], Shape.TEXT),
        (["爱丽丝喜欢茶"], Shape.TEXT),
        (["12\n"], Shape.TEXT),
        ([""], Shape.TEXT),
    ],
)
def test_what_a_file_holds_is_guessed(given: list[str], shape: Shape) -> None:
    assert guess("".join(given)) is shape


@pytest.mark.parametrize(
    ("shape", "given"),
    [
        (Shape.OPENAI, ["{broken\n"]),
        (Shape.OPENAI, lines(7)),
        (Shape.MCP_GRAPH, [*lines(GRAPH[0]), "secret\n"]),
        (Shape.MCP_GRAPH, lines({"type": "memory"})),
        (Shape.LOCOMO, lines({"conversation": []})),
    ],
)
def test_a_file_of_another_shape_is_refused_without_its_text(shape: Shape, given: list[str]) -> None:
    with pytest.raises(InvalidArgument) as caught:
        read_all(shape, given)
    assert "secret" not in str(caught.value)

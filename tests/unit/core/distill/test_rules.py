"""What the rules keep of a conversation, and what they do not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.reflect import counted, distilled, is_forbidden, load
from recalld_server.core.distill import Category, Distilled, Role, RulesDistiller, Source
from recalld_server.core.distill.cluster import clusters
from recalld_server.core.distill.cues import read
from recalld_server.core.resolve import Lines, RulesResolver
from recalld_server.model import Kind, ToolCall, ToolStatus
from recalld_server.models.base import load_calibration
from recalld_server.models.hash import HashEmbedder
from recalld_server.text.sentences import sentences

BEGIN = datetime(2026, 3, 2, 9, tzinfo=UTC)
ALL = frozenset({Category.PREFERENCE, Category.FACT, Category.LESSON, Category.PATTERN})


def turn(place: int, text: str, role: Role = Role.PERSON, calls: Sequence[ToolCall] = ()) -> Source:
    time = BEGIN + timedelta(minutes=place)
    return Source(UUID(int=place + 1), role, text, time, session_id="s", tool_calls=tuple(calls))


def episode(day: int, text: str, kind: Kind = Kind.EPISODIC) -> Source:
    return Source(UUID(int=100 + day), Role.PERSON, text, BEGIN + timedelta(days=day), kind=kind)


async def distil(*sources: Source, categories: frozenset[Category] = ALL) -> Distilled:
    embedder = HashEmbedder()
    calibration = load_calibration(embedder.id)
    lines = Lines(calibration.duplicate_line, calibration.conflict_line)
    return await RulesDistiller(embedder, RulesResolver(), lines).distill(sources, categories)


def texts(distilled: Distilled) -> list[str]:
    return [insight.content for insight in distilled.insights]


@pytest.mark.parametrize("half", ["tuning", "held"])
async def test_the_labelled_sessions_are_distilled_as_well_as_was_promised(half: str, tmp_path) -> None:  # type: ignore[no-untyped-def]
    sessions = load()
    kept = await distilled(sessions, "hash", tmp_path)
    figure = counted(sessions, kept, half, "all")
    assert figure.wanted >= 25
    assert figure.precision >= 0.9
    assert figure.recall >= 0.7
    assert not [each for s, insights in zip(sessions, kept, strict=True) for each in insights if is_forbidden(s, each)]


async def test_what_the_assistant_supposes_is_no_fact_about_the_person() -> None:
    result = await distil(
        turn(0, "What could I do on Sunday?"),
        turn(1, "Take up climbing: you love heights, and you own good shoes.", Role.ASSISTANT),
        turn(2, "您喜欢爬山，可以去黄山。", Role.ASSISTANT),
        turn(3, "nope"),
    )
    assert result.insights == ()
    assert result.skipped["not_said_by_the_person"] == 2


@pytest.mark.parametrize(
    "text", ["", "   \n\t", "\u3000\u200b", "👍", "hi!", "你好呀", "Thanks a lot!", "好的，谢谢", "ok cool"]
)
async def test_nothing_is_made_of_nothing(text: str) -> None:
    assert (await distil(turn(0, text))).insights == ()


@pytest.mark.parametrize(
    "text",
    [
        "我不要了，谢谢",
        "别这样",
        "记住这一点！",
        "下次吧",
        "我不喜欢。",
        "I don't want that.",
        "I'd rather not",
        "Always!",
        "My mistake.",
        "We decided.",
    ],
)
def test_a_cue_that_speaks_of_nothing_is_nothing(text: str) -> None:
    assert read(text) is None


@pytest.mark.parametrize(
    "text",
    ["不要香菜。", "别发短信", "我不喜欢吵", "I don't want olives.", "I'm vegan", "我吃素", "Call me by email only"],
)
def test_a_cue_and_a_word_are_something(text: str) -> None:
    assert read(text) is not None


@pytest.mark.parametrize(
    "text",
    [
        "不要给我打电话",
        "请不要给我发短信，发邮件就行。",
        "晚上别给我打电话",
        "別給我打電話，寫信就好",
        "不要帮我自动提交代码",
        "周五不要部署",
        "从今天起别给我推荐甜点",
        "我现在吃素，不要推荐牛排",
        "重启之前必须先问我",
        "Don't call me, e-mail me.",
        "Do not send me attachments.",
        "Please don't show me ads.",
        "Don't let me skip breakfast.",
        "Email me rather than calling.",
        "Don't deploy on Fridays.",
        "Don't restart the server without asking me.",
        "I'm vegan now, don't suggest steak.",
        "We don't use Jenkins any more, we now use GitLab CI.",
    ],
)
def test_an_instruction_that_lasts_is_kept(text: str) -> None:
    assert read(text) is not None


@pytest.mark.parametrize(
    "text",
    [
        "先别重启",
        "先不要合并这个分支",
        "現在別重啟伺服器",
        "等一下，别删",
        "今天不要部署",
        "先别给我打电话",
        "给我打电话",
        "别担心",
        "不要紧，慢慢来",
        "要不要一起吃饭",
        "Don't restart it now.",
        "Please don't merge it just yet",
        "Wait, don't push that!",
        "Do not touch it for now.",
        "Don't call me now, please.",
        "Don't worry about it.",
        "Never mind, tell me the weather.",
        "Call me back in ten minutes.",
    ],
)
def test_an_instruction_for_the_moment_is_not(text: str) -> None:
    assert read(text) is None


async def test_saying_it_again_is_support_not_a_second_insight() -> None:
    result = await distil(
        turn(0, "I prefer green tea."), turn(9, "I prefer green tea!"), turn(12, "我更喜欢靠窗的座位。")
    )
    tea, seat = result.insights
    assert (tea.support, tea.source_ids) == (2, (UUID(int=1), UUID(int=10)))
    assert tea.confidence > seat.confidence
    assert seat.category is Category.PREFERENCE


async def test_of_two_that_contradict_the_later_stands() -> None:
    result = await distil(turn(0, "I live in Berlin."), turn(5, "I live in Hamburg."))
    assert texts(result) == ["I live in Hamburg."]
    assert result.skipped["contradicted_later"] == 1
    result = await distil(turn(0, "我住在上海。"), turn(5, "我住在广州。"))
    assert texts(result) == ["我住在广州。"]


async def test_a_denial_is_not_counted_as_support() -> None:
    result = await distil(turn(0, "I like spicy food."), turn(5, "I don't like spicy food."))
    assert texts(result)[-1] == "I don't like spicy food."
    assert all(insight.support == 1 for insight in result.insights)


async def test_doubt_lowers_confidence_below_the_line_for_review() -> None:
    (insight,) = (await distil(turn(0, "Maybe I prefer the morning flight."))).insights
    assert insight.confidence < 0.6
    (insight,) = (await distil(turn(0, "我可能更喜欢早班飞机。"))).insights
    assert insight.confidence < 0.6


async def test_a_failure_and_what_overcame_it_are_one_lesson() -> None:
    failed = ToolCall("make", ToolStatus.ERROR, "make all", "missing header zlib.h")
    remedy = ToolCall("shell", ToolStatus.OK, "apt-get install zlib1g-dev")
    again = ToolCall("make", ToolStatus.OK, "make all")
    (lesson,) = (
        await distil(
            turn(0, "Build it, please"),
            turn(1, "Building.", Role.ASSISTANT, [failed]),
            turn(2, "", Role.ASSISTANT, [remedy]),
            turn(3, "", Role.ASSISTANT, [again]),
        )
    ).insights
    assert lesson.category is Category.LESSON
    assert "zlib.h" in lesson.content
    assert "`apt-get install zlib1g-dev`, then `make all`" in lesson.content
    assert lesson.source_ids == (UUID(int=2), UUID(int=3), UUID(int=4))


async def test_a_lesson_is_told_in_the_language_of_the_conversation_without_secrets() -> None:
    failed = ToolCall("curl", ToolStatus.TIMEOUT, "curl -H token=abc123 http://a", "超时")
    again = ToolCall("curl", ToolStatus.OK, "curl -m 60 -H token=abc123 http://a")
    result = await distil(turn(0, "请求一下接口"), turn(1, "好的", Role.ASSISTANT, [failed, again]))
    (lesson,) = result.insights
    assert "失败" in lesson.content
    assert "有效的做法" in lesson.content
    assert "abc123" not in lesson.content


@pytest.mark.parametrize("arguments", ["--jobs 2", '{"jobs": 2}'])
async def test_arguments_that_are_no_command_are_told_with_their_tool(arguments: str) -> None:
    failed = ToolCall("pg_dump", ToolStatus.ERROR, "--jobs 8", "too many connections")
    again = ToolCall("pg_dump", ToolStatus.OK, arguments)
    (lesson,) = (await distil(turn(0, "", Role.TOOL, [failed]), turn(1, "", Role.TOOL, [again]))).insights
    assert lesson.content == f"`pg_dump --jobs 8` failed: too many connections. What worked: `pg_dump {arguments}`."


@pytest.mark.parametrize(("arguments", "remedied"), [("README", False), ("lib/settings.py", True), ("", True)])
async def test_another_errand_of_the_same_tool_is_no_remedy(arguments: str, remedied: bool) -> None:
    failed = ToolCall("read_file", ToolStatus.ERROR, "read_file src/settings.py", "not found")
    later = ToolCall("read_file", ToolStatus.OK, arguments)
    result = await distil(turn(0, "", Role.TOOL, [failed]), turn(1, "", Role.TOOL, [later]))
    assert bool(result.insights) is remedied


async def test_a_failure_that_nothing_overcame_teaches_nothing() -> None:
    failed = ToolCall("make", ToolStatus.ERROR, "make all", "no rule")
    assert (await distil(turn(0, "go", Role.ASSISTANT, [failed]))).insights == ()


async def test_an_assistant_may_name_the_cause_only_where_a_tool_failed() -> None:
    cause = "It turned out that the certificate had expired."
    assert (await distil(turn(0, cause, Role.ASSISTANT))).insights == ()
    failed = ToolCall("ping", ToolStatus.ERROR, "ping", "handshake")
    assert texts(await distil(turn(0, "", Role.ASSISTANT, [failed]), turn(1, cause, Role.ASSISTANT))) == [cause]


async def test_what_recurs_is_a_pattern() -> None:
    result = await distil(*(episode(day, f"Order {day} of oat milk came late from the depot") for day in range(3)))
    (pattern,) = result.insights
    assert pattern.category is Category.PATTERN
    assert pattern.support == 3
    assert not (await distil(*(episode(day, "Order of oat milk came late") for day in range(2)))).insights


async def test_similar_episodes_fold_into_an_abstract() -> None:
    result = await distil(
        *(episode(day, "备份任务在凌晨完成") for day in range(4)), categories=frozenset({Category.ABSTRACT})
    )
    (abstract,) = result.insights
    assert abstract.content == "备份任务在凌晨完成 (4 ×, 2026-03-02 – 2026-03-05)"
    assert abstract.support == 4


async def test_what_a_memory_says_already_is_not_said_again() -> None:
    result = await distil(episode(0, "I prefer tea.", Kind.SEMANTIC))
    assert result.insights == ()
    assert result.skipped["already_known"] == 1


async def test_only_what_is_asked_for_is_looked_for() -> None:
    said = turn(0, "I prefer tea. We decided to use Rust.")
    assert len((await distil(said)).insights) == 2
    (only,) = (await distil(said, categories=frozenset({Category.FACT}))).insights
    assert "Rust" in only.content


async def test_names_and_times_are_kept() -> None:
    (insight,) = (await distil(replace(turn(0, "My manager is Tomas Berg."), event_time=BEGIN))).insights
    assert "Tomas Berg" in insight.entities
    assert insight.event_time == BEGIN


def test_sentences_end_where_a_reader_ends_them() -> None:
    text = "Dr. Li uses v2.0 of file.py. It works! Really?\n第一句。第二句！第三句？```\ncode. not said\n```End"
    assert list(sentences(text)) == [
        "Dr. Li uses v2.0 of file.py.", "It works!", "Really?", "第一句。", "第二句！", "第三句？", "End",
    ]  # fmt: skip


@given(st.text(max_size=300))
def test_any_text_is_read_without_fault_and_sentences_are_parts_of_it(text: str) -> None:
    for sentence in sentences(text):
        assert sentence in text
        assert sentence.strip() == sentence != ""
        read(sentence)


@pytest.mark.parametrize("piece", ["i don't ", "不是", "my a b c ", "not ", "...", "以后，", "a" * 50 + " "])
async def test_long_texts_of_cues_are_read_in_one_pass(piece: str) -> None:
    result = await distil(turn(0, piece * (200_000 // len(piece))))
    assert result.insights == ()


def test_what_has_no_vector_stays_alone() -> None:
    assert clusters([None, None], ["a", "a"], 0.5) == [[0], [1]]

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld_server.core.triggers import BURST, IDLE, Due, due, has_cue
from recalld_server.model import Policy, Session, SessionState, ToolCall, ToolStatus, Trigger, Turn, TurnRole, new_id

NOW = datetime(2025, 3, 4, tzinfo=UTC)


def session(turn_count: int, asked_turn: int = 0) -> Session:
    return Session("s", "team", SessionState.OPEN, "ada", "", turn_count, asked_turn, 0, 0, NOW, NOW, NOW)


def turn(content: str, role: TurnRole = TurnRole.USER, *calls: ToolCall) -> Turn:
    return Turn(new_id(), role, content, "ada", NOW, tool_calls=calls)


@pytest.mark.parametrize(
    "text",
    [
        "Remember that I'm allergic to peanuts.",
        "please REMEMBER: tabs, not spaces",
        "From now on, answer in German",
        "Don’t forget the milk",
        "do not   forget\nthe milk",
        "请记住我对花生过敏",
        "以后都用中文回答",
        "从现在起别再自动提交",
        "別忘了備份",
        "我以後都坐早班車",
        "Do you remember me? Then note that I moved.",
        "你还记得我吗?记住,我搬家了",
    ],
)
def test_what_is_to_be_kept_is_a_cue(text: str) -> None:
    assert has_cue(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Hello there!",
        "Do you remember my name?",
        "I don't remember where I put it",
        "the remembered set grows",
        "a remembrance_day parade",
        "你还记得我的名字吗",
        "我不记得放哪儿了",
        "今天天气不错",
    ],
)
def test_talk_and_questions_are_no_cue(text: str) -> None:
    assert not has_cue(text)


@given(st.text(max_size=200))
def test_a_cue_is_found_whatever_stands_around_it(text: str) -> None:
    assert has_cue(f"{text}。记住这一点")
    assert has_cue(f"keep in mind that… {text}") or text[:1].isalnum()


@pytest.mark.parametrize("role", [TurnRole.ASSISTANT, TurnRole.TOOL])
def test_only_people_and_instructions_give_cues(role: TurnRole) -> None:
    assert due(session(1), [turn("我会记住的 I will remember", role)], Policy()) == Due(Trigger.IDLE, IDLE)
    assert due(session(1), [turn("Remember this", TurnRole.SYSTEM)], Policy()) == Due(Trigger.CUE, BURST)


@pytest.mark.parametrize("status", [ToolStatus.ERROR, ToolStatus.TIMEOUT])
def test_a_failed_tool_comes_before_a_cue(status: ToolStatus) -> None:
    turns = [turn("记住"), turn("", TurnRole.ASSISTANT, ToolCall("ls", ToolStatus.OK), ToolCall("rm", status))]
    assert due(session(2), turns, Policy()) == Due(Trigger.TOOL_FAILURE, BURST)


@pytest.mark.parametrize("status", [None, ToolStatus.OK, ToolStatus.CANCELLED])
def test_a_tool_that_did_not_fail_sets_nothing_off(status: ToolStatus | None) -> None:
    assert due(session(1), [turn("", TurnRole.TOOL, ToolCall("ls", status))], Policy()) == Due(Trigger.IDLE, IDLE)


@pytest.mark.parametrize(
    ("turn_count", "asked_turn", "every", "reason"),
    [
        (4, 0, None, Trigger.IDLE),
        (5, 0, None, Trigger.TURNS),
        (12, 8, None, Trigger.IDLE),
        (13, 8, None, Trigger.TURNS),
        (2, 0, 2, Trigger.TURNS),
        (7, 0, 8, Trigger.IDLE),
    ],
)
def test_every_so_many_turns(turn_count: int, asked_turn: int, every: int | None, reason: Trigger) -> None:
    found = due(session(turn_count, asked_turn), [turn("嗯 ok")], Policy(reflect_every_turns=every))
    assert found is not None
    assert found.reason is reason
    assert found.set_off is (reason is Trigger.TURNS)
    assert found.delay == (IDLE if reason is Trigger.IDLE else timedelta(0))


def test_a_namespace_may_look_back_at_the_end_only() -> None:
    turns = [turn("记住", TurnRole.USER, ToolCall("rm", ToolStatus.ERROR))]
    assert due(session(50), turns, Policy(reflect_every_turns=0)) is None

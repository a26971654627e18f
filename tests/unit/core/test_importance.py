"""Importance by cues, in both languages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld_server.core.importance import score_importance

HIGH, MIDDLE, LOW = 0.85, 0.6, 0.2


@pytest.mark.parametrize(
    "text",
    [
        "The user is allergic to penicillin.",
        "用户对青霉素过敏。",
        "Grandma takes insulin twice a day.",
        "奶奶每天打两次胰岛素。",
        "Never log passwords.",
        "千万不要把密码写进日志。",
        "Please: always run the tests first.",
        "以后都用中文回答。",
        "The deadline is Friday.",
        "截止日期是周五。",
        "Don’t forget the renewal.",
        "记住，周一续费。",
    ],
)
def test_what_would_hurt_to_lose_is_high(text: str) -> None:
    assert score_importance(text, "semantic") >= HIGH


@pytest.mark.parametrize("text", ["The user prefers dark mode.", "用户喜欢深色模式。", "I love jazz", "我讨厌下雨天"])
def test_preferences_are_in_the_middle(text: str) -> None:
    assert MIDDLE <= score_importance(text, "semantic") < HIGH


@pytest.mark.parametrize(
    "text",
    [
        "Hi there!",
        "Thanks a lot 🙂",
        "ok",
        "Sounds good, see you later!",
        "你好！",
        "好的，谢谢！",
        "今天天气真好",
        "哈哈哈",
        "",
        "👍",
        "  \n ",
    ],
)
def test_greetings_and_small_talk_are_low(text: str) -> None:
    assert score_importance(text, "episodic") <= LOW


@pytest.mark.parametrize(("text", "other"), [("Ok, the deadline is moved.", "Ok."), ("好的，密码改了。", "好的。")])
def test_a_greeting_does_not_hide_what_follows(text: str, other: str) -> None:
    assert score_importance(text, "episodic") >= HIGH > score_importance(other, "episodic")


def test_cues_are_whole_words() -> None:
    plain = score_importance("The sky was cloudy.", "semantic")
    assert score_importance("A mosquito sat on the password_hint_id column.", "semantic") == plain
    assert score_importance("She undeadlined the tyre.", "semantic") == plain


def test_without_a_cue_the_kind_decides() -> None:
    text = "It rained in Porto."
    by_kind = [score_importance(text, kind) for kind in ("working", "episodic", "semantic", "procedural")]
    assert by_kind == sorted(by_kind)
    assert score_importance("Is it raining in Porto?", "semantic") < score_importance(text, "semantic")


@pytest.mark.parametrize("text", ["ran the export", "导出任务", "ok"])
def test_a_failed_tool_is_worth_remembering(text: str) -> None:
    assert score_importance(text, "episodic", tool_failed=True) >= 0.7
    assert score_importance("用户对花生过敏", "episodic", tool_failed=True) == score_importance(
        "用户对花生过敏", "episodic"
    )


@given(st.text(max_size=300), st.sampled_from(["episodic", "semantic", "procedural", "working"]), st.booleans())
def test_any_text_has_a_score_between_0_and_1(text: str, kind: str, failed: bool) -> None:
    score = score_importance(text, kind, failed)
    assert 0 <= score <= 1
    assert score == score_importance(text, kind, failed)

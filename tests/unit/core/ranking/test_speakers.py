from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld_server.core.ranking.speakers import named


@pytest.mark.parametrize(
    ("query", "speakers", "expected"),
    [
        ("When did Caroline move?", {"Caroline", "Melanie"}, {"Caroline"}),
        ("What is Caroline's plan?", {"Caroline"}, {"Caroline"}),
        ("when did caroline move?", {"Caroline"}, {"Caroline"}),
        ("What did Jolene say?", {"Jo", "Jolene Park"}, {"Jolene Park"}),
        ("What will the user do?", {"Will", "user"}, set()),
        ("What did José say?", {"José", "Jos"}, {"José"}),
        ("请问Tom换了密码吗?", {"Tom", "Tomas"}, {"Tom"}),
        ("李伟负责什么?", {"李伟", "李"}, {"李伟"}),
        ("用户喜欢什么?", {"用户", "助手"}, set()),
        ("a+b?", {"a+b", "(x"}, {"a+b"}),
        ("", {"Ann"}, set()),
    ],
)
def test_named(query: str, speakers: set[str], expected: set[str]) -> None:
    assert named(query, speakers) == expected


@given(st.text(), st.lists(st.text(), max_size=5))
def test_any_text_is_taken(query: str, speakers: list[str]) -> None:
    assert named(query, speakers) <= set(speakers)

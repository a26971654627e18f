"""A question for a time alone, and questions for more than that."""

from __future__ import annotations

import pytest

from recalld_server.text.asking import asks_only_for_time


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("What did I do last Friday?", "last Friday"),
        ("two weeks ago", "two weeks ago"),
        ("Tell me everything that happened on 3 May", "on 3 May"),
        ("What did we talk about the week before Easter?", "the week before Easter"),
        ("Summarize last week, please", "last week"),
        ("总结一下上周", "上周"),
        ("除夕晚上我们聊了什么", "除夕晚上"),
        ("上周五我做了什么", "上周五"),
        ("去年国庆我们去了哪里？", "去年国庆"),
        ("昨天發生了哪些事", "昨天"),
    ],
)
def test_nothing_but_a_time_is_asked_for(text: str, phrase: str) -> None:
    assert asks_only_for_time(text, phrase)


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("What did the dentist say last Friday?", "last Friday"),
        ("who did I have lunch with on Friday", "on Friday"),
        ("PAY-1423 last week", "last week"),
        ("上周五的会议说了什么", "上周五"),
        ("上周的总结", "上周"),
        ("the summary of last week", "last week"),
        ("七月在海边丢了什么", "七月"),
        ("昨天 👍", "nothing of it"),
    ],
)
def test_something_else_is_asked_for_as_well(text: str, phrase: str) -> None:
    assert not asks_only_for_time(text, phrase)

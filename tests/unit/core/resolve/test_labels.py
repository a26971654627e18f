"""A number right behind a thing is its label: two labelled things are two things."""

from uuid import uuid4

import pytest

from recalld_server.core.resolve import Lines, Neighbour, RulesResolver, Statement, Verdict

LINES = Lines(0.6, 0.3)


async def verdict(old: str, new: str, similarity: float) -> Verdict:
    neighbour = Neighbour(uuid4(), Statement(old, None, "semantic"), similarity)
    return (await RulesResolver().resolve(Statement(new, None, "semantic"), [neighbour], LINES)).verdict


@pytest.mark.parametrize("similarity", [0.45, 0.7, 0.95])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("fact 0", "fact 1"),
        ("This is note 3.", "This is note 4."),
        ("memory number 1", "memory number 2"),
        ("Memory 1: test", "Memory 2: test"),
        ("writer 3 message 17", "writer 3 message 18"),
        ("row 1 value 10", "row 2 value 10"),
        ("hello world 1", "hello world 2"),
        ("记忆 1", "记忆 2"),
        ("测试数据3", "测试数据4"),
        ("会议室3的投影坏了", "会议室4的投影坏了"),
        ("第1条记录", "第2条记录"),
        ("工人7写的", "工人8写的"),
        ("工人七写的报告", "工人八写的报告"),
        ("工人7负责喷漆", "工人8负责喷漆"),
        ("客户7点了汤", "客户8点了汤"),
        ("选手7点赞了", "选手8点赞了"),
        ("顾客7点外卖", "顾客8点外卖"),
        ("志愿者12迟到了", "志愿者13迟到了"),
        ("worker 7 wrote it", "worker 8 wrote it"),
        ("Player 21 scored twice", "Player 22 scored twice"),
    ],
)
async def test_labelled_things_are_different_things(old: str, new: str, similarity: float) -> None:
    assert await verdict(old, new, similarity) is Verdict.NEW


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The server has 3 disks", "The server has 4 disks"),
        ("I have 2 cats", "I have 3 cats"),
        ("API version is 3", "API version is 4"),
        ("端口是8080", "端口是9090"),
        ("用户7住在沈阳", "用户7住在长春"),
        ("站会是下午4点", "站会是下午5点"),
    ],
)
async def test_amounts_still_change(old: str, new: str) -> None:
    assert await verdict(old, new, 0.9) is Verdict.SUPERSEDES

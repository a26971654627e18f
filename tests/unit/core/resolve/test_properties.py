"""What must hold for any text."""

from __future__ import annotations

import asyncio
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from recalld_server.core.resolve import Lines, Neighbour, Resolution, RulesResolver, Statement, Verdict
from recalld_server.core.resolve.frames import MAX_LENGTH
from recalld_server.core.resolve.normalise import normalise
from recalld_server.core.resolve.scan import MAX_PIECES
from recalld_server.core.resolve.tokens import MAX_TOKENS, tokenise

LINES = Lines(duplicate=0.8, conflict=0.35)
KINDS = st.sampled_from(["episodic", "semantic", "procedural", "working"])
COSINES = st.floats(-1, 1)
WORDS = st.sampled_from(
    [
        "the",
        "user",
        "I",
        "not",
        "no",
        "longer",
        "never",
        "likes",
        "moved",
        "to",
        "from",
        "is",
        "are",
        "was",
        "at",
        "in",
        "3",
        "pm",
        "$5",
        "64GB",
        "v1.2",
        "PAY-3",
        "Anna",
        "Ben",
        "Rome",
        "tea",
        ",",
        ".",
        "?",
        "用户",
        "我",
        "不",
        "不再",
        "没有",
        "喜欢",
        "搬到",
        "从",
        "是",
        "在",
        "下午三点",
        "三只",
        "猫",
        "上海",
        "浦东",
        "张",
        "换成",
        "改为",
        "了",
        "，",
        "。",
        "5月3日",
        "更正：",
    ]
)
SENTENCES = st.one_of(
    st.text(max_size=200), st.lists(WORDS, max_size=30).map(" ".join), st.lists(WORDS, max_size=30).map("".join)
)


def resolve(old: str, new: str, kind: str, similarity: float) -> Resolution:
    neighbour = Neighbour(UUID(int=1), Statement(old, None, kind), similarity)
    return asyncio.run(RulesResolver().resolve(Statement(new, None, kind), [neighbour], LINES))


@given(SENTENCES, SENTENCES, KINDS, COSINES)
def test_never_raises_and_always_answers_the_same(old: str, new: str, kind: str, similarity: float) -> None:
    first = resolve(old, new, kind, similarity)
    assert first == resolve(old, new, kind, similarity)
    assert (first.verdict is Verdict.NEW) == (first.memory_ids == ())


@given(SENTENCES, KINDS, COSINES)
def test_the_same_text_is_a_duplicate(text: str, kind: str, similarity: float) -> None:
    assert resolve(text, text, kind, similarity).verdict is Verdict.DUPLICATE


SUBJECTS = st.sampled_from(["The user", "Anna", "The server", "My sister", "The team"])
VERBS = st.sampled_from(["like", "eat", "need", "use", "want", "know", "support", "cache", "send"])
THINGS = st.sampled_from(["fish", "jazz", "the old logs", "PAY-381", "Rome", "12 cats", "backups at night", "gluten"])


@given(SUBJECTS, VERBS, THINGS, COSINES, st.booleans())
def test_a_flip_of_polarity_is_never_a_duplicate(
    subject: str, verb: str, thing: str, similarity: float, turned: bool
) -> None:
    texts = [f"{subject} does {verb} {thing}.", f"{subject} does not {verb} {thing}."]
    old, new = reversed(texts) if turned else texts
    assert resolve(old, new, "semantic", similarity).verdict is not Verdict.DUPLICATE


ZH_SUBJECTS = st.sampled_from(["用户", "妈妈", "服务器", "小王", "团队"])
ZH_VERBS = st.sampled_from(["喜欢", "吃", "需要", "用", "支持", "认识", "缓存"])
ZH_THINGS = st.sampled_from(["鱼", "爵士乐", "旧日志", "上海", "夜间备份", "番茄"])
ZH_NEGATIONS = st.sampled_from(["不", "不再", "从不", "并不", "已经不"])


@given(ZH_SUBJECTS, ZH_VERBS, ZH_THINGS, ZH_NEGATIONS, COSINES, st.booleans())
def test_a_chinese_flip_of_polarity_is_never_a_duplicate(
    subject: str, verb: str, thing: str, negation: str, similarity: float, turned: bool
) -> None:
    texts = [f"{subject}{verb}{thing}。", f"{subject}{negation}{verb}{thing}。"]
    old, new = reversed(texts) if turned else texts
    assert resolve(old, new, "semantic", similarity).verdict is not Verdict.DUPLICATE


@given(st.integers(0, 10**6), st.integers(0, 10**6), COSINES)
def test_another_number_is_never_a_duplicate(first: int, second: int, similarity: float) -> None:
    for text in ("The gate code is {}.", "大门密码是{}。", "Anna owns {} books.", "服务器有{}个核。"):
        found = resolve(text.format(first), text.format(second), "semantic", similarity)
        assert (found.verdict is Verdict.DUPLICATE) == (first == second)


@given(st.text("十万亿一两百12.:-+a@_/#v$年月日点周 '", max_size=30), st.integers(1, 700))
def test_numerals_and_codes_of_any_length_are_read(piece: str, times: int) -> None:
    text = (piece * times)[:MAX_LENGTH]
    assert resolve(text, text, "semantic", 0.9).verdict is Verdict.DUPLICATE
    assert resolve("用户住在大连。", text, "semantic", 0.9) == resolve("用户住在大连。", text, "semantic", 0.9)


@given(st.text(max_size=40), st.integers(1, 400))
def test_the_work_is_bounded_by_the_length(piece: str, times: int) -> None:
    text = normalise((piece * times)[:MAX_LENGTH])
    assert len(tokenise(text)) <= min(MAX_TOKENS, 8 * len(text))


def test_a_long_text_is_not_parsed() -> None:
    long = "The user likes tea. " * 2000
    assert resolve(long, long + "x", "semantic", 0.99) == Resolution(Verdict.NEW, (), 0.99, "long_text")
    assert len(tokenise("a+" * (MAX_LENGTH // 2))) == MAX_TOKENS < MAX_PIECES

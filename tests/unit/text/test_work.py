"""Whatever a text is made of, everything that reads it ends without an error, after work that grows as the text does."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from datetime import UTC, datetime
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recalld_server.core.distill import Category, RulesDistiller, Source
from recalld_server.core.distill.cues import is_negated, read
from recalld_server.core.distill.types import Role
from recalld_server.core.importance import score_importance
from recalld_server.core.resolve import Lines, Neighbour, RulesResolver, Statement
from recalld_server.core.resolve.frames import MAX_LENGTH
from recalld_server.core.triggers import has_cue
from recalld_server.models.hash import HashEmbedder
from recalld_server.text.budget import estimate_tokens
from recalld_server.text.clean import clean, content_hash, is_blank, snippet
from recalld_server.text.entities import extract_entities, identifiers
from recalld_server.text.language import language
from recalld_server.text.lexical import lexical_document
from recalld_server.text.sentences import sentences
from recalld_server.text.time_ranges import find_time_range
from recalld_server.text.tokens import query_weights, tokens_and_length, turns

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
SHORT, TIMES = 3_000, 8
LONG = SHORT * TIMES
LONGEST = 100_000
LEAST = 0.001
"""Seconds: what takes less says nothing about how it grows."""

PIECES = {
    "english": "Alice moved to Berlin last week, and she doesn't like the early train. ",
    "chinese": "上周三我搬到了上海，以后都不喝咖啡了；记住周五下午三点开会。",
    "both": "我用 Rust 写 backend，deadline 是 2026年3月15日 or next Monday吧。",
    "markdown": "## 标题 Title\n\n- [ ] **bold** _it_ `code`\n> [a](https://example.org/x?y=1#z)\n\n| a | b |\n|---|---|\n",
    "html": "<div class=\"x\"><p>茶 &amp; tea<br/></p><!-- 注释 --><a href='/x'>",
    "json": '{"名字": "Ann", "list": [1, 2.5e-3, null, {"k": "v\\n"}]}, ',
    "code": "def f(x: int) -> str:\n    return f'{x!r}'  # 注释\n\nfoo_bar.bazQux(a[0], *args);\n",
    "emoji": "👩🏽\u200d💻🇨🇳👨\u200d👩\u200d👧\u200d👦❤️\u200d🔥",
    "zero width": "a\u200b\u200c\u200d\ufeff我\u2060",
    "right to left": "\u202eשלום عالم 123 \u202c",
    "marks": "e\u0301\u0327\u0300",
    "marks alone": "\u0301",
    "letters": "a",
    "capitals": "Ab",
    "digits": "7",
    "numbers": "12.34-56:",
    "one character": "我",
    "characters": "的一是在不了有和人这",
    "numerals": "一百二十万零三",
    "blanks": " ",
    "wide blanks": "　\t",
    "lines": "\n\r\n",
    "dots": ".",
    "quotes": "“\"'《",
    "brackets": "([{<（【",
    "hyphens": "a-",
    "underscores": "a_b",
    "at": "a@b.",
    "slashes": "a/b\\",
    "addresses": "http://a.b/c?d=e&",
    "negations": "not 不 no longer ",
    "cues": "remember that 记住 I prefer 我喜欢",
    "times": "early in the night of the first week of last 上个月初",
    "half a time": "2026-0",
    "years": "2026年3月",
    "commas": ",，、;",
    "surrogates": "\ud83d",
    "unassigned": "\U000e0001\uffff",
}


def _distilled(text: str) -> object:
    said = Source(UUID(int=1), Role.PERSON, text, NOW, session_id="s")
    distiller = RulesDistiller(HashEmbedder(), RulesResolver(), Lines(0.9, 0.3))
    return asyncio.run(distiller.distill([said], frozenset(Category)))


def _resolved(text: str) -> object:
    # what is longer is not read, so the longest that is read is made of the piece and the least of the rest
    old, new = text[: MAX_LENGTH - 1], f"x{text[: MAX_LENGTH - 1]}"
    neighbour = Neighbour(UUID(int=1), Statement(old, NOW, "semantic"), 0.95)
    return asyncio.run(RulesResolver().resolve(Statement(new, NOW, "semantic"), [neighbour], Lines(0.9, 0.3)))


READERS: dict[str, Callable[[str], object]] = {
    "clean": lambda text: (clean(text), is_blank(text)),
    "hash": content_hash,
    "snippet": lambda text: snippet(text, 200),
    "tokens": tokens_and_length,
    "query": lambda text: (query_weights(text), turns(text)),
    "lexical": lambda text: lexical_document(text, average_length=20.0),
    "entities": lambda text: (extract_entities(text), identifiers(text)),
    "language": language,
    "sentences": lambda text: list(sentences(text)),
    "times": lambda text: find_time_range(text, NOW, ZoneInfo("Asia/Shanghai")),
    "budget": estimate_tokens,
    "importance": lambda text: (score_importance(text, "semantic"), has_cue(text)),
    "cues": lambda text: (read(text), is_negated(text)),
    "distiller": _distilled,
    "resolver": _resolved,
}


def text_of(piece: str, length: int) -> str:
    return (piece * (length // len(piece) + 1))[:length]


def work(reader: Callable[[str], object], text: str) -> float:
    """Seconds of this process's own work, whatever others do: most of it is inside regular expressions, where no calls can
    be counted."""
    begin = time.process_time()
    reader(text)
    return time.process_time() - begin


def is_linear(reader: Callable[[str], object], short: str, long: str) -> bool:
    """Whether the work on a text grows as its length does, and not as its square: by how much more than its length is 1 for
    what is linear and the ratio of the lengths for what is quadratic, and the line is halfway between on a scale of ratios.
    One try of several is enough, since other processes only ever add to the work."""
    times = len(long) / len(short)
    return any(work(reader, long) < times * times**0.5 * max(work(reader, short), LEAST) for _ in range(8))


@pytest.mark.parametrize("reader", READERS)
def test_the_work_grows_as_the_text_does(reader: str) -> None:
    read, longest = READERS[reader], MAX_LENGTH - 1 if reader == "resolver" else LONG
    pairs = {name: (text_of(piece, longest // TIMES), text_of(piece, longest)) for name, piece in PIECES.items()}
    assert [name for name, (short, long) in pairs.items() if not is_linear(read, short, long)] == []


@pytest.mark.parametrize(
    "piece", ["letters", "digits", "one character", "emoji", "zero width", "right to left", "marks"]
)
def test_a_word_of_a_hundred_thousand_characters_is_read(piece: str) -> None:
    text = text_of(PIECES[piece], LONGEST)
    assert [name for name, read in READERS.items() if not is_linear(read, text[: LONGEST // 20], text)] == []


@pytest.mark.parametrize("times", [TIMES, 20])
def test_work_that_grows_as_the_square_is_seen(times: int) -> None:
    def every_pair(text: str) -> int:
        return sum(1 for _ in text for _ in text)

    assert not is_linear(every_pair, "我" * 150, "我" * (150 * times))


@settings(max_examples=settings().max_examples // 2, suppress_health_check=list(HealthCheck))
@given(st.lists(st.one_of(st.sampled_from(list(PIECES.values())), st.text(max_size=40)), max_size=12).map("".join))
def test_any_text_is_read(text: str) -> None:
    for reader in READERS.values():
        reader(text)

"""What is stored, what counts as blank, what counts as the same, and where a snippet may end."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld_server.text import graphemes
from recalld_server.text.clean import clean, content_hash, is_blank, snippet
from recalld_server.text.normalise import Form, normalise

FAMILY = "👨\u200d👩\u200d👧\u200d👦"
FLAG = "🇩🇪"
WAVE = "👋🏽"
ACCENTS = "e\u0301\u0323"
EXTENSION_B = "\U00020bb7"
KEYCAP = "1\ufe0f\u20e3"
HINDI = "क्षि"
SCOTLAND = "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"
CHARACTERS = [
    FAMILY,
    FLAG,
    WAVE,
    ACCENTS,
    EXTENSION_B,
    KEYCAP,
    HINDI,
    SCOTLAND,
    "\r\n",
    "각",
    "\u1112\u1161\u11ab",
    "字",
    "a",
]
TEXTS = st.one_of(
    st.text(),
    st.text(alphabet=st.characters(codec=None)),
    st.lists(st.sampled_from([*CHARACTERS, "\u202e", "\ud800", "\x00", "\u200d", " "]), max_size=20).map("".join),
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("nul\x00led \x1b[31mred\x07", "nulled [31mred"),
        ("密码\x00是\x0b空\x0c的", "密码是空的"),
        ("a\tb\nc", "a\tb\nc"),
        ("dos\r\nmac\runix\n", "dos\nmac\nunix\n"),
        ("cafe\u0301", "café"),
        ("半\ud83d角", "半角"),
        ("e\x00\u0301", "é"),
    ],
)
def test_clean_removes_what_cannot_be_kept(text: str, expected: str) -> None:
    assert clean(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "```python\nprint('你好')\n```\n  indented\n",
        "ends with an open fence ```",
        f"family {FAMILY}, flag {FLAG}, wave {WAVE}",
        "שלום \u202eabc\u202c עולם",
        "全角　空格，ｆｕｌｌ",
        "  spaces stay  ",
        "ﬁne print, x² and ½",
        "\u0085\u009b",
    ],
)
def test_clean_leaves_everything_else_alone(text: str) -> None:
    assert clean(text) == text


@given(TEXTS)
def test_clean_is_idempotent_and_storable(text: str) -> None:
    cleaned = clean(text)
    assert clean(cleaned) == cleaned
    assert unicodedata.is_normalized("NFC", cleaned)
    cleaned.encode("utf-8")
    assert not any(character < " " and character not in "\t\n" for character in cleaned)


MARKS = st.text(
    alphabet="a\u0301\u0316\u0344\u0f71\u0f72\u0f73\u0f75\u0f81\uff9e\uff9f\u3099かカ\u1161각ﬁ²", max_size=60
)


@pytest.mark.parametrize("form", ["NFC", "NFKC"])
@given(text=st.one_of(MARKS, st.text()))
def test_normalising_is_the_standards(form: Form, text: str) -> None:
    assert normalise(form, text) == unicodedata.normalize(form, text)


@pytest.mark.parametrize(
    "text",
    ["", " ", "\n\t", "\u3000\u3000", "\u200b", "\u200d\u2060\ufeff", "\u202e", "\u00ad", "\u2800", "\u3164", "\ufe0f", "\x00\x01", "\ud800"],
)  # fmt: skip
def test_nothing_to_see_is_blank(text: str) -> None:
    assert is_blank(text)


@pytest.mark.parametrize("text", ["a", " 。 ", "???", "😀", "\u200b中\u200b", "0", "-"])
def test_anything_to_see_is_not_blank(text: str) -> None:
    assert not is_blank(text)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I like tea", "I  like\n tea "),
        ("I like tea", "i LIKE Tea"),
        ("I like tea", "I like tea."),
        ("I like tea", "I like tea!!"),
        ("I like tea", "Ｉ ｌｉｋｅ ｔｅａ"),
        ("我喜欢喝茶", "我喜欢喝茶。"),
        ("我喜欢喝茶", " 我喜欢喝茶！\n"),
        ("价格１２元", "价格12元"),
        ("cafe\u0301", "CAFÉ"),
        ("the voltage is 1.5", "The voltage is 1.5."),
    ],
)
def test_typing_differences_are_the_same_memory(one: str, other: str) -> None:
    assert content_hash(one) == content_hash(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("the voltage is 1.5", "the voltage is 15"),
        ("10⁵ users", "105 users"),
        ("H₂O", "H2O"),
        ("1½ cups", "11⁄2 cups"),
        ("第①个", "第1个"),
        ("C", "C++"),
        ("C", "C#"),
        ("C++", "C#"),
        ("he quit", "he quit?"),
        ("he is here", "he is not here"),
        ("他戒烟了", "他没戒烟"),
        ("喜欢", "不喜欢"),
        ("price is -5", "price is 5"),
        ("git add .", "git add"),
        ("cd ..", "cd"),
        ("key is aB3x", "key is ab3X"),
        ("branch iPhone", "branch iphone"),
        ("set max_Size", "set max_size"),
        ("a b", "ab"),
        ("5 > 3", "5 < 3"),
        ("会议3点", "会议13点"),
        ("用 ~/a", "用 /a"),
    ],
)
def test_differences_of_meaning_are_two_memories(one: str, other: str) -> None:
    assert content_hash(one) != content_hash(other)


def test_the_hash_is_32_bytes_and_never_changes() -> None:
    assert content_hash("I like tea").hex() == "b73246df6f239194e56bd6f99e3c2c220d004dd53b5e1a20754457b2afe4b38b"
    assert content_hash("我喜欢喝茶").hex() == "989e5676da25ea0ed053de320b48bdf6562b7fd605fb91d4fbebc8b80b327bb1"


@given(TEXTS)
def test_the_hash_takes_any_text_and_ignores_the_documented_folds(text: str) -> None:
    digest = content_hash(text)
    assert len(digest) == 32
    assert content_hash(f" {text}\n") == digest


@given(
    st.lists(
        st.sampled_from(["tea", "茶", "1.5", "15", "C", "C++", "C#", "not", "不", "-5", "5", "x²", "x2", "?"]),
        max_size=6,
    )
)
def test_texts_of_different_words_have_different_hashes(words: list[str]) -> None:
    changed = [*words, "tea"]
    assert content_hash(" ".join(words)) != content_hash(" ".join(changed))
    assert content_hash(" ".join(words)) == content_hash("   ".join(words))


@pytest.mark.parametrize("character", CHARACTERS)
def test_a_snippet_never_cuts_a_character(character: str) -> None:
    characters = [*"会议 notes ", character, character, *"尾巴 end"]
    whole = {"".join(characters[:count]) for count in range(len(characters) + 1)}
    text = "".join(characters)
    for limit in range(len(text) + 2):
        assert snippet(text, limit) == max((prefix for prefix in whole if len(prefix) <= limit), key=len)


def test_a_snippet_is_as_long_as_it_can_be() -> None:
    assert snippet("abcdef", 4) == "abcd"
    assert snippet("上海办公室", 3) == "上海办"
    assert snippet(f"ab{FAMILY}c", 4) == "ab"
    assert snippet(f"ab{FAMILY}c", 2 + len(FAMILY)) == f"ab{FAMILY}"
    assert snippet(f"{FLAG}{FLAG}", 3) == FLAG
    assert snippet("short", 100) == "short"
    assert snippet(FAMILY, 3) == ""
    assert snippet("a", -1) == ""


def test_a_snippet_leaves_lone_surrogates_out() -> None:
    assert snippet("半\ud83d角 half", 3) == "半角 "


@given(TEXTS, st.integers(min_value=-2, max_value=40))
def test_a_snippet_of_any_text_is_a_valid_prefix(text: str, limit: int) -> None:
    short = snippet(text, limit)
    sound = "".join(character for character in text if not "\ud800" <= character <= "\udfff")
    assert sound.startswith(short)
    assert len(short) <= max(limit, 0)
    short.encode("utf-8")
    assert graphemes.is_boundary(sound, len(short))


def test_boundaries_between_plain_characters_and_after_newlines() -> None:
    assert [graphemes.is_boundary("a\n\u0301b", index) for index in range(5)] == [True, True, True, True, True]
    assert [graphemes.is_boundary("a\u0301b", index) for index in range(4)] == [True, False, True, True]
    assert [graphemes.is_boundary("한국", index) for index in range(3)] == [True, True, True]

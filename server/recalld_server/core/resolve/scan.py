"""Cut a normalised text into pieces: Latin words, known Chinese words, numbers, dates, codes and marks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from recalld_server.text import scripts

from . import quantities as q
from .lexicon import Entry, Lexicon, Role, lemma, load, uninflected

MAX_PIECES = 800
SIGN = "sign"
"""The group of an emoji or another character that is no letter."""
ONGOING = "ongoing"
"""The form of a verb of change that is under way: "moving to"."""
NOTHING = "nothing"
"""The key of "None", "null", "n/a", 无 as a value."""


class Token(NamedTuple):
    """`key` is equal for equal meanings; `group` is the vocabulary's group; `name`: written as a name; `noun`: after "a"."""

    key: str
    role: Role
    group: str = ""
    forms: tuple[str, ...] = ()
    name: bool = False
    past: bool = False
    noun: bool = False


class Word(NamedTuple):
    """A Latin word: as written in lower case, as the lexicon files it, and as it is compared when the lexicon has none."""

    lower: str
    lemma: str
    key: str
    capital: bool
    past: bool


class Compound(NamedTuple):
    """A Chinese word that stands for several."""

    words: str


Piece = Token | Word | Compound
_Found = tuple[list[Piece], int] | None

_CJK = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_END = r"(?![A-Za-z0-9_])"  # \b would see no boundary between a Latin and a Chinese letter
_ISSUE = re.compile(rf"(?:[A-Z][A-Z0-9]{{0,15}}-|#)\d+{_END}")
_CODE = re.compile(
    r"""[CFJ](?:\+\+|\#)
    | https?://[^\s\u3400-\u9fff]+
    | [\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+                                     # an address
    | \d[\d-]*-\d[\d-]*                                                              # 555-0147
    | (?=[\w./:@+-]{0,64}[\d_/@])[A-Za-z][A-Za-z0-9]*(?:[_./:@+-]+[A-Za-z0-9]+)*(?:\(\))?  # new_checkout, heron42
    | [A-Za-z]+(?:\.[A-Za-z]+)+                                                       # node.js
    | \d{7,}
    | \d+[A-Za-z][A-Za-z0-9]*
    | \w{1,64}\(\)""",
    re.ASCII | re.VERBOSE,
)
_AMOUNT_UNIT = re.compile(rf"(\d+(?:\.\d+)?)\s?(gb|mb|tb|kb|ms|km|kg|mg|ml|cm|s|h|min){_END}", re.I)
_VERSION = re.compile(rf"v?(\d+(?:\.\d+)+){_END}|v(\d+){_END}", re.I)
# "None", "null" and 无 as what a field holds; at the head of a clause, "none of them" denies.
_NOTHING = re.compile(
    r"""(?:(?<=[\w:=,(]\s)|(?<=[:=(\u3400-\u9fff]))(?:None(?!\sof)|null|NULL|nil|N/A|n/a)(?![\w/-])
    | (?:(?<=[:=])|(?<=[:=]\s)|(?<=\b(?:is|be|to)\s))none(?=$|[.;,\n])
    | (?:(?<=[:=为是])|(?<=[:=为是]\s))(?:无|没有)(?=$|[.;,。\n])""",
    re.VERBOSE,
)
_LETTER_A = re.compile(r"A(?:(?=[ ,;!?\n]|\.?$)|([\u3400-\u9fff]))")
_PLAIN_WORD = re.compile(r"[A-Za-z]+(?:'[a-z]+)?(?=[ ,;!?]|\.(?: |$)|$)")
_LETTER = r"[^\W\d_\u3400-\u9fff\uf900-\ufaff]"
_WORD = re.compile(rf"{_LETTER}+(?:[{scripts.MARKS}]+{_LETTER}*)*(?:'[a-z]+)?")
_SURNAMES = frozenset(
    "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏钟汪田任姜范方石姚谭"
    "廖邹熊金陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段雷钱汤尹黎易常武乔贺赖龚文明红美强刚芳"
)
_COUNTING = frozenset("0123456789零〇一二两三四五六七八九十百千万亿半几多个每整这那某首 /")
_COUNTED = frozenset({"unit", "measure"})
_NICKNAME = re.compile(r"[小老阿]([\u4e00-\u9fff])")
_MARKS = {",": Role.COMMA, ":": Role.COMMA, "?": Role.QUESTION, "、": Role.CONJUNCTION} | dict.fromkeys(
    ";!。\n", Role.STOP
)
_ABBREVIATED = re.compile(r"\b(?:Dr|Mr|Mrs|Ms|Prof|St|No|vs|etc|e\.g|i\.e)\.$")
_SILENT = frozenset("\"'()[]{}«»“”‘’「」『』《》〈〉【】-–—…·.*_`~")


def pieces(text: str) -> Iterator[Piece]:
    """Yield the pieces of a normalised text in order, at most about MAX_PIECES; linear in the text."""
    lexicon = load()
    at, end = 0, len(text)
    emitted = 0
    while at < end and emitted < MAX_PIECES:
        c = text[at]
        if c == " ":
            at += 1
            continue
        found = (
            _nothing(text, at, c)
            or _literal(text, at, c)
            or _latin(text, at, c, lexicon)
            or _chinese(text, at, c, lexicon)
        )
        if found is not None:
            cut, at = found
            emitted += len(cut)
            yield from cut
            continue
        at += 1
        if c == "." and (at == end or text[at] == " ") and not _ABBREVIATED.search(text, max(0, at - 6), at):
            yield Token(c, Role.STOP)
        elif c in _MARKS:
            yield Token(c, _MARKS[c])
        elif c == "%":
            yield Token("percent", Role.UNIT, "unit")
        elif c == "-" and (at == 1 or text[at - 2] == " ") and (m := q.NUMBER.match(text, at)):
            yield _number("-" + m[0])
            at = m.end()
        elif c not in _SILENT:
            yield Token(c, Role.WORD, SIGN)


def _nothing(text: str, at: int, c: str) -> _Found:
    """What says that there is no value, where a value stands."""
    m = _NOTHING.match(text, at) if c in "Nn无没" else None
    return ([Token(NOTHING, Role.CODE, name=True)], m.end()) if m else None


def _literal(text: str, at: int, c: str) -> _Found:
    """Dates, clock times and amounts."""
    if c.isascii():
        if c in q.CURRENCY and (m := q.AMOUNT.match(text, at)):
            return [_number(m[2]), Token(q.CURRENCY[c], Role.UNIT, "unit")], m.end()
        if not c.isdigit():
            return None
        if m := q.ISO_DATE.match(text, at):
            return [Token(q.date_key(int(m[2]), int(m[3]), m[1]), Role.TIME)], m.end()
        if m := q.CLOCK.match(text, at):
            return [Token(q.clock(m), Role.TIME)], m.end()
        if m := q.ORDINAL.match(text, at):
            return [_number(m[1])], m.end()
        if m := _AMOUNT_UNIT.match(text, at):
            return [_number(m[1]), Token(_unit(m[2]), Role.UNIT, "unit")], m.end()
    elif c in "£€¥" and (m := q.AMOUNT.match(text, at)):
        return [_number(m[2]), Token(q.CURRENCY[c], Role.UNIT, "unit")], m.end()
    if m := q.ZH_DATE.match(text, at):
        return [Token(q.zh_date(m), Role.TIME)], m.end()
    if m := q.ZH_CLOCK.match(text, at):
        return [Token(q.zh_clock(m), Role.TIME)], m.end()
    if m := q.ZH_DAY.match(text, at):
        return [Token(q.zh_day(m), Role.TIME)], m.end()
    return None


def _number(written: str) -> Token:
    return Token("#" + written.replace(",", ""), Role.NUMBER)


def _unit(written: str) -> str:
    entry = load().english[(written.lower(),)]
    return entry.key if isinstance(entry, Entry) else written.lower()


def _latin(text: str, at: int, c: str, lexicon: Lexicon) -> _Found:
    """Identifiers, numbers and Latin words."""
    if not (c.isalpha() or (c.isascii() and c.isdigit()) or c == "#") or _CJK.match(c):
        return None
    if c == "A" and _is_name(text, at):
        return [Token("A", Role.WORD, name=True)], at + 1
    if m := _PLAIN_WORD.match(text, at):
        return [_word(m[0], lexicon)], m.end()
    if m := _ISSUE.match(text, at):
        return [Token(m[0].casefold(), Role.IDENT)], m.end()
    if m := _VERSION.match(text, at):
        return [Token("#" + (m[1] or m[2]), Role.NUMBER)], m.end()
    if m := _CODE.match(text, at):
        # Two codes that differ in case are two codes; addresses are not.
        return [Token(m[0].casefold() if "@" in m[0] or m[0].isalpha() else m[0], Role.CODE, name=True)], m.end()
    if m := q.NUMBER.match(text, at):
        return [_number(m[0])], m.end()
    if m := _WORD.match(text, at):
        return [_word(m[0], lexicon)], m.end()
    return None


def _is_name(text: str, at: int) -> bool:
    """Whether a capital A is no article: "team A", A会议室."""
    letter = _LETTER_A.match(text, at)
    inside = at > 1 and text[at - 1] == " " and text[at - 2] not in _MARKS and text[at - 2] != "."
    return letter is not None and (inside or letter[1] is not None)


def _word(written: str, lexicon: Lexicon) -> Word:
    lower = written.casefold()
    stem = lower.removesuffix("'s") if "'" in lower else lower
    past = lower in lexicon.past or (len(lower) > 4 and lower.endswith("ed"))
    capital = written[0].isupper()
    base = lemma(stem, lexicon.irregular)
    key = uninflected(stem, lexicon.irregular) if capital else base
    if not written.isupper() and not written[1:].islower():
        key = stem  # getUser and getUsers are two functions
    return Word(lower, base, key, capital, past)


def _chinese(text: str, at: int, c: str, lexicon: Lexicon) -> _Found:
    """The longest known word, else a numeral, a nickname or one character."""
    if not _CJK.match(c):
        return None
    numeral = q.ZH_NUMBER.match(text, at)
    counted = numeral.end() + _unit_length(text, numeral.end(), lexicon) if numeral else at
    for size in range(min(lexicon.longest.get(c, 0), len(text) - at), 0, -1):
        entry = lexicon.chinese.get(text[at : at + size])
        if entry is None:
            continue
        # 十分 is "very", but 十分钟 is ten minutes: the longer reading wins.
        if numeral and (size == 1 or at + size < counted):
            break
        # 周敏 is a person, 架构 no unit: one character counts nothing without a number before it.
        if size == 1 and isinstance(entry, Entry) and entry.group in _COUNTED and text[at - 1 : at] not in _COUNTING:
            break
        known = _known(entry)
        if isinstance(known, Token) and known.role is Role.EXCLUSIVE and (c == "已" or text[at + size - 1] == "了"):
            known = known._replace(past=True)
        return [known], at + size
    if (m := _NICKNAME.match(text, at)) and m[1] in _SURNAMES:
        return [Token(m[0], Role.PERSON, "nickname", name=True)], m.end()
    if numeral:
        return [Token(f"#{q.zh_number(numeral[0])}", Role.NUMBER)], numeral.end()
    return [Token(c, Role.CHAR)], at + 1


def _known(entry: Entry | str) -> Piece:
    if isinstance(entry, str):
        return Compound(entry)
    return Token(entry.key, entry.role, entry.group, entry.forms)


def _unit_length(text: str, at: int, lexicon: Lexicon) -> int:
    """The length of the unit or measure word that begins at `at`, 0 when there is none."""
    for size in (3, 2, 1):
        surface = text[at : at + size]
        entry = lexicon.chinese.get(surface)
        if isinstance(entry, Entry) and entry.role in (Role.UNIT, Role.MEASURE):
            return len(surface)
    return 0

"""Cut a normalised statement into tokens that mean the same in both languages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from . import quantities as q
from .lexicon import Entry, Lexicon, Role, lemma, load, uninflected

MAX_TOKENS = 400


class Token(NamedTuple):
    """`key` is equal for equal meanings; `group` is the vocabulary's group; `name` says that it is written as a name."""

    key: str
    role: Role
    group: str = ""
    forms: tuple[str, ...] = ()
    name: bool = False
    past: bool = False


class _Word(NamedTuple):
    lower: str
    lemma: str
    key: str
    capital: bool
    past: bool


_CJK = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_END = r"(?![A-Za-z0-9_])"  # \b would see no boundary between a Latin and a Chinese letter
_ISSUE = re.compile(rf"(?:[A-Z][A-Z0-9]*-|#)\d+{_END}")
_CODE = re.compile(
    r"""[CFJ](?:\+\+|\#)
    | https?://[^\s\u3400-\u9fff]+
    | [\w.+-]+@[\w-]+(?:\.[\w-]+)+                                                    # an address
    | \d[\d-]*-\d[\d-]*                                                              # 555-0147
    | (?=[\w./:@+-]*[\d_/@])[A-Za-z][A-Za-z0-9]*(?:[_./:@+-]+[A-Za-z0-9]+)*(?:\(\))?  # new_checkout, heron42
    | [A-Za-z]+(?:\.[A-Za-z]+)+                                                       # node.js
    | \d{7,}
    | \d+[A-Za-z][A-Za-z0-9]*
    | \w+\(\)""",
    re.ASCII | re.VERBOSE,
)
_AMOUNT_UNIT = re.compile(rf"(\d+(?:\.\d+)?)\s?(gb|mb|tb|kb|ms|km|kg|mg|ml|cm|s|h|min){_END}", re.I)
_VERSION = re.compile(rf"v?(\d+(?:\.\d+)+){_END}|v(\d+){_END}", re.I)
_PLAIN_WORD = re.compile(r"[A-Za-z]+(?:'[a-z]+)?(?=[ ,;!?]|\.(?: |$)|$)")
_WORD = re.compile(r"[^\W\d_\u3400-\u9fff\uf900-\ufaff]+(?:'[a-z]+)?")
_SURNAMES = set(
    "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏钟汪田任姜范方石姚谭廖邹熊金陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段雷钱汤尹黎易常武乔贺赖龚文明红美强刚芳"
)
_NICKNAME = re.compile(r"[小老阿]([\u4e00-\u9fff])")
_PUNCTUATION = {",": Role.COMMA, ";": Role.STOP, "!": Role.STOP, "。": Role.STOP, "?": Role.QUESTION, "\n": Role.STOP, ":": Role.COMMA}
_MONTH_LEADS = {"in", "of", "by", "until", "since", "last", "next", "from", "to", "on", "early", "late", "this", "before"}
_SILENT = frozenset("\"'()[]{}<>«»“”‘’「」『』《》〈〉【】-–—…·.*_`~")


def tokenise(text: str, names: frozenset[str] = frozenset()) -> list[Token]:
    """Return at most MAX_TOKENS tokens of a normalised text; `names` are casefolded words known to be names."""
    return _merged(_phrases(list(_pieces(text)), load(), names))[:MAX_TOKENS]


def _pieces(text: str) -> Iterator[Token | _Word]:
    lexicon = load()
    at, end = 0, len(text)
    emitted = 0
    while at < end and emitted < 2 * MAX_TOKENS:
        c = text[at]
        if c == " ":
            at += 1
            continue
        found = _literal(text, at, c) or _latin(text, at, c, lexicon) or _chinese(text, at, c, lexicon)
        if found is not None:
            pieces, at = found
            emitted += len(pieces)
            yield from pieces
            continue
        at += 1
        if c == "." and (at == end or text[at] == " "):
            yield Token(c, Role.STOP)
        elif c == "、":
            yield Token("conjunction", Role.CONJUNCTION)
        elif c in _PUNCTUATION:
            yield Token(c, _PUNCTUATION[c])
        elif c == "%":
            yield Token("percent", Role.UNIT, "unit")
        elif c == "-" and (at == 1 or text[at - 2] == " ") and (m := q.NUMBER.match(text, at)):
            yield _number("-" + m[0])
            at = m.end()
        elif c not in _SILENT:
            yield Token(c, Role.WORD)


_Found = tuple[list["Token | _Word"], int] | None


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


@cache
def _unit(written: str) -> str:
    entry = load().english[(written.lower(),)]
    return entry.key if isinstance(entry, Entry) else written.lower()


def _latin(text: str, at: int, c: str, lexicon: Lexicon) -> _Found:
    """Identifiers, numbers and Latin words."""
    if not (c.isalpha() or (c.isascii() and c.isdigit()) or c == "#") or _CJK.match(c):
        return None
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


def _word(written: str, lexicon: Lexicon) -> _Word:
    lower = written.casefold()
    stem = lower.removesuffix("'s") if "'" in lower else lower
    past = lower in lexicon.past or (len(lower) > 4 and lower.endswith("ed"))
    capital = written[0].isupper()
    base = lemma(stem, lexicon.irregular)
    return _Word(lower, base, uninflected(stem, lexicon.irregular) if capital else base, capital, past)


def _chinese(text: str, at: int, c: str, lexicon: Lexicon) -> _Found:
    """The longest known word, else a numeral, a nickname or one character."""
    if not _CJK.match(c):
        return None
    numeral = q.ZH_NUMBER.match(text, at)
    if numeral and _counts(text, numeral.end(), lexicon) and (value := q.zh_number(numeral[0])) is not None:
        return [Token(f"#{value}", Role.NUMBER)], numeral.end()
    for size in range(min(lexicon.longest.get(c, 0), len(text) - at), 0, -1):
        surface = text[at : at + size]
        entry = lexicon.chinese.get(surface)
        if entry is None:
            continue
        if size == 1 and c in q._ZH_DIGITS:
            break
        return [*_expanded(surface)], at + size
    if m := _NICKNAME.match(text, at):
        if m[1] in _SURNAMES and text[at : at + 2] not in lexicon.chinese:
            return [Token(m[0], Role.PERSON, "nickname", name=True)], m.end()
    if numeral and (value := q.zh_number(numeral[0])) is not None:
        return [Token(f"#{value}", Role.NUMBER)], numeral.end()
    return [Token(c, Role.CHAR)], at + 1


def _counts(text: str, at: int, lexicon: Lexicon) -> bool:
    """Whether a unit or a measure word begins at `at`; 分 alone does not count, since 十分 is a word."""
    for size in (3, 2, 1):
        entry = lexicon.chinese.get(text[at : at + size])
        if isinstance(entry, Entry) and entry.role in (Role.UNIT, Role.MEASURE) and text[at : at + size] != "分":
            return True
    return False


@cache
def _expanded(surface: str) -> tuple[Token, ...]:
    """The tokens of a Chinese surface of the lexicon."""
    entry = load().chinese[surface]
    if isinstance(entry, str):
        return tuple(tokenise(entry))
    return (Token(entry.key, entry.role, entry.group, entry.forms),)


@cache
def _expanded_phrase(words: str) -> tuple[Token, ...]:
    return tuple(tokenise(words))


def _phrases(pieces: list[Token | _Word], lexicon: Lexicon, names: frozenset[str]) -> list[Token]:
    """Replace runs of Latin words by the longest phrases that the lexicon knows."""
    out: list[Token] = []
    at = 0
    while at < len(pieces):
        piece = pieces[at]
        if isinstance(piece, Token):
            out.append(piece)
            at += 1
            continue
        taken = _quantity(pieces, at, out) or _phrase(pieces, at, out, lexicon)
        if not taken:
            named = piece.capital or piece.lower in names
            out.append(Token(piece.key, Role.WORD, name=named, past=piece.past))
            taken = 1
        at += taken
    return out


def _quantity(pieces: list[Token | _Word], at: int, out: list[Token]) -> int:
    """Numbers, months and days written as words."""
    first = pieces[at]
    assert isinstance(first, _Word)
    if q.begins_number(first.lower):
        value, used = q.english_number([w.lower for w in pieces[at : at + 8] if isinstance(w, _Word)])
        out.append(Token(f"#{value}", Role.NUMBER))
        return used
    if first.lower in q.DAYS:
        sign = "+" if out and out[-1].key == "next" else ""
        out.append(Token(f"@day:{sign}{q.DAYS[first.lower]}", Role.TIME))
        return 1
    month = q.MONTHS.get(first.lower)
    if month and (first.lower not in ("may", "march", "mar", "dec", "sep", "jan", "jun") or first.capital):
        # "May" is a month beside a number or after a preposition; anywhere else it is the verb.
        if first.lower != "may" or (out and (out[-1].role is Role.NUMBER or out[-1].key in _MONTH_LEADS)):
            out.append(Token(f"@month:{month}", Role.TIME))
            return 1
    return 0


def _phrase(pieces: list[Token | _Word], at: int, out: list[Token], lexicon: Lexicon) -> int:
    first = pieces[at]
    assert isinstance(first, _Word)
    for size in lexicon.sizes.get(first.lemma, ()):
        words = pieces[at : at + size]
        phrase = tuple([word.lemma for word in words if isinstance(word, _Word)])
        entry = lexicon.english.get(phrase) if len(phrase) == size else None
        if entry is None:
            continue
        if isinstance(entry, str):
            out.extend(_expanded_phrase(entry))
        else:
            out.append(Token(entry.key, entry.role, entry.group, entry.forms, first.capital, first.past))
        return size
    return 0


def _merged(tokens: list[Token]) -> list[Token]:
    """Join a month and its day to a date, and a numbered thing and its number to one name."""
    out: list[Token] = []
    for token in tokens:
        last = out[-1] if out else None
        if last is not None:
            if token.key.startswith("@month:") and _is_day(last):
                out[-1] = Token(q.date_key(int(token.key[7:]), int(last.key[1:])), Role.TIME)
                continue
            if last.key.startswith("@month:") and _is_day(token):
                out[-1] = Token(q.date_key(int(last.key[7:]), int(token.key[1:])), Role.TIME)
                continue
            if last.role is Role.NUMBERED and token.role in (Role.NUMBER, Role.CODE):
                out[-1] = Token(f"{last.key}{token.key}", Role.IDENT)
                continue
            if last.role is Role.NUMBERED and token.role is Role.WORD and len(token.key) == 1:
                out[-1] = Token(f"{last.key}#{token.key}", Role.IDENT)
                continue
        out.append(token)
    return out


def _is_day(token: Token) -> bool:
    return token.role is Role.NUMBER and token.key[1:].isdigit() and 1 <= int(token.key[1:][:9]) <= 31

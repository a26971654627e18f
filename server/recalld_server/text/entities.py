"""Who and what a text is about, by simple rules: names, identifiers, quoted Chinese terms. No dictionary, no model."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from recalld_server.text import scripts
from recalld_server.text.stop_words import ENGLISH

_LETTERS: Final = rf"[^\W{scripts.CJK}{scripts.UNSPACED}]+"
_SURNAMES: Final = "王李张刘陈杨赵黄周吴徐孙胡朱林郭罗梁宋郑谢韩唐冯董萧曹袁邓傅沈彭吕苏卢蒋蔡贾丁魏薛余潘杜戴汪姜范姚谭廖邹熊陆郝崔邱秦顾侯邵孟"
_TITLES: Final = "先生|女士|小姐|老师|医生|经理|教授|师傅|阿姨|叔叔|主任|律师"
# The first alternative passes over plain words quickly.
_CANDIDATE: Final = re.compile(
    r"[a-z]+(?=[\s,;!?)])"
    r"|[「『《〈“](?P<quoted>[^「」『』《》〈〉“”\n]{1,40})[」』》〉”]"
    rf"|(?<![上下本每这])(?P<titled>[{_SURNAMES}][\u4e00-\u9fff]{{0,2}}?(?:{_TITLES}))"
    r"|(?:我叫|名叫|名字是|姓名是)(?P<named>[\u4e00-\u9fff]{2,4})(?![\u4e00-\u9fff])"
    rf"|(?P<word>{_LETTERS}(?:(?:://|::|[.\-'’/:@\\]){_LETTERS})*(?:\+\+|\#(?!\w))?)"
)

_QUANTITY: Final = re.compile(r"[0-9][0-9.,:/\-]*[^\W0-9_]{0,3}")
_HUMP: Final = re.compile(r"[a-z][A-Z]")
_SEPARATOR: Final = re.compile(r"[./:@\\]+")
_SENTENCE_ENDS: Final = frozenset('.?!。！？\n:：;；"“”*•-—>')
_HONORIFICS: Final = ("Dr.", "Mr.", "Mrs.", "Ms.", "Prof.", "St.")
_POSSESSIVES: Final = ("'s", "’s")

# Capitalised for another reason than being a name: calendar words, and what sentences about memories begin with.
_NOT_NAMES: Final = ENGLISH | frozenset(
    """
    dr mr mrs ms prof monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september
    october november december today yesterday tomorrow tonight last next every always never please remember note todo
    user users assistant system yes ok okay hi hello hey thanks thank sorry let lets also maybe perhaps however although
    because since while unless first second third finally then use using avoid prefer do don't make run see ask tell keep
    add set get put take try check call one two three everyone everybody nobody someone something nothing anything people
    i'll i've i'd we're we've we'll that's there's what's let's can't won't didn't doesn't isn't
    """.split()  # noqa: SIM905 - words read better in lines than in quotes
)
_FOLLOWING: Final = re.compile(r",? ([a-z]+)")
_AFTER_A_NAME: Final = frozenset(
    """
    is was has had will would can could should may might must does did and or said told asked went came got took made
    gave bought wrote left met found knew thought felt saw ran won lost sold built began kept spoke taught let put set
    """.split()  # noqa: SIM905 - words read better in lines than in quotes
)


LONGEST: Final = 200
"""Characters that the contract allows for an entity; what is longer names nothing."""


def extract_entities(text: str, limit: int = 16) -> list[str]:
    """The first `limit` entities of `text` in reading order, each once (case ignored), spelled as in the text, of at most
    LONGEST characters.

    - Identifiers: tickets, error codes, paths, hosts, addresses, camelCase and snake_case names, `C++`.
    - Names: runs of capitalised words and acronyms. The first word of a sentence counts when what follows speaks for a
      name (`Alice prefers`, `Bob's`, `Maria said`).
    - Chinese: what stands between 「」『』《》〈〉“”, a surname with its title (`张老师`), `我叫李明`.
    """
    found: dict[str, str] = {}
    for entity in _candidates(text):
        if len(found) >= limit:
            break
        if len(entity) > LONGEST:
            continue
        found.setdefault(entity.casefold(), entity)
    return list(found.values())


def identifiers(text: str, limit: int = 16) -> list[str]:
    """The entities that name one thing exactly: tickets, error codes, paths, hosts, snake_case and camelCase names."""
    return [entity for entity in extract_entities(text, limit) if _is_identifier(entity)]


def _candidates(text: str) -> Iterator[str]:
    shouting = text.isupper()
    name: list[str] = []
    name_end = -1
    at_start = False
    for match in _CANDIDATE.finditer(text):
        if match.lastgroup is None:
            continue
        word = match["word"]
        if name and (not word or text[name_end : match.start()] != " " or not word[0].isupper()):
            yield from _name(name, at_start, text, name_end)
            name = []
        if not word:
            entity = (match["quoted"] or match["titled"] or match["named"]).strip()
            if entity:
                yield entity
            continue
        possessive = word.endswith(_POSSESSIVES)
        bare = word[:-2] if possessive else word
        if _is_identifier(bare):
            yield from _name(name, at_start, text, name_end)
            name = []
            yield bare
        elif word[0].isupper() and not shouting:
            if not name:
                at_start = _starts_sentence(text, match.start())
            name.append(bare)
            name_end = match.end()
            if possessive:
                yield from _name(name, False, text, name_end)
                name = []
    yield from _name(name, at_start, text, name_end)


def _name(words: list[str], at_start: bool, text: str, end: int) -> Iterator[str]:
    """The name in a run of capitalised words that ends at `end`, if there is one."""
    kept = list(words)
    while kept and kept[0].lower() in _NOT_NAMES:
        kept.pop(0)
    while kept and kept[-1].lower() in _NOT_NAMES:
        kept.pop()
    if not kept:
        # "The Who": function words are capitalised inside a sentence only when they are a name.
        if len(words) > 1 and not at_start and all(word.lower() in ENGLISH for word in words):
            yield " ".join(words)
        return
    single_first = len(kept) == 1 and at_start and len(words) == 1
    if len(kept) == 1 and len(kept[0]) == 1:
        return
    if not single_first or kept[0].isupper() or _speaks_for_name(text, end):
        yield " ".join(kept)


def _speaks_for_name(text: str, end: int) -> bool:
    """Whether the word after `end` makes the capitalised word before it a subject."""
    following = _FOLLOWING.match(text, end)
    if following is None:
        return False
    word = following[1]
    return word in _AFTER_A_NAME or (len(word) > 3 and word.endswith(("s", "ed")) and not word.endswith("ss"))


def _starts_sentence(text: str, start: int) -> bool:
    before = text[max(0, start - 8) : start].rstrip(" \t")
    if before.endswith(_HONORIFICS):
        return False
    return not before or before[-1] in _SENTENCE_ENDS


def _is_identifier(word: str) -> bool:
    if word.endswith(("++", "#")):
        return True
    letters = any(character.isalpha() for character in word)
    if not letters or _QUANTITY.fullmatch(word):
        return False
    if any(character.isdigit() for character in word) or _HUMP.search(word) is not None:
        return True
    if "_" in word:
        return bool(word.strip("_"))
    if "@" in word or "::" in word or "://" in word:
        return True
    return _is_path_or_host(word)


def _is_path_or_host(word: str) -> bool:
    """`src/app/main.py` and `kube.local`, but not `and/or`, `e.g` or a full stop with its space forgotten."""
    parts = _SEPARATOR.split(word)
    if word.count("/") + word.count("\\") >= 2:
        return True
    return "." in word and all(len(part) > 1 for part in parts) and parts[-1].islower() and parts[-1] not in ENGLISH

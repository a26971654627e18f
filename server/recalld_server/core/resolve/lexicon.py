"""The word tables of `data/`, read once: which surface means which concept, and what the concept does in a statement."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import Any


class Role(StrEnum):
    """What a token does in a statement. The first block are cues, the second what is compared, the third neither."""

    NEGATION = "negation"
    ENDED = "ended"
    ENDED_MARK = "ended_mark"
    REPLACING = "replacing"
    REPLACING_AMOUNT = "replacing_amount"
    NOW = "now"
    ADDITION = "addition"
    CORRECTION = "correction"
    CORRECTION_FIRST = "correction_first"
    HEDGE = "hedge"
    CONDITION = "condition"
    DOUBT = "doubt"
    REPORT = "report"
    PLAN = "plan"
    PAST = "past"
    REASON = "reason"
    REASON_OR_TIME = "reason_or_time"
    REJECTING = "rejecting"
    FROM = "from"
    CONJUNCTION = "conjunction"
    COPULA = "copula"
    ORDER = "order"
    HEAD = "head"

    PERSON = "person"
    SCOPE = "scope"
    EXCLUSIVE = "exclusive"
    KIN = "kin"
    PLAIN = "plain"
    UNIT = "unit"
    NUMBERED = "numbered"
    NUMBER = "number"
    TIME = "time"
    CODE = "code"
    IDENT = "ident"
    WORD = "word"
    CHAR = "char"

    SELF = "self"
    FILLER = "filler"
    MEASURE = "measure"
    COMMA = "comma"
    STOP = "stop"
    QUESTION = "question"


@dataclass(frozen=True, slots=True)
class Entry:
    """One concept that a surface stands for. `forms` of a head: noun, verb, past, left, inside, replacing, left_replacing."""

    key: str
    role: Role
    group: str = ""
    forms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Attribute:
    """What a statement is about: see `data/attributes.toml`."""

    key: str
    arity: str
    family: str
    negates: str
    implied_by: str
    alone: bool
    ends: tuple[str, ...] = ()
    having: bool = False
    says: tuple[str, ...] = ()
    several: bool = False
    begins: tuple[str, ...] = ()
    of: str = ""


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Surfaces by language; English phrases are tuples of lemmas. `sizes` and `longest` say how much to look ahead;
    `apart`: the last word of a phrase by its first, where an object may stand between ("give ~ away")."""

    english: dict[tuple[str, ...], Entry | str] = field(default_factory=dict)
    sizes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    chinese: dict[str, Entry | str] = field(default_factory=dict)
    longest: dict[str, int] = field(default_factory=dict)
    attributes: dict[str, Attribute] = field(default_factory=dict)
    irregular: dict[str, str] = field(default_factory=dict)
    past: frozenset[str] = frozenset()
    apart: dict[str, str] = field(default_factory=dict)

    def add(self, surface: str, entry: Entry | str) -> None:
        """File a surface; the forms of one head are joined, any other second meaning of a surface is refused."""
        if surface.isascii():
            phrase = tuple(lemma(word, self.irregular) for word in surface.split() if word != "~")
            if "~" in surface:
                self.apart[phrase[0]] = phrase[-1]
            known = self.english.get(phrase)
            self.english[phrase] = entry if known is None else _joined(surface, known, entry)
            sizes = {len(phrase), *self.sizes.get(phrase[0], ())}
            self.sizes[phrase[0]] = tuple(sorted(sizes, reverse=True))
        else:
            known = self.chinese.get(surface)
            self.chinese[surface] = entry if known is None else _joined(surface, known, entry)
            self.longest[surface[0]] = max(self.longest.get(surface[0], 0), len(surface))


def _joined(surface: str, first: Entry | str, second: Entry | str) -> Entry | str:
    if first == second:
        return first
    if isinstance(first, Entry) and isinstance(second, Entry) and first.role is second.role:
        if first.role is not Role.HEAD and not first.group:
            return first
        if first.key != second.key:
            raise ValueError(f"the word tables give {surface!r} two meanings")
        return Entry(first.key, first.role, first.group, tuple(dict.fromkeys(first.forms + second.forms)))
    raise ValueError(f"the word tables give {surface!r} two meanings")


_VOWELS = frozenset("aeiouy")
_ENDINGS = frozenset("sdg")
"""The last letters of -s, -ed and -ing."""


def lemma(word: str, irregular: Mapping[str, str]) -> str:
    """Return a stem that the inflected forms of an English word share; it need not be a word."""
    stem = uninflected(word, irregular)
    return stem[:-1] if len(stem) > 3 and stem.endswith("e") and stem not in irregular else stem


def uninflected(word: str, irregular: Mapping[str, str]) -> str:
    """Return `word` without its English ending; the final e stays, since Carole is not Carol."""
    word = irregular.get(word, word)
    if len(word) <= 3 or word[-1] not in _ENDINGS or word in irregular:
        return word
    if word.endswith(("ies", "ied")):
        word = word[:-3] + "y"
    elif word.endswith(("xes", "ches", "shes", "sses", "zes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for suffix in ("ing", "ed"):
        stem = word.removesuffix(suffix)
        if stem != word and len(stem) >= 3 and not _VOWELS.isdisjoint(stem):
            word = stem[:-1] if stem[-1] == stem[-2] and stem[-1] not in "lsz" else stem
            break
    return word


_FORMS = {"nouns": "noun", "verbs": "verb", "past": "past", "left": "left", "inside": "inside"}
_FORMS |= {"replacing": "replacing", "left_replacing": "left_replacing"}


def _table(name: str) -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath(f"data/{name}.toml").read_text("utf-8"))


@cache
def load() -> Lexicon:
    """Read the tables. Raises ValueError when a surface has two meanings."""
    irregular = _table("irregular")
    lexicon = Lexicon(irregular=irregular["forms"], past=frozenset(irregular["past"]))
    for role, languages in _table("cues").items():
        if role == "compound":
            for surface, words in languages.items():
                lexicon.add(surface, str(words))
        else:
            for surface in languages["en"] + languages["zh"]:
                lexicon.add(surface, Entry(surface, Role(role)))
    for key, attribute in _table("attributes").items():
        lexicon.attributes[key] = Attribute(
            key,
            attribute["arity"],
            attribute.get("family", key),
            attribute.get("negates", ""),
            attribute.get("implied_by", ""),
            attribute.get("alone", attribute["arity"] == "single"),
            tuple(attribute.get("ends", ())),
            attribute.get("having", False),
            tuple(attribute.get("says", ())),
            attribute.get("several", False),
            tuple(attribute.get("begins", ())),
            attribute.get("of", ""),
        )
        for field_name, form in _FORMS.items():
            for surface in attribute.get(field_name, ()):
                lexicon.add(surface, Entry(key, Role.HEAD, "", (form,)))
    for group, words in _table("vocabulary").items():
        for key, surfaces in words.items():
            if key != "role":
                for surface in surfaces:
                    lexicon.add(surface, Entry(key, Role(words["role"]), group))
    return lexicon

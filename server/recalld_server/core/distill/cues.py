"""Reads what a sentence is from its words. The words are in cues.toml."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any, Final

from recalld_server.core.distill.types import Category
from recalld_server.core.importance import is_chatter
from recalld_server.text.cues import cue_pattern, cue_text
from recalld_server.text.sentences import LONGEST
from recalld_server.text.simplified import SIMPLIFIED

CLASSES: Final = ("lesson", "constraint", "preference", "correction", "decision", "self")
_QUESTIONS: Final = ("?", "？")
_CLAUSES: Final = re.compile(r"[,，;；]")
_CLAUSE_END: Final = ","
_STOPS: Final = " .!。！"
_HEDGED: Final = 0.3
_AUXILIARY: Final = "(?:is|are|am|was|were|do|does|did|can|could|will|would|shall|should|has|have|had|may|might)"
_PRONOUN: Final = "(?:i|you|we|they|he|she|it|this|that|there|the|my|your|our|any|some|anyone|someone|people)"
_ASKED: Final = re.compile(
    r"[吗么呢嘛][。！…]*$"
    r"|^(?:why|how|where|who|which|is|are|do(?! not )|does|did|any|shall|should) "
    rf"|^(?:what|when|whose|whom)(?:'s|'re| {_AUXILIARY}) |^what (?!worked|helped|i |we |my )"
    rf"|^(?:so |and |but |then |hey |ok |well )?,? ?{_AUXILIARY}(?:n't)? {_PRONOUN} "
    r"|^when [^,]*$"
)
_ASKED_IN_PASSING: Final = re.compile(
    r"(?<![问看认查断道管论])(?!时不时|动不动|差不差)([\u4e00-\u9fff])[不没]\1"
    r"|(?<![没管论道何问看认查解诉])"
    r"(?:什么|多少|多久|多大|多远|几点|几个|哪里|哪儿|哪个|哪些|哪家|到哪|在哪|怎么|怎样|为什么|为啥|凭什么|是谁|谁是|谁决定|吃啥|干啥)(?![^，,。]{0,8}[都也])"
)


@dataclass(frozen=True, slots=True)
class Cue:
    """What a sentence is, and how sure its words alone make one (0 to 1)."""

    category: Category
    confidence: float
    corrects: bool = False
    negated: bool = False

    def doubted(self) -> Cue:
        """The same, less sure."""
        return replace(self, confidence=self.confidence - _HEDGED)


@dataclass(frozen=True, slots=True)
class _Class:
    name: str
    category: Category
    strong: re.Pattern[str]
    weak: re.Pattern[str]
    strong_confidence: float
    weak_confidence: float


@dataclass(frozen=True, slots=True)
class _Tables:
    classes: tuple[_Class, ...]
    passing: re.Pattern[str]
    lasting: re.Pattern[str]
    idle: re.Pattern[str]
    forbidding: re.Pattern[str]
    moment: re.Pattern[str]
    once: re.Pattern[str]
    unreal: re.Pattern[str]
    withheld: re.Pattern[str]
    taken_back: re.Pattern[str]
    reporting: re.Pattern[str]
    task: re.Pattern[str]
    momentary: re.Pattern[str]
    milestone: re.Pattern[str]
    pronoun: re.Pattern[str]
    bare: re.Pattern[str]
    hedge: re.Pattern[str]
    negation: re.Pattern[str]


@cache
def _tables() -> _Tables:
    tables = tomllib.loads(files(__package__).joinpath("cues.toml").read_text("utf-8"))
    passing = tables["passing"]
    return _Tables(
        tuple(_class(name, tables[name]) for name in CLASSES),
        cue_pattern(passing["en"], passing["zh"]),
        cue_pattern(passing["lasting_en"], passing["lasting_zh"]),
        _plain(tables, "idle"),
        _plain(tables, "forbidding"),
        _plain(tables, "moment"),
        cue_pattern(_once(tables["once"]), tables["once"]["zh"]),
        _plain(tables, "unreal"),
        _plain(tables, "withheld"),
        _plain(tables, "taken_back"),
        _plain(tables, "reporting"),
        _plain(tables, "task"),
        _plain(tables, "momentary"),
        _plain(tables, "milestone"),
        _plain(tables, "pronoun"),
        cue_pattern(*(_bare(tables, language) for language in ("en", "zh"))),
        _plain(tables, "hedge"),
        _plain(tables, "negation"),
    )


def _class(name: str, table: dict[str, Any]) -> _Class:
    return _Class(
        name,
        Category(table["category"]),
        cue_pattern(table["strong_en"], table["strong_zh"]),
        cue_pattern(table["weak_en"], table["weak_zh"]),
        table["strong"],
        table["weak"],
    )


def _plain(tables: dict[str, Any], name: str) -> re.Pattern[str]:
    return cue_pattern(tables[name]["en"], tables[name]["zh"])


def _once(table: dict[str, Any]) -> list[str]:
    """What asks for one thing, once: each verb with each beginning of its object."""
    asked = (
        f"{please}{verb} {thing}"
        for please in ("^", "^please ")
        for verb in table["verbs"]
        for thing in table["things"]
    )
    return [*table["en"], *asked]


def _bare(tables: dict[str, Any], language: str) -> list[str]:
    """Words that speak of nothing by themselves; those that people use of themselves do ("I'm vegan")."""
    cues = (cue for name in CLASSES if name != "self" for cue in tables[name][f"strong_{language}"])
    return [*tables["bare"][language], *(cue for cue in cues if "*" not in cue)]


def read(sentence: str) -> Cue | None:
    """What the sentence is; None when it is nothing worth keeping: chatter, a question, nothing but requests for this moment, too long
    to be one statement, without a cue, or nothing but a cue."""
    if len(sentence) > LONGEST or is_chatter(sentence):
        return None
    text = _cue_text(sentence)
    if text.endswith(_QUESTIONS) or _ASKED.search(text):
        return None
    tables = _tables()
    if tables.unreal.search(text) or tables.withheld.search(text):
        return None
    text = tables.idle.sub(" ", text)
    if not tables.lasting.search(text):
        if _ASKED_IN_PASSING.search(text):
            return None
        now = tables.moment.search(text) is not None
        clauses = (clause.strip() for clause in _CLAUSES.split(text))
        text = _CLAUSE_END.join(clause for clause in clauses if not _is_passing(tables, clause, now))
    found = _classified(tables, text)
    if found is None or is_chatter(tables.bare.sub(" ", text)):
        return None
    each, confidence = found
    if _is_of_the_moment(tables, each, text):
        return None
    if tables.hedge.search(text):
        confidence -= _HEDGED
    negated = len(tables.negation.findall(text)) % 2 == 1
    return Cue(each.category, confidence, each.name == "correction", negated)


def _is_passing(tables: _Tables, clause: str, now: bool) -> bool:
    """Whether a clause asks for something at this moment; `now`: the sentence it is in speaks of this moment."""
    told = tables.forbidding.search(clause)
    if told is not None and now:
        return True
    asked = tables.passing.search(clause)
    return asked is not None and (told is None or asked.start() <= told.start())


def _is_of_the_moment(tables: _Tables, each: _Class, text: str) -> bool:
    """Whether a rule is meant for one piece of work, or a fact holds for an hour."""
    if tables.lasting.search(text):
        return False
    if each.name == "constraint":
        return tables.once.search(text.rstrip(_STOPS) + ".") is not None
    return each.name == "self" and bool(tables.momentary.search(text)) and not tables.milestone.search(text)


def _cue_text(text: str) -> str:
    return cue_text(text).translate(SIMPLIFIED)


def _classified(tables: _Tables, text: str) -> tuple[_Class, float] | None:
    for each in tables.classes:
        if each.strong.search(text):
            return each, each.strong_confidence
    for each in tables.classes:
        if each.weak.search(text):
            return each, each.weak_confidence
    return None


def is_withheld(text: str) -> bool:
    """Whether a sentence asks for something not to be kept: "forget that", "off the record", 别记这个."""
    return _tables().withheld.search(_cue_text(text)) is not None


def only_withholds(text: str) -> bool:
    """Whether a sentence says nothing but that something is not to be kept, so that it means what was said before."""
    text, tables = _cue_text(text), _tables()
    return tables.withheld.search(text) is not None and is_chatter(tables.bare.sub(" ", tables.withheld.sub(" ", text)))


def takes_back(text: str) -> bool:
    """Whether a sentence corrects the one before it: "no wait, Tuesday", 说错了."""
    return _tables().taken_back.search(_cue_text(text)) is not None


def points_back(text: str) -> bool:
    """Whether a sentence begins with a pronoun for somebody who was named before."""
    return _tables().pronoun.match(_cue_text(text)) is not None


def hands_over(lead: str) -> str:
    """Whose words follow a colon after this: "text" where all that follows is to be worked on ("Translate this:"), "line"
    where another's words are told (他说：), else "" for the speaker's own."""
    lead, tables = _cue_text(lead), _tables()
    if tables.lasting.search(lead):
        return ""
    return "text" if tables.task.search(lead) else "line" if tables.reporting.search(lead) else ""


def is_negated(text: str) -> bool:
    """Whether a text denies something, as far as its words tell."""
    return len(_tables().negation.findall(_cue_text(text))) % 2 == 1

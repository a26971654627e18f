"""Two clauses of which one says another number, hour or amount than the other."""

from __future__ import annotations

from .align import Difference, keys, measured, timed
from .frames import Frame
from .lexicon import Role
from .links import DOUBTFUL, OTHER_SUBJECT, OTHER_VALUE, Link, Relation
from .tokens import Token


def counts(old: Frame, new: Frame, d: Difference) -> bool:
    """Whether nothing but a number says what is now another: "I'm 34", "we meet on Mondays"."""
    one = (old.linked and new.linked) or old.attribute == new.attribute != ""
    units = [[t.key for t in side if t.role is Role.UNIT] for side in (d.old, d.new)]
    return new.now and one and units[0] == units[1] and old.personal and new.personal


def _amounts(tokens: tuple[Token, ...]) -> set[Token]:
    """Without units: 每天 and "daily" stand where the language wants them."""
    return {t for t in tokens if t.role is not Role.UNIT}


def amount(old: Frame, new: Frame, d: Difference, corrected: bool) -> Link:
    """Only numbers, times or units differ."""
    if not (_amounts(d.old) <= set(old.value) and _amounts(d.new) <= set(new.value)):
        return OTHER_SUBJECT
    cue = new.replacing or new.now or corrected
    labelled = keys(d.new) & new.labels or keys(d.old) & old.labels
    if labelled and not (cue or new.attribute or new.subject or new.linked):
        return OTHER_SUBJECT
    if timed(d.old) and timed(d.new) and not (old.linked and new.linked) and not cue:
        return DOUBTFUL if any(t.key.startswith("@clock") for t in d.new) else Link(Relation.OTHER, "other_time")
    if measured(d.old) != measured(d.new) and not cue:
        return OTHER_VALUE
    return Link(Relation.REPLACES, "other_amount")

"""A clause and one that denies it: what ends, what holds again, and what is not about it."""

from __future__ import annotations

from dataclasses import replace

from .align import keys, measured, quantities, same_attribute, told
from .frames import Frame
from .lexicon import Attribute, Role, load
from .links import OTHER_VALUE, PLAN, UNRELATED, Link, Relation
from .scan import SIGN

_NOTHING = Attribute("", "", "", "", "", False)


def ending(old: Frame, new: Frame) -> Frame:
    """Who leaves a company no longer works there: seen from what it ends, the clause denies it."""
    if old.attribute not in load().attributes.get(new.attribute, _NOTHING).ends or new.negative:
        return new
    return replace(
        new, attribute=old.attribute, arity=old.arity, family=old.family, negative=True, ended=True, past=False
    )


def polarity(old: Frame, new: Frame) -> Link:
    """One of them denies. It is about the other when the denied content covers it."""
    denied, affirmed = map(_unsigned, (new, old) if new.negative else (old, new))
    link = Link(Relation.ENDS, "negated") if new.negative else Link(Relation.RESTORES, "affirmed_again")
    if old.past or new.past:
        return Link(Relation.OTHER, "past_and_present")
    if new.planned != old.planned and "prefer" not in (old.attribute, new.attribute):
        return PLAN
    compatible = same_attribute(old, new) or not old.attribute or not new.attribute
    if new.negative and new.rejected & old.keys() and new.value:
        return Link(Relation.REPLACES, "replaced_explicitly")
    if not compatible:
        return UNRELATED
    if denied.scope and not affirmed.scope:
        return Link(Relation.DISPUTES, "partly_negated")
    about, claimed = keys(told(denied, affirmed)), keys(told(affirmed, denied))
    if about == claimed and (about or (denied.alone and denied.attribute == affirmed.attribute)):
        return link
    if not about:
        specific = denied.attribute and denied.attribute == affirmed.attribute
        if specific and affirmed.arity == "single":
            return link
        return Link(Relation.DISPUTES, "negated_in_general") if specific and denied.ended else UNRELATED
    if not claimed and denied.ended and denied.alone and denied.attribute == affirmed.attribute:
        return link if quantities(denied.content) else UNRELATED
    if not any(t.role is not Role.PERSON for t in denied.content if t.key in claimed):
        return OTHER_VALUE
    left = tuple(t for t in affirmed.content if t.key not in about)
    extra = tuple(t for t in denied.content if t.key not in claimed)
    if left and extra:
        return OTHER_VALUE
    if left and quantities(left) and not affirmed.conjoined:
        return link
    if extra and quantities(extra) and (denied.ended or affirmed is new) and not measured(affirmed.content):
        return link
    if denied.attribute and denied.attribute == affirmed.attribute:
        return Link(Relation.DISPUTES, "partly_negated")
    return OTHER_VALUE


def _unsigned(frame: Frame) -> Frame:
    """The clause without the emoji at its end, which say how the writer feels about it."""
    end = len(frame.value)
    while end > (0 if frame.alone else 1) and frame.value[end - 1].group == SIGN:
        end -= 1
    return replace(frame, value=frame.value[:end])

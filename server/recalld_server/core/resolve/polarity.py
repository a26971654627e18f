"""A clause and one that denies it: what ends, what holds again, and what is not about it."""

from __future__ import annotations

from dataclasses import replace

from .align import comparable, difference, keys, measured, quantities, told
from .frames import Frame
from .kinds import lacking
from .lexicon import Role, load
from .links import OPPOSED, OTHER_VALUE, PLAN, UNRELATED, Link, Relation
from .scan import SIGN
from .tokens import Token

# Feelings and what befalls one: "quit" and "cancel" end none of them.
_FELT = frozenset({"like", "dislike", "prefer", "afraid", "allergy", "interest"})
_BONDS = frozenset({"plan_tier", "membership"})


def turning(old: Frame, new: Frame) -> Frame:
    """The new clause as it looks from what it ends or begins: who leaves a company no longer works there, who buys a car has
    one, who has a wife is not single."""
    if new.negative:
        return new
    attribute = load().attributes.get(new.attribute)
    if attribute is None:
        return replace(old, negative=True, ended=True) if _no_room(old, new) else new
    if attribute.of and not (old.personal == new.personal and any(t.group == attribute.of for t in new.content)):
        return new
    kept = old.attribute or ("having" if old.having else "")
    if old.negative and kept in attribute.begins:
        return replace(new, attribute=old.attribute, arity=old.arity, family=old.family, having=True, past=False)
    if kept not in attribute.ends or any(t.name for t in difference(old.content, new.subject).new):
        return new
    return replace(
        new, attribute=old.attribute, arity=old.arity, family=old.family, negative=True, ended=True, past=False
    )


def _no_room(old: Frame, new: Frame) -> bool:
    """Whether one of them is a state, and by the other the same person has what the state leaves no room for."""
    if old.negative or old.past or new.past or old.personal != new.personal or not (old.having or new.having):
        return False
    state, owned = (new, old) if old.having else (old, new)
    held = [lacking().get(t.key, frozenset[str]()) for t in state.value]
    return (
        len(held) == 1
        and bool(owned.keys() - keys(state.subject))
        and (owned.keys() - keys(state.subject) <= held[0] and keys(state.subject) <= owned.keys())
    )


def polarity(old: Frame, new: Frame) -> Link:
    """One of them denies. It is about the other when the denied content covers it."""
    denied, affirmed = map(_unsigned, (new, old) if new.negative else (old, new))
    link = Link(Relation.ENDS, "negated") if new.negative else Link(Relation.RESTORES, "affirmed_again")
    if old.past or new.past:
        # of what was, one account or the other is wrong
        clash = old.past and new.past and denied.keys() == affirmed.keys() != frozenset()
        return OPPOSED if clash else Link(Relation.OTHER, "past_and_present")
    if new.planned != old.planned and "prefer" not in (old.attribute, new.attribute):
        return PLAN
    compatible = comparable(denied, affirmed)
    if new.negative and new.rejected & old.keys() and new.value:
        return Link(Relation.REPLACES, "replaced_explicitly")
    if not compatible or (affirmed.attribute in _FELT and not denied.attribute):
        return UNRELATED
    if denied.scope and not affirmed.scope:
        return Link(Relation.DISPUTES, "partly_negated")
    other_verb = bool(denied.attribute and affirmed.attribute) and denied.attribute != affirmed.attribute
    if other_verb and not denied.ended:
        # who likes rabbits need not eat them
        return OTHER_VALUE
    about, claimed = keys(told(denied, affirmed)), keys(told(affirmed, denied))
    if about == claimed and (about or (denied.alone and denied.attribute == affirmed.attribute)):
        return link
    if not about:
        of_one = denied.personal == affirmed.personal and keys(denied.subject) == keys(affirmed.subject)
        specific = of_one and denied.attribute and denied.attribute == affirmed.attribute
        if specific and affirmed.arity == "single":
            return link
        return Link(Relation.DISPUTES, "negated_in_general") if specific and denied.ended else UNRELATED
    if not claimed and denied.ended and denied.alone and denied.attribute == affirmed.attribute:
        return link if quantities(denied.content) else UNRELATED
    if not any(t.role is not Role.PERSON or t.group == "animal" for t in denied.content if t.key in claimed):
        return OTHER_VALUE
    left = tuple(t for t in affirmed.content if t.key not in about)
    extra = tuple(t for t in denied.content if t.key not in claimed)
    if (left and extra) or any(t.key.startswith("@clock") for t in extra):
        return OTHER_VALUE
    if left and quantities(left) and not affirmed.conjoined:
        return Link(Relation.DISPUTES, "one_of_several") if _one_of(denied, left) else link
    if left and denied.ended and keys(left) <= _BONDS:
        return Link(Relation.DISPUTES, "partly_negated")
    if extra and quantities(extra) and (denied.ended or affirmed is new) and not measured(affirmed.content):
        return link
    if denied.attribute and denied.attribute == affirmed.attribute and old.personal == new.personal:
        return Link(Relation.DISPUTES, "partly_negated")
    return OTHER_VALUE


def _one_of(denied: Frame, left: tuple[Token, ...]) -> bool:
    """Whether one thing ended, "a boat", of several that there were."""
    one = any(t.noun for t in denied.content) or any(t.group == "animal" for t in denied.subject)
    return one and any(t.role is Role.NUMBER and t.key != "#1" for t in left)


def _unsigned(frame: Frame) -> Frame:
    """The clause without the emoji at its end, which say how the writer feels about it."""
    end = len(frame.value)
    while end > (0 if frame.alone else 1) and frame.value[end - 1].group == SIGN:
        end -= 1
    return replace(frame, value=frame.value[:end])

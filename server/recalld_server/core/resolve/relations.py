"""What one clause is to another: the same, another value of the same attribute, its end, or something else."""

from __future__ import annotations

from .align import difference, keys, relabelled, same_attribute, same_things
from .frames import Frame
from .lexicon import Role
from .links import DOUBTFUL, EXCLUDED, OPPOSED, OTHER_SCOPE, OTHER_SUBJECT, OTHER_VALUE, PLAN, Link, Relation
from .marks import EACH
from .order import self_moved
from .particles import load as particles
from .particles import paired
from .polarity import polarity, turning
from .tense import ONE_DAY
from .values import values

_NEARLY = frozenset({"almost"})
_KNOWN = frozenset({Relation.SAME, Relation.COVERED, Relation.RESTATES})


def relate(old: Frame, new: Frame, corrected: bool = False) -> Link:
    """Return what `new` is to `old`; `corrected` says that the new statement calls itself a correction."""
    link = _related(old, new, corrected)
    if (new.particles - old.particles) & _NEARLY:
        return OTHER_VALUE
    if link.relation is Relation.OTHER:
        excluded = old.left_out & new.eaten or new.left_out & old.eaten
        return EXCLUDED if excluded and _of_one(old, new) else link
    if new.replacing or corrected:
        return link
    if link.relation is Relation.REPLACES and new.now and new.fresh and not new.attribute and not _one_of_kind(new):
        return DOUBTFUL
    if link.relation is Relation.REPLACES and (
        old.which != new.which or (not (old.linked or new.linked) and self_moved(old, new))
    ):
        return OTHER_SUBJECT
    return link if old.particles == new.particles else _parted(old, new, link)


def _one_of_kind(frame: Frame) -> bool:
    """Whether it is about somebody of whom there is one: a new boss is the boss."""
    return any(t.group == "sole" for t in frame.content)


def _parted(old: Frame, new: Frame, link: Link) -> Link:
    """What the link is when the small words of the two frames differ."""
    tables = particles()
    known = link.relation in _KNOWN
    limited = known and (old.particles ^ new.particles) & tables.limits
    # who went today need not go on other days, nor did who goes go today
    dated = known and bool(old.particles & ONE_DAY) != bool(new.particles & ONE_DAY)
    if limited or dated or paired(old.particles, new.particles, tables.apart):
        return OTHER_VALUE
    clash = paired(old.particles, new.particles, tables.opposed)
    clash = clash or (not old.negative and not new.negative and paired(old.particles, new.particles, tables.modal))
    if clash and new.now and old.linked and new.linked and link.relation is Relation.SAME:
        return Link(Relation.REPLACES, "now_another_value")
    return OPPOSED if clash else link


def _of_one(old: Frame, new: Frame) -> bool:
    """Whether both say of one person how it is."""
    same = old.personal == new.personal and keys(old.subject) == keys(new.subject) and same_things(old, new)
    return same and not (old.past or new.past or old.planned or new.planned)


def _related(old: Frame, new: Frame, corrected: bool) -> Link:
    new = turning(old, new)
    if old.scope != new.scope and not (_negated(old, new) and new.scope <= old.scope):
        return OTHER_SCOPE
    if _other_purpose(old, new):
        return OTHER_SCOPE
    if _names_other_things(old, new):
        return OTHER_SUBJECT
    if old.negative != new.negative:
        return polarity(old, new)
    if old.planned != new.planned and "prefer" not in (old.attribute, new.attribute):
        return PLAN
    if old.past != new.past and not (new.replacing or corrected) and "event" not in (old.arity, new.arity):
        return _tense(old, new)
    return values(old, new, corrected)


def _other_purpose(old: Frame, new: Frame) -> bool:
    """Whether they hold for others: for adults and for children, per user and for all."""
    if old.purpose == new.purpose:
        return False
    return bool(old.purpose and new.purpose) or (old.purpose + new.purpose).startswith(EACH)


def _negated(old: Frame, new: Frame) -> bool:
    return new.negative and not old.negative


def _names_other_things(old: Frame, new: Frame) -> bool:
    changing = new.replacing or (new.now and new.family == old.family == "tool")
    if same_things(old, new) or (new.ended and not new.content) or (changing and relabelled(old, new)):
        return False
    one_attribute = old.attribute == new.attribute and (
        old.arity == "single" or (old.linked and new.linked and bool(old.subject))
    )
    if not one_attribute or keys(old.subject) != keys(new.subject):
        return True
    # The value of an owner may be a person's name; the rest of the statement decides then.
    other = difference(old.content, new.content)
    # What now is B-12 was B-7: the number is what changed.
    told_apart = (Role.PERSON,) if new.replacing or new.now else (Role.PERSON, Role.IDENT)
    return any(t.group != "nickname" for t in other.old + other.new if t.role in told_apart)


def _tense(old: Frame, new: Frame) -> Link:
    d = difference(old.content, new.content, new.rejected)
    if new.past and not new.particles & ONE_DAY and same_attribute(old, new) and not d.old and not d.new:
        return Link(Relation.DISPUTES, "past_of_present")
    return Link(Relation.OTHER, "past_and_present")

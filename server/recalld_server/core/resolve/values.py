"""Two clauses that both affirm or both deny: the same value, another one, or another thing."""

from __future__ import annotations

from .align import (
    MEANS,
    Difference,
    alternatives,
    chosen,
    comparable,
    difference,
    digits,
    groups_of,
    keys,
    measured,
    named,
    numbers,
    other_kind,
    other_script,
    quantities,
    relabelled,
    same_kind,
    soft,
    told,
)
from .amounts import amount, counts
from .clauses import QUANTITY
from .frames import Frame
from .lexicon import Role, load
from .links import DOUBTFUL, OTHER_SUBJECT, OTHER_VALUE, UNRELATED, Link, Relation
from .order import same_order
from .particles import load as particles
from .scan import NOTHING, SIGN
from .tokens import Token

_USUAL = frozenset({"usual", "customary"})
_CENTURIES = ("#19", "#20")
_SEVERAL = frozenset({"relative", "animal"})
"""The groups of persons and animals of whom one may have several."""


def values(old: Frame, new: Frame, corrected: bool) -> Link:
    """Both affirm or both deny."""
    if new.arity == "choice" and old.attribute == new.attribute and new.lesser & keys(old.value):
        return Link(Relation.REPLACES, "preference_turned")
    d = difference(told(old, new), told(new, old))
    if d.none and (old.attribute == new.attribute or (comparable(old, new) and not (old.attribute and new.attribute))):
        return _unchanged(old, new)
    if new.rejected & old.keys() and not new.negative:
        return _rejected(old, new, d)
    if new.negative:
        return _one_sided(old, new, d) if not d.two_sided else OTHER_VALUE
    if new.added and not corrected:
        return OTHER_VALUE
    if "event" in (old.arity, new.arity) and not corrected:
        return _one_sided(old, new, d) if not d.two_sided else Link(Relation.OTHER, "other_event")
    if old.past and new.past and not corrected:
        return Link(Relation.OTHER, "other_event") if d.two_sided else _one_sided(old, new, d)
    if old.attribute and old.attribute == new.attribute and old.arity == "single":
        return _single(old, new, corrected)
    if not d.two_sided:
        return _one_sided(old, new, d)
    if new.replacing and keys(old.subject) == keys(new.subject):
        link = _changed(old, new)
        if link is not None:
            return link
    return _slot(old, new, d, corrected)


def _rejected(old: Frame, new: Frame, d: Difference) -> Link:
    """The new clause names what it replaces; the old one is that, and nothing more."""
    compatible = comparable(old, new)
    related = d.common or keys(old.subject) == keys(new.subject) or new.rejected <= old.keys()
    if not compatible or not related:
        return UNRELATED
    if keys(d.old) - new.rejected:
        return DOUBTFUL
    return Link(Relation.REPLACES, "replaced_explicitly")


def _unchanged(old: Frame, new: Frame) -> Link:
    """The same words: the same statement, unless their order says otherwise."""
    if new.lesser - old.lesser:
        return Link(Relation.OTHER, "adds_detail")
    if new.rejected - old.rejected - old.keys():
        return Link(Relation.OTHER, "adds_detail")
    if new.tail - old.tail:
        return Link(Relation.OTHER, "adds_a_reason")
    if not old.keys() and not old.alone:
        return UNRELATED
    if numbers(old) != numbers(new):
        return Link(Relation.DISPUTES, "numbers_swapped")
    if (new.particles - old.particles) & particles().more:
        return Link(Relation.OTHER, "adds_detail")
    if not same_order(old, new):
        return Link(Relation.OTHER, "roles_swapped")
    return Link(Relation.SAME, "same_statement")


def _single(old: Frame, new: Frame, corrected: bool) -> Link:
    """One attribute that holds one value at a time."""
    subject = difference(old.subject, new.subject)
    cue = new.replacing or corrected or new.now
    if not subject.none:
        nameless = old if not old.subject else new
        if cue and not nameless.subject and not nameless.personal:
            return Link(Relation.DISPUTES, "subject_unclear")
        return OTHER_SUBJECT
    value = difference(old.value, new.value)
    if value.none:
        return _unchanged(old, new)
    if not value.new:
        return Link(Relation.COVERED, "says_less")
    if not value.old:
        if not old.value:
            return UNRELATED
        return OTHER_VALUE if new.conjoined and not old.conjoined else Link(Relation.REFINES, "same_value_finer")
    owner = old.attribute != "name"
    if owner and any(t.role is Role.PERSON for t in value.old) and not any(t.role is Role.PERSON for t in value.new):
        return Link(Relation.DISPUTES, "part_stays_true")
    if other_script(value.old, value.new) and not cue:
        return Link(Relation.DISPUTES, "other_script")
    if old.conjoined != new.conjoined and not cue:
        return Link(Relation.DISPUTES, "list_or_value")
    empty = NOTHING in keys(value.old + value.new)
    alike = cue or empty or measured(value.old) == measured(value.new) or measured(old.value) == measured(new.value)
    if not alike:
        return Link(Relation.DISPUTES, "other_kind_of_value")
    if not cue and _at_other_times(value):
        return Link(Relation.OTHER, "other_time")
    if not cue and _perhaps_another(old, value):
        return Link(Relation.DISPUTES, "perhaps_another")
    groups = (groups_of(value.old), groups_of(value.new))
    if groups[0] and groups[1] and groups[0].isdisjoint(groups[1]) and not cue:
        return Link(Relation.OTHER, "other_kind_of_value")
    return Link(Relation.REPLACES, "same_attribute_new_value")


def _at_other_times(value: Difference) -> bool:
    """Whether another time comes with the other value: 500 in 2023 and 700 in 2024, at Hooli on Mondays."""
    sides = value.old, value.new
    return all(
        any(map(_period, side)) and any(t.role is not Role.TIME and not _period(t) for t in side) for side in sides
    )


def _period(token: Token) -> bool:
    return token.key.startswith(("@day", "@month", "@date")) or (
        token.role is Role.NUMBER and len(token.key) == 5 and token.key.startswith(_CENTURIES)
    )


def _perhaps_another(frame: Frame, value: Difference) -> bool:
    """Whether the other value may be that of another thing of the same description: of a second cat, a colleague, a flight."""
    if load().attributes[frame.attribute].several and not value.common:
        return True
    groups = {t.group for t in frame.subject if t.role is Role.PERSON}
    return "acquaintance" in groups or (frame.attribute == "name" and not groups.isdisjoint(_SEVERAL))


def _one_sided(old: Frame, new: Frame, d: Difference) -> Link:
    """One of them says all that the other says, and more."""
    if not d.new:
        other = old.attribute != new.attribute and new.attribute and (old.attribute or not new.topic)
        if not new.keys() or other or not comparable(old, new):
            return UNRELATED
        if (new.personal and not old.personal) or (old.subject and not new.subject and not old.linked):
            return OTHER_SUBJECT
        if any((kept, gone.key) in old.pairs for kept in d.common for gone in d.old) or _one_kind(old, d.old, d):
            return Link(Relation.OTHER, "other_thing")
        return Link(Relation.COVERED, "says_less")
    if d.common and new.arity == "choice" and new.replacing:
        return Link(Relation.REFINES, "same_value_finer")
    words = {t.key for t in new.content if t.group != SIGN} & d.common
    restated = soft(d.new) and len(words) > len(d.new) and not _one_kind(new, d.new, d)
    return Link(Relation.RESTATES if restated else Relation.OTHER, "adds_detail")


def _one_kind(frame: Frame, words: tuple[Token, ...], d: Difference) -> bool:
    """Whether the words say of what kind a thing is: who likes iced tea need not like tea, a nightly backup is one of many."""
    return any((word.key, kept) in frame.pairs for kept in d.common for word in words)


def _changed(old: Frame, new: Frame) -> Link | None:
    """A verb of change with a subject in common, whatever the attribute was called."""
    value = difference(old.value, new.value)
    if not value.two_sided:
        return None
    alike = quantities(value.old) and quantities(value.new)
    alike = alike or bool(alternatives(value.old, value.new)) or relabelled(old, new)
    alike = alike or (old.family == new.family != "" and named(value.old) and named(value.new))
    alike = alike or (bool(value.common) and measured(value.old) and measured(value.new))
    alike = alike or (old.linked and bool(new.subject) and same_kind(value.old, value.new))
    if old.attribute in MEANS and not new.attribute and old.personal and new.personal:
        # "we use MySQL", "we moved to PostgreSQL": the same work done with another tool of the kind
        kin = alternatives(value.old, value.new)
        if kin and chosen(value.old, kin) and chosen(value.new, kin):
            return Link(Relation.REPLACES, "changed_value")
    if alike and (new.subject or new.scope or old.attribute == new.attribute or old.family == new.family):
        return Link(Relation.REPLACES, "changed_value")
    if alike or (new.subject and old.linked and not other_kind(value.old, value.new)):
        return Link(Relation.DISPUTES, "changed_value_unclear")
    return None


def _equated(old: Frame, new: Frame, cue: bool) -> Link | None:
    """Both say what one thing is: "the team's mascot is …"."""
    value = difference(old.value, new.value)
    if not value.two_sided or any(t.role is Role.PERSON and t.group != "sole" for t in old.subject):
        return None
    if (digits(value.old) and digits(value.new)) or NOTHING in keys(value.old + value.new):
        return Link(Relation.REPLACES, "other_code")
    if not same_kind(value.old, value.new):
        return None
    if cue:
        return Link(Relation.REPLACES, "now_another_value")
    return DOUBTFUL if named(value.old) and named(value.new) else None


def _slot(old: Frame, new: Frame, d: Difference, corrected: bool) -> Link:
    """The same sentence with one slot filled differently."""
    cue = new.replacing or corrected
    same_verb = comparable(old, new)
    exclusive = alternatives(d.old, d.new, Role.EXCLUSIVE)
    if exclusive and same_verb and keys(old.subject) == keys(new.subject):
        if len(exclusive) > 1:
            # an aisle seat on long flights, a window seat on short ones: one choice may be what the other depends on
            return OTHER_VALUE
        if chosen(d.old, exclusive) and chosen(d.new, exclusive):
            return Link(Relation.REPLACES, "exclusive_values")
        old_rest = tuple(t for t in d.old if t.group not in exclusive)
        new_rest = tuple(t for t in d.new if t.group not in exclusive)
        one_sided = d.common and not (old_rest and new_rest)
        if (new.arity == "choice" and one_sided) or (new.now and not old_rest and (one_sided or quantities(new_rest))):
            return Link(Relation.REPLACES, "exclusive_values")
    if not same_verb:
        return UNRELATED
    if quantities(d.old) and quantities(d.new) and (d.common or counts(old, new, d)):
        return amount(old, new, d, corrected)
    if new.arity in _USUAL and old.attribute == new.attribute and keys(old.subject) == keys(new.subject):
        if cue or new.now:
            return Link(Relation.REPLACES, "usual_value_changed")
        return DOUBTFUL if new.arity == "usual" else OTHER_VALUE
    kin = alternatives(d.old, d.new, Role.KIN)
    if kin and chosen(d.old, kin) and chosen(d.new, kin) and keys(old.subject) == keys(new.subject):
        if (
            (new.arity == "choice" == old.arity)
            or (cue and new.arity != "")
            or (old.linked and new.linked and not old.attribute)
        ):
            return Link(Relation.REPLACES, "one_of_a_kind")
        if new.now and new.attribute in MEANS:
            # "to work", 在支付里: the same purpose served by another means of the kind
            certain = bool(d.common or new.scope)
            return (
                Link(Relation.REPLACES, "one_of_a_kind")
                if certain
                else Link(Relation.DISPUTES, "one_of_a_kind_unclear")
            )
        return OTHER_VALUE
    if old.linked and new.linked and old.subject and keys(old.subject) == keys(new.subject):
        link = _equated(old, new, cue or new.now)
        if link is not None:
            return link
    if new.now and new.family == "tool" and relabelled(old, new) and len(d.old) == len(d.new) == 1:
        return Link(Relation.REPLACES, "now_another_value")
    words = {t.key for t in new.content if t.key in d.common and t.role not in QUANTITY}
    one_slot = len(d.old) <= 3 and len(d.new) <= 3 and bool(words) and keys(new.subject) <= old.keys()
    if cue and one_slot and not other_kind(d.old, d.new):
        both = (named(d.old) and named(d.new)) or (quantities(d.old) and quantities(d.new))
        alike = both and old.attribute == new.attribute
        return Link(Relation.REPLACES, "slot_changed") if alike else DOUBTFUL
    if corrected and len(d.common) >= max(len(d.old), len(d.new)):
        return DOUBTFUL
    return OTHER_VALUE

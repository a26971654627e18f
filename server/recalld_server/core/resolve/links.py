"""What one clause can be to another, and why."""

from __future__ import annotations

import enum
from typing import NamedTuple


class Relation(enum.Enum):
    """From the new clause's side."""

    SAME = "same"  # says what the old one says
    COVERED = "covered"  # says less than the old one, which implies it
    REPLACES = "replaces"  # another value of one attribute
    REFINES = "refines"  # the same value, finer
    ENDS = "ends"  # no longer so
    RESTORES = "restores"  # so, after it was not
    DISPUTES = "disputes"  # they seem to clash, and it is unclear which holds
    RESTATES = "restates"  # says what the old one says with a word or two more
    OTHER = "other"  # nothing that the old one would have to give way to


class Link(NamedTuple):
    """A relation and why."""

    relation: Relation
    reason: str


OTHER_SCOPE = Link(Relation.OTHER, "other_scope")
OTHER_SUBJECT = Link(Relation.OTHER, "other_subject")
OTHER_VALUE = Link(Relation.OTHER, "addition")
PLAN = Link(Relation.OTHER, "plan_not_fact")
UNRELATED = Link(Relation.OTHER, "unrelated")
OPPOSED = Link(Relation.DISPUTES, "opposed")
EXCLUDED = Link(Relation.DISPUTES, "excluded")
DOUBTFUL = Link(Relation.DISPUTES, "changed_value_unclear")

"""The enumerations of the domain. Values are those of the contract and of the database."""

from __future__ import annotations

import enum


class Kind(enum.IntEnum):
    """What a memory is about. Values are those of the contract and of the database."""

    WORKING = 1
    EPISODIC = 2
    SEMANTIC = 3
    PROCEDURAL = 4


class Visibility(enum.IntEnum):
    """Who may read a memory inside its namespace."""

    PRIVATE = 1
    SHARED = 2


class State(enum.IntEnum):
    """Where a memory stands in its life. EXPIRED is never stored before the sweep: an ACTIVE row past its time reads as EXPIRED."""

    ACTIVE = 1
    SUPERSEDED = 2
    PENDING_REVIEW = 3
    ARCHIVED = 4
    FORGOTTEN = 5
    EXPIRED = 6
    REJECTED = 7


class IndexState(enum.IntEnum):
    """Whether Search can find a memory by meaning yet."""

    PENDING = 1
    INDEXED = 2
    FAILED = 3


class ToolStatus(enum.IntEnum):
    """How a tool call ended."""

    OK = 1
    ERROR = 2
    TIMEOUT = 3
    CANCELLED = 4


class Role(enum.IntEnum):
    """What a principal may do."""

    READER = 1
    WRITER = 2
    REFLECTOR = 3
    ADMIN = 4


class Outcome(enum.IntEnum):
    """What became of a write."""

    CREATED = 1
    DUPLICATE = 2
    SUPERSEDED = 3
    CONFLICT = 4
    BELOW_THRESHOLD = 5
    ACCEPTED = 6


class Durability(enum.IntEnum):
    """When a write is answered."""

    INDEXED = 1
    ACCEPTED = 2


class ForgetMode(enum.IntEnum):
    """How memories are forgotten."""

    ARCHIVE = 1
    FORGET = 2
    ERASE = 3


class TimeMode(enum.IntEnum):
    """How the words for a time in a query are used."""

    BOOST = 1
    FILTER = 2
    IGNORE = 3


class Operator(enum.IntEnum):
    """How one metadata value is compared."""

    EQ = 1
    NE = 2
    LT = 3
    LE = 4
    GT = 5
    GE = 6
    IN = 7
    EXISTS = 8
    MISSING = 9
    IS_NULL = 10
    CONTAINS = 11


class ChangeType(enum.IntEnum):
    """What a change event tells of."""

    CREATED = 1
    UPDATED = 2
    SUPERSEDED = 3
    FORGOTTEN = 4
    EXPIRED = 5
    REVIEWED = 6

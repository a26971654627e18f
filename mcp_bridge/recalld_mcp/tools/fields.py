"""Arguments that several tools take."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from recalld.errors import InvalidArgument

Kind: TypeAlias = Literal["episodic", "semantic", "procedural", "working"]
State: TypeAlias = Literal["active", "superseded", "pending_review", "archived", "forgotten", "expired", "rejected"]

Namespace: TypeAlias = Annotated[
    str | None, Field(description="Where; leave it out for this workspace's own.", max_length=200)
]
MemoryId: TypeAlias = Annotated[str, Field(description="A memory's id, from a search, a list or a write.")]
Tags: TypeAlias = Annotated[
    list[Annotated[str, Field(description="A tag.")]] | None, Field(description="Short labels to find it by.")
]
AnyTags: TypeAlias = Annotated[
    list[Annotated[str, Field(description="A tag.")]] | None, Field(description="Only memories with one of these tags.")
]
Kinds: TypeAlias = Annotated[
    list[Annotated[Kind, Field(description="A kind.")]] | None, Field(description="Only these kinds.")
]
UserId: TypeAlias = Annotated[str | None, Field(description="The person it is about.")]
OnlyUserId: TypeAlias = Annotated[str | None, Field(description="Only memories about this person.")]
OnlySessionId: TypeAlias = Annotated[str | None, Field(description="Only memories from this session.")]
After: TypeAlias = Annotated[
    str | None, Field(description="Only what happened at or after this time, ISO 8601, UTC unless it says otherwise.")
]
Before: TypeAlias = Annotated[str | None, Field(description="Only what happened before this time, ISO 8601.")]
MaxTokens: TypeAlias = Annotated[
    int | None, Field(description="How long the answer may be, in tokens.", ge=1, le=32000)
]
TimeZone: TypeAlias = Annotated[
    str | None, Field(description="IANA zone that words such as 'yesterday' are meant in; default UTC.")
]


def moment(text: str | None, field: str) -> datetime | None:
    """The time in an ISO 8601 text; a date alone is its first moment, and a time without a zone is UTC.

    Raises InvalidArgument.
    """
    if text is None:
        return None
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError:
        raise InvalidArgument.of(
            field, "takes an ISO 8601 time such as 2025-03-01 or 2025-03-01T09:30:00+08:00"
        ) from None
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found


def time_range(after: str | None, before: str | None) -> tuple[datetime | None, datetime | None] | None:
    """The range after ≤ t < before; None when neither is given."""
    bounds = (moment(after, "after"), moment(before, "before"))
    return None if bounds == (None, None) else bounds


def one(value: str | None) -> list[str]:
    """A filter's list of this one value; None: not restricted."""
    return [] if value is None else [value]

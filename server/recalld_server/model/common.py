"""What every part of the domain uses: JSON, ids, times, pages."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar
from uuid import UUID

from typing_extensions import TypeAliasType

from recalld_server.model.clock import CLOCK

T = TypeVar("T")


Json = TypeAliasType("Json", "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None")


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """Half-open: start <= t < end. None is open. Both aware."""

    start: datetime | None = None
    end: datetime | None = None


@dataclass(frozen=True, slots=True)
class NumberSpan:
    """Both ends included. None is open."""

    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """A page of a list; `next_token` is empty on the last."""

    items: tuple[T, ...]
    next_token: str = ""


def utc_now() -> datetime:
    """Now, aware, UTC."""
    return CLOCK.now()


def new_id() -> UUID:
    """A UUIDv7 (RFC 9562): 48 bits of Unix milliseconds, then random bits, so that ids sort by time."""
    milliseconds = int(CLOCK.seconds() * 1000)
    value = (milliseconds << 80) | secrets.randbits(80)
    value = (value & ~(0xF << 76)) | (0x7 << 76)
    value = (value & ~(0x3 << 62)) | (0x2 << 62)
    return UUID(int=value)

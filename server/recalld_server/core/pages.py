"""Page tokens: where the next page begins, bound to the request that they belong to."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from recalld_server.errors import InvalidPageToken


def _digest(request: object) -> str:
    # repr of frozen dataclasses is complete and stable within a release, which is as long as a token is good
    return hashlib.sha256(repr(request).encode()).hexdigest()[:16]


def encode(place: Sequence[str | int], request: object) -> str:
    """A token for the place behind which the next page begins; `request` is everything else that the caller asked."""
    return base64.urlsafe_b64encode(json.dumps([_digest(request), *place]).encode()).decode().rstrip("=")


def decode(token: str, request: object, kinds: Sequence[type]) -> list[str | int] | None:
    """The place, or None for an empty token. Raises InvalidPageToken for any token that `encode` did not make for it."""
    if not token:
        return None
    try:
        values = json.loads(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)))
    except (binascii.Error, ValueError) as error:
        raise InvalidPageToken from error
    if not isinstance(values, list) or len(values) != len(kinds) + 1 or values[0] != _digest(request):
        raise InvalidPageToken
    place = values[1:]
    if not all(type(value) is kind for value, kind in zip(place, kinds, strict=True)):
        raise InvalidPageToken
    return place


def moment(text: str) -> datetime:
    """The instant that `isoformat` wrote into a token."""
    try:
        value = datetime.fromisoformat(text)
    except ValueError as error:
        raise InvalidPageToken from error
    if value.tzinfo is None:
        raise InvalidPageToken
    return value


def identity(text: str) -> UUID:
    """The id that `str` wrote into a token."""
    try:
        return UUID(text)
    except ValueError as error:
        raise InvalidPageToken from error

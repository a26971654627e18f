"""Resume tokens: how far each namespace was told, bound to the tenant and to the namespaces.

A token says nothing that its holder may not know and opens nothing: access is checked anew whenever it is used. The
digest tells a token that belongs elsewhere, or that was cut or mistyped, from one that was given.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Mapping
from struct import Struct
from uuid import UUID

from recalld_server.errors import InvalidResumeToken

VERSION = b"\x01"
DIGEST_BYTES = 12
SEQUENCE = Struct(">q")


def encode(tenant_id: UUID, positions: Mapping[UUID, int]) -> str:
    """A token for these positions: by namespace, the sequence of the last change that was told or passed over."""
    places = b"".join(SEQUENCE.pack(positions[each]) for each in sorted(positions))
    names = b"".join(each.bytes for each in (tenant_id, *sorted(positions)))
    digest = hashlib.sha256(VERSION + names + places).digest()[:DIGEST_BYTES]
    return base64.urlsafe_b64encode(VERSION + places + digest).decode().rstrip("=")


def decode(token: str, tenant_id: UUID, namespace_ids: set[UUID]) -> dict[UUID, int]:
    """The positions. Raises InvalidResumeToken for any token that `encode` did not make for these namespaces."""
    try:
        places = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))[len(VERSION) : -DIGEST_BYTES]
    except (binascii.Error, ValueError) as error:
        raise InvalidResumeToken from error
    if len(places) != SEQUENCE.size * len(namespace_ids):
        raise InvalidResumeToken
    found = (place for (place,) in SEQUENCE.iter_unpack(places))
    positions = dict(zip(sorted(namespace_ids), found, strict=True))
    if token != encode(tenant_id, positions):
        raise InvalidResumeToken
    return positions

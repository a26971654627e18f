"""What a value looks like in Redis: a format number, the tenant, a version, then the bytes themselves."""

from __future__ import annotations

from uuid import UUID

FORMAT = 1
HEAD = 1 + 16 + 2


def seal(tenant_id: UUID, version: bytes, body: bytes) -> bytes:
    """The stored form. `version`: at most 65,535 bytes."""
    return bytes([FORMAT]) + tenant_id.bytes + len(version).to_bytes(2) + version + body


def unseal(tenant_id: UUID, version: bytes, stored: bytes) -> bytes | None:
    """The bytes, or None for what this release, for this tenant and in this version, did not store."""
    if len(stored) < HEAD or stored[0] != FORMAT or stored[1:17] != tenant_id.bytes:
        return None
    end = HEAD + int.from_bytes(stored[17:HEAD])
    return stored[end:] if stored[HEAD:end] == version and len(stored) >= end else None

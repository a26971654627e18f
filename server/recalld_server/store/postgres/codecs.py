"""Vectors on the wire, as numpy arrays. Formats: pgvector's halfvec_send, vector_send, sparsevec_send."""

from __future__ import annotations

import struct
from typing import Any

import asyncpg
import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
TERM_SPACE = 1 << 20


def halfvec_to_wire(vector: Floats | bytes) -> bytes:
    """Bytes are on the wire's form already: in an array parameter a numpy array would be taken for a nested array."""
    if isinstance(vector, bytes):
        return vector
    return struct.pack(">HH", len(vector), 0) + np.asarray(vector, dtype=">f2").tobytes()


def halfvec_from_wire(data: bytes) -> Floats:
    return np.frombuffer(data, dtype=">f2", offset=4).astype(np.float32)


def sparsevec_to_wire(pair: tuple[Any, Any]) -> bytes:
    """From (indices from 0, ascending; values, none of them 0)."""
    indices, values = pair
    head = struct.pack(">iii", TERM_SPACE, len(indices), 0)
    return head + np.asarray(indices, dtype=">i4").tobytes() + np.asarray(values, dtype=">f4").tobytes()


def _never(data: bytes) -> None:
    raise NotImplementedError("sparse vectors are compared in the database and never read")


async def register(connection: asyncpg.Connection, schema: str) -> None:
    """Teaches a connection pgvector's types, which live in that schema."""
    await connection.set_type_codec(
        "halfvec", schema=schema, encoder=halfvec_to_wire, decoder=halfvec_from_wire, format="binary"
    )
    await connection.set_type_codec(
        "sparsevec", schema=schema, encoder=sparsevec_to_wire, decoder=_never, format="binary"
    )

"""What goes into the store with a memory, and what it meets there."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import numpy as np
import numpy.typing as npt

from recalld_server.model import (
    ChangeType,
    Memory,
    Request,
    Visibility,
)

Vector = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Lexical:
    """The lexical form of a text: term ids (sorted, unique, below 2^20), their stored BM25 weights, length in words."""

    terms: tuple[int, ...]
    weights: tuple[float, ...]
    length: int


@dataclass(frozen=True, slots=True)
class NewMemory:
    """A memory to be stored with everything that makes it findable."""

    memory: Memory
    content_hash: bytes
    lexical: Lexical
    vector: Vector | None
    """Embedding that Search uses, norm at most 1 (less: it counts less); None: index_state is PENDING or FAILED."""
    text_vector: Vector | None = None
    """L2-normalised embedding of the text alone, when `vector` also carries its context; else None."""
    request: Request | None = None
    """Whose answer goes when the memory is erased, if not that which the unit was opened with."""


@dataclass(frozen=True, slots=True)
class Near:
    """A live memory near a draft, with the cosine between the texts alone."""

    memory: Memory
    cosine: float


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a draft meets: the live memory with the same text, if any, and the nearest ones, best first."""

    exact: Memory | None
    near: tuple[Near, ...]


@dataclass(frozen=True, slots=True)
class DraftProbe:
    """What is needed to find a draft's surroundings: only live memories with the same kind group (EPISODIC alone; all
    others together), the same user_id, the same audience (SHARED, or PRIVATE of this agent) are met."""

    content_hash: bytes
    vector: Vector | None
    episodic: bool
    user_id: str
    visibility: Visibility


@dataclass(frozen=True, slots=True)
class Change:
    """One change event of a namespace."""

    sequence: int
    """Counts up by one per namespace, in commit order, without gaps."""
    type: ChangeType
    memory_id: UUID
    memory: Memory | None
    actor: str
    create_time: datetime

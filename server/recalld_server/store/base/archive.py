"""The archive: cold files beside the store, and what the store knows of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Protocol
from uuid import UUID

from recalld_server.model import Memory, Scope
from recalld_server.store.base.moving import Adopted


class Archive(Protocol):
    """Where the files are: a folder, a bucket. Keys are paths of ours with slashes, such as `NAMESPACE_ID/2025-03/x.zst`.
    Every method raises StoreUnavailable when the place does not answer."""

    async def put(self, key: str, data: bytes) -> None:
        """Stores a file, whole and durable when this returns; replaces one of that key."""

    async def get(self, key: str) -> bytes | None:
        """A file; None when there is none."""

    async def delete(self, key: str) -> None:
        """Removes a file; nothing happens when there is none."""

    async def list(self) -> tuple[str, ...]:
        """All keys."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A file of the archive."""

    segment_id: UUID
    month: date
    """The first of the month in which its memories were written."""
    sha256: bytes
    bytes: int
    records: int


class ArchiveReads(Protocol):
    """Reads of what is archived; in a scope of every agent, or of one that may read the memory."""

    async def to_freeze(self, scope: Scope, before: datetime, *, limit: int) -> tuple[Memory, ...]:
        """Memories that were archived before then and are not in the archive yet, oldest first."""

    async def segments(self, scope: Scope, *, dirty: bool = False) -> tuple[Segment, ...]:
        """The files of a namespace; with `dirty` those that hold what is not theirs any more."""

    async def members(self, scope: Scope, segment_id: UUID) -> frozenset[UUID]:
        """The memories that are in a file and belong there."""

    async def segment_of(self, scope: Scope, memory_id: UUID) -> Segment | None:
        """The file that holds a memory; None: it is not in the archive."""


class ArchiveWrites(ArchiveReads, Protocol):
    """Changes of what is archived. Lock the namespace first."""

    async def freeze(self, scope: Scope, segment: Segment, memories: Sequence[Memory]) -> int:
        """Notes that these are in a file, and drops their history but the last revision, their vectors and their lexical
        form. Those that have changed since are left as they are, and the file is dirty. Returns how many went; when none
        did, nothing is noted."""

    async def thaw(self, scope: Scope, adopted: Adopted, *, indexed: bool) -> bool:
        """Puts back what `freeze` took; False: it is not in the archive any more. Without `indexed`, it waits for vectors."""

    async def replace_segment(self, scope: Scope, old: UUID, new: Segment | None) -> None:
        """Notes that a file was written anew with what belongs in it; None: nothing is left of it."""


class Archived(Protocol):
    """Namespaces of every tenant that the archive has something to do with."""

    async def due(self, before: datetime, limit: int) -> tuple[Scope, ...]:
        """Those with memories that were archived before then, or with dirty files; in scopes of every agent."""

    async def known(self, segment_ids: Sequence[UUID]) -> frozenset[UUID]:
        """Those of the files that the store knows of."""

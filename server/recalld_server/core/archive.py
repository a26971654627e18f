"""The archive: what is ARCHIVED for a while goes cold, into compressed files beside the store, and comes back whole.

A file is zstd over lines of an export, with history and vectors; there is one for each namespace, month and run. The store
keeps the text, so that an archived memory can still be listed, and the hash of each file. A file is written before the
store lets go of anything; it is removed after the store knows of another. What is in a file and belongs there no more,
since it was erased or brought back, is written out of it.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from uuid import UUID

from recalld_server.core.drafts import identity
from recalld_server.core.indexing import indexed as findable
from recalld_server.core.moving import Exported
from recalld_server.errors import InvalidField, WrongState
from recalld_server.model import Scope, new_id, utc_now
from recalld_server.store.base import Adopted, Archive, Archived, Kept, Segment, Store

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

WARM = timedelta(hours=25)
"""How long what is archived stays at hand, for who changes their mind. Longer than answers to requests are kept: which
these were is known by the history alone, and an erasure has to find them."""
BATCH = 500
AT_A_TIME = 10
"""Namespaces."""
STRAY = timedelta(hours=1)
"""A file that the store does not know of is removed when it is older: it may be about to be told."""
MANIFEST = "manifest.json"
LEVEL = 10


class Archives:
    """Freezes, thaws and tidies. `to_line` and `from_line` are the format of an export."""

    def __init__(
        self,
        store: Store,
        archived: Archived,
        archive: Archive,
        *,
        model_id: str,
        to_line: Callable[[Exported], str],
        from_line: Callable[[str], Exported],
    ) -> None:
        self._store = store
        self._archived = archived
        self._archive = archive
        self._model_id = model_id
        self._to_line = to_line
        self._from_line = from_line

    async def run(self, warm: timedelta = WARM) -> int:
        """Freezes what was archived longer ago, and tidies; how many memories went and files were written anew."""
        before, done = utc_now() - warm, 0
        for scope in await self._archived.due(before, AT_A_TIME):
            done += await self._freeze(scope, before) + await self.tidy(scope)
        return done

    async def thaw(self, scope: Scope, memory_id: UUID) -> None:
        """Puts back what the archive has of a memory; nothing happens when it has nothing. Raises WrongState when the file
        is missing or broken: nothing is changed then."""
        async with self._store.view([scope]) as view:
            segment = await view.segment_of(scope, memory_id)
            average = await view.average_length(scope)
        if segment is None:
            return
        lines = _lines(await self._read(scope, segment))
        record = next((each for each in map(self._from_line, lines) if each.kept.memory.memory_id == memory_id), None)
        if record is None:
            raise _broken("does not hold this memory")
        kept, ours = record.kept, record.embedding_model == self._model_id and record.kept.vector is not None
        form = findable(kept.memory, identity(kept.memory), average, kept.vector if ours else None, None)
        form = replace(form, text_vector=kept.text_vector if ours else None)
        async with self._store.unit(scope) as unit:
            await unit.lock(scope)
            await unit.thaw(scope, Adopted(form, kept.revisions), indexed=ours)

    async def tidy(self, scope: Scope) -> int:
        """Writes files anew without what does not belong in them any more; how many."""
        async with self._store.view([scope]) as view:
            dirty = await view.segments(scope, dirty=True)
        for segment in dirty:
            async with self._store.view([scope]) as view:
                members = await view.members(scope, segment.segment_id)
            new = await self._rewritten(scope, segment, members) if members else None
            if new is not None:
                await self._describe(scope, new.month, also=new)
            async with self._store.unit(scope) as unit:
                await unit.lock(scope)
                await unit.replace_segment(scope, segment.segment_id, new)
            await self._archive.delete(_key(scope, segment))
            await self._describe(scope, segment.month)
        return len(dirty)

    async def sweep(self) -> int:
        """Removes files that the store does not know of: of deleted namespaces, of a server that died; how many."""
        old = utc_now() - STRAY
        found = {each: key for key in await self._archive.list() if (each := _segment_in(key)) and _made(each) < old}
        known = await self._archived.known(list(found)) if found else frozenset()
        stray = [key for each, key in found.items() if each not in known]
        for key in stray:
            await self._archive.delete(key)
        return len(stray)

    async def _freeze(self, scope: Scope, before: datetime) -> int:
        async with self._store.view([scope]) as view:
            memories = await view.to_freeze(scope, before, limit=BATCH)
            kept = await view.keep(scope, memories, vectors=True, revisions=True)
        months: dict[date, list[Kept]] = defaultdict(list)
        for each in kept:
            months[each.memory.create_time.astimezone(UTC).date().replace(day=1)].append(each)
        return sum([await self._freeze_month(scope, month, each) for month, each in sorted(months.items())])

    async def _freeze_month(self, scope: Scope, month: date, kept: Sequence[Kept]) -> int:
        lines = [self._to_line(Exported(each, self._model_id if each.vector is not None else "")) for each in kept]
        segment = await self._write(scope, month, lines)
        await self._describe(scope, month, also=segment)
        async with self._store.unit(scope) as unit:
            await unit.lock(scope)
            frozen = await unit.freeze(scope, segment, [each.memory for each in kept])
        if not frozen:
            await self._archive.delete(_key(scope, segment))
            await self._describe(scope, month)
        return frozen

    async def _rewritten(self, scope: Scope, segment: Segment, members: frozenset[UUID]) -> Segment:
        lines = _lines(await self._read(scope, segment))
        kept = [line for line in lines if self._from_line(line).kept.memory.memory_id in members]
        return await self._write(scope, segment.month, kept)

    async def _write(self, scope: Scope, month: date, lines: Sequence[str]) -> Segment:
        data = zstd.compress("".join(f"{line}\n" for line in lines).encode(), level=LEVEL)
        segment = Segment(new_id(), month, hashlib.sha256(data).digest(), len(data), len(lines))
        await self._archive.put(_key(scope, segment), data)
        return segment

    async def _read(self, scope: Scope, segment: Segment) -> bytes:
        data = await self._archive.get(_key(scope, segment))
        if data is None:
            raise _broken("is missing")
        if hashlib.sha256(data).digest() != segment.sha256:
            raise _broken("is not what was written")
        return data

    async def _describe(self, scope: Scope, month: date, also: Segment | None = None) -> None:
        """The manifest of a month, for who has the files but not the store. `also`: a file that the store is about to be
        told of, so that none that counts is ever missing, whatever fails after."""
        async with self._store.view([scope]) as view:
            segments = [each for each in await view.segments(scope) if each.month == month]
        segments += [] if also is None else [also]
        key = f"{scope.namespace_id}/{month:%Y-%m}/{MANIFEST}"
        if not segments:
            await self._archive.delete(key)
            return
        files = [
            {"name": _name(each), "sha256": each.sha256.hex(), "bytes": each.bytes, "records": each.records}
            for each in segments
        ]
        text = json.dumps({"version": 1, "namespace_id": str(scope.namespace_id), "files": files}, indent=1)
        await self._archive.put(key, text.encode())


def _broken(how: str) -> WrongState:
    message = f"its file in the archive {how}: put the file back from a backup. Nothing was changed"
    return WrongState("ARCHIVED", message)


def _lines(data: bytes) -> list[str]:
    try:
        text = zstd.decompress(data).decode()
    except (zstd.ZstdError, UnicodeDecodeError) as error:
        raise InvalidField("archive", "holds a file that cannot be read") from error
    return [line for line in text.split("\n") if line]


def _name(segment: Segment) -> str:
    return f"{segment.segment_id}.jsonl.zst"


def _key(scope: Scope, segment: Segment) -> str:
    return f"{scope.namespace_id}/{segment.month:%Y-%m}/{_name(segment)}"


def _segment_in(key: str) -> UUID | None:
    try:
        return UUID(key.rpartition("/")[2].partition(".")[0])
    except ValueError:
        return None


def _made(segment_id: UUID) -> datetime:
    """The ids of files are UUIDv7: their first 48 bits are milliseconds."""
    return datetime.fromtimestamp((segment_id.int >> 80) / 1000, UTC)

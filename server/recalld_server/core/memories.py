"""Reading, changing and bringing back single memories."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from uuid import UUID

from recalld_server.core import pages
from recalld_server.core.access import Access, Room
from recalld_server.core.answers import from_json, to_json
from recalld_server.core.archive import Archives
from recalld_server.core.drafts import changed
from recalld_server.core.forms import Forms
from recalld_server.core.policy import DEFAULTS, Action
from recalld_server.core.types import CallOptions, Precondition
from recalld_server.errors import EtagMismatch, InvalidField, MemoryNotFound, WrongState
from recalld_server.model import Filter, Memory, Page, Policy, Principal, Revision, State, utc_now
from recalld_server.models.base import Embedder
from recalld_server.store.base import AnswerKnown, NewMemory, Reads, Store

HIDDEN = frozenset({State.FORGOTTEN, State.EXPIRED})
"""States that Get does not show; List shows them on request."""
CHANGEABLE = frozenset({State.ACTIVE, State.PENDING_REVIEW})


def check(memory: Memory, precondition: Precondition) -> None:
    """Raises EtagMismatch unless the memory is what the caller believes it to be."""
    if precondition.etag and precondition.etag != memory.etag:
        raise EtagMismatch(memory.etag, memory.revision)
    if precondition.revision is not None and precondition.revision != memory.revision:
        raise EtagMismatch(memory.etag, memory.revision)


class Memories:
    """Get, List, Update, ListRevisions, Restore."""

    def __init__(
        self,
        store: Store,
        access: Access,
        embedder: Embedder,
        *,
        content_limit: int,
        archives: Archives | None = None,
        reads: Reads | None = None,
    ) -> None:
        """`reads` answers Get, List and ListRevisions; None: the store does."""
        self._reads = reads or store
        self._archives = archives
        self._store = store
        self._access = access
        self._forms = Forms(store, embedder)
        self._limit = content_limit

    async def get(self, principal: Principal, namespace: str, memory_id: UUID, as_of: datetime | None) -> Memory:
        """Raises MemoryNotFound; a memory that is forgotten or expired is not found."""
        room = await self._access.open(principal, namespace, Action.READ)
        scope = room.scope
        found = await self._reads.read([scope], lambda view: view.get(scope, [memory_id], as_of=as_of))
        memory = found.get(memory_id)
        if memory is None or memory.state in HIDDEN:
            raise MemoryNotFound
        return memory

    async def list(
        self,
        principal: Principal,
        namespace: str,
        filter: Filter,
        *,
        page_size: int,
        page_token: str,
        as_of: datetime | None,
    ) -> Page[Memory]:
        """Newest first."""
        room = await self._access.open(principal, namespace, Action.READ)
        asked = (namespace, filter, as_of)
        place = pages.decode(page_token, asked, (str, str))
        before = (pages.moment(str(place[0])), UUID(str(place[1]))) if place else None
        found = await self._reads.read(
            [room.scope],
            lambda view: view.list(room.scope, filter, limit=page_size + 1, before=before, as_of=as_of),
        )
        if len(found) <= page_size:
            return Page(found)
        last = found[page_size - 1]
        return Page(found[:page_size], pages.encode([last.create_time.isoformat(), str(last.memory_id)], asked))

    async def update(
        self,
        principal: Principal,
        namespace: str,
        memory_id: UUID,
        changes: Mapping[str, object],
        *,
        precondition: Precondition,
        reason: str,
        call: CallOptions,
    ) -> Memory:
        """Changes the fields given and no others. `metadata_keys` in `changes` maps single keys to their new values, or
        to `...` to remove them. Raises InvalidField, MemoryNotFound, WrongState, EtagMismatch, MemoryExists."""
        room = await self._access.open(principal, namespace, Action.WRITE)
        old = await self._changeable(room, memory_id, call)
        if isinstance(old, AnswerKnown):
            return from_json(Memory, old.answer)
        check(old, precondition)
        if old.state not in CHANGEABLE:
            raise WrongState(old.state.name, f"a memory that is {old.state.name} cannot be changed: restore it first")
        new = changed(old, _with_metadata_keys(old, changes), limit=self._limit, now=utc_now())
        form = await self._forms.next(room.scope, old, new, timeout=call.timeout)
        return await self._replace(room, form, old, "update", reason, call)

    async def revisions(
        self, principal: Principal, namespace: str, memory_id: UUID, *, page_size: int, page_token: str
    ) -> Page[Revision]:
        """Newest first. Raises MemoryNotFound."""
        room = await self._access.open(principal, namespace, Action.READ)
        asked = (namespace, memory_id)
        place = pages.decode(page_token, asked, (int,))
        before = int(place[0]) if place else None
        found = await self._reads.read(
            [room.scope], lambda view: view.revisions(room.scope, memory_id, limit=page_size + 1, before=before)
        )
        if not found and before is None:
            raise MemoryNotFound
        if len(found) <= page_size:
            return Page(found)
        return Page(found[:page_size], pages.encode([found[page_size - 1].memory.revision], asked))

    async def restore(
        self,
        principal: Principal,
        namespace: str,
        memory_id: UUID,
        *,
        revision: int | None,
        precondition: Precondition,
        reason: str,
        call: CallOptions,
    ) -> Memory:
        """The memory as it was at a revision (None: the latest in which it was ACTIVE), ACTIVE again. Raises
        MemoryNotFound, InvalidField for a revision that it never had, EtagMismatch, MemoryExists."""
        room = await self._access.open(principal, namespace, Action.WRITE)
        old = await self._changeable(room, memory_id, call)
        if isinstance(old, AnswerKnown):
            return from_json(Memory, old.answer)
        _check_window(old, room.policy)
        check(old, precondition)
        if self._archives is not None:
            await self._archives.thaw(room.scope, memory_id)
            old = (await self._reread(room, memory_id)) or old
        if old.state is State.PENDING_REVIEW:
            raise WrongState(old.state.name, "a memory that waits for a review cannot be restored: resolve its review")
        then = await self._at(room, memory_id, revision)
        now = utc_now()
        new = replace(
            then,
            state=State.ACTIVE,
            revision=old.revision + 1,
            create_time=old.create_time,
            update_time=now,
            superseded_by=None,
            valid_until=None if then.superseded_by or old.superseded_by else then.valid_until,
            expire_time=then.expire_time if then.expire_time and then.expire_time > now else None,
            use_count=old.use_count,
            last_use_time=old.last_use_time,
            index_state=old.index_state,
            index_error=old.index_error,
        )
        form = await self._forms.next(room.scope, old, new, timeout=call.timeout)
        return await self._replace(room, form, old, "restore", reason, call)

    async def _changeable(self, room: Room, memory_id: UUID, call: CallOptions) -> Memory | AnswerKnown:
        if call.request is not None:
            known = await self._store.known_answer(room.scope, call.request)
            if known is not None:
                return AnswerKnown(known)
        async with self._store.view([room.scope]) as view:
            memory = (await view.get(room.scope, [memory_id])).get(memory_id)
        if memory is None:
            raise MemoryNotFound
        return memory

    async def _reread(self, room: Room, memory_id: UUID) -> Memory | None:
        async with self._store.view([room.scope]) as view:
            return (await view.get(room.scope, [memory_id])).get(memory_id)

    async def _at(self, room: Room, memory_id: UUID, revision: int | None) -> Memory:
        async with self._store.view([room.scope]) as view:
            before = None
            while True:
                found = await view.revisions(room.scope, memory_id, limit=100, before=before)
                for each in found:
                    wanted = each.memory.state is State.ACTIVE if revision is None else each.memory.revision == revision
                    if wanted:
                        return each.memory
                if len(found) < 100:
                    raise InvalidField("revision", "is not one that this memory has had: see ListRevisions")
                before = found[-1].memory.revision

    async def _replace(
        self, room: Room, form: NewMemory, old: Memory, action: str, reason: str, call: CallOptions
    ) -> Memory:
        try:
            async with self._store.unit(room.scope, call.request) as unit:
                memory = await unit.replace(
                    room.scope,
                    form,
                    expected_revision=old.revision,
                    action=action,
                    actor=room.scope.agent_id,
                    reason=reason,
                )
                if call.request is not None:
                    await unit.remember_answer(to_json(Memory, memory))
                return memory
        except AnswerKnown as known:
            return from_json(Memory, known.answer)


def _check_window(memory: Memory, policy: Policy) -> None:
    """What was forgotten longer ago than the namespace keeps it is as good as erased, whether it was swept or not."""
    days = DEFAULTS.forget_window_days if policy.forget_window_days is None else policy.forget_window_days
    if memory.state is State.FORGOTTEN and memory.update_time < utc_now() - timedelta(days=days or 0):
        raise MemoryNotFound


def _with_metadata_keys(old: Memory, changes: Mapping[str, object]) -> dict[str, object]:
    result = dict(changes)
    keys = result.pop("metadata_keys", None)
    if isinstance(keys, Mapping):
        base = result.get("metadata", old.metadata)
        assert isinstance(base, Mapping)
        merged = {**base, **keys}
        result["metadata"] = {key: value for key, value in merged.items() if value is not ...}
    return result

"""Changing memories, and their history."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from google.protobuf.field_mask_pb2 import FieldMask

from recalld._async.bound import AsyncBound
from recalld._async.pager import AsyncPager
from recalld._calls import request_id as named
from recalld._convert.build import build, many
from recalld._convert.memories import from_memory, from_revision, to_memory_update
from recalld._unset import UNSET, Unset
from recalld.enums import KindLike
from recalld.types.memories import Memory, MemoryRevision, ToolCall
from recalld.v1 import memory_service_pb2 as sv


class AsyncChanging(AsyncBound):
    """Changing memories, and their history."""

    async def update(
        self,
        memory_id: str,
        *,
        content: str | Unset = UNSET,
        kind: KindLike | Unset = UNSET,
        user_id: str | Unset | None = UNSET,
        session_id: str | Unset | None = UNSET,
        speaker: str | Unset | None = UNSET,
        tags: Sequence[str] | Unset = UNSET,
        entities: Sequence[str] | Unset = UNSET,
        tool_calls: Sequence[ToolCall] | Unset = UNSET,
        importance: float | Unset = UNSET,
        confidence: float | Unset = UNSET,
        metadata: Mapping[str, Any] | Unset | None = UNSET,
        metadata_set: Mapping[str, Any] | None = None,
        metadata_remove: Sequence[str] = (),
        counterfactual: str | Unset | None = UNSET,
        event_time: datetime | Unset | None = UNSET,
        expire_time: datetime | Unset | None = UNSET,
        valid_from: datetime | Unset | None = UNSET,
        valid_until: datetime | Unset | None = UNSET,
        etag: str | None = None,
        expected_revision: int | None = None,
        reason: str | None = None,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> Memory:
        """Changes the fields that are given, and nothing else; None empties a field that can be empty.

        `metadata` replaces the whole; `metadata_set` and `metadata_remove` change single (literal) keys. With `etag`
        or `expected_revision`, raises Conflict when someone else changed the memory in the meantime.
        """
        given = {
            "content": content,
            "kind": kind,
            "user_id": user_id,
            "session_id": session_id,
            "speaker": speaker,
            "tags": tags,
            "entities": entities,
            "tool_calls": tool_calls,
            "importance": importance,
            "confidence": confidence,
            "metadata": metadata,
            "counterfactual": counterfactual,
            "event_time": event_time,
            "expire_time": expire_time,
            "valid_from": valid_from,
            "valid_until": valid_until,
        }
        memory, mask = to_memory_update(
            {name: value for name, value in given.items() if value is not UNSET}, metadata_set, many(metadata_remove)
        )
        request = build(
            sv.UpdateRequest,
            namespace=self._namespace,
            memory_id=memory_id,
            memory=memory,
            update_mask=build(FieldMask, "update_mask", paths=mask),
            etag=etag,
            expected_revision=expected_revision,
            request_id=named(request_id),
            reason=reason,
        )
        answer = await self._transport.mutate(lambda stubs: stubs.memory.Update, request, timeout)
        return from_memory(answer.memory)

    def revisions(
        self, memory_id: str, *, page_size: int | None = None, timeout: float | None = None
    ) -> AsyncPager[MemoryRevision]:
        """Lists every change of a memory, newest first. The timeout is that of each page."""
        request = build(sv.ListRevisionsRequest, namespace=self._namespace, memory_id=memory_id, page_size=page_size)
        return AsyncPager(
            self._transport,
            lambda stubs: stubs.memory.ListRevisions,
            request,
            lambda answer: map(from_revision, answer.revisions),
            timeout,
        )

    async def restore(
        self,
        memory_id: str,
        *,
        revision: int | None = None,
        etag: str | None = None,
        expected_revision: int | None = None,
        reason: str | None = None,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> Memory:
        """Brings a memory back to a revision, or to the latest in which it was ACTIVE; itself a revision."""
        request = build(
            sv.RestoreRequest,
            namespace=self._namespace,
            memory_id=memory_id,
            revision=revision,
            etag=etag,
            expected_revision=expected_revision,
            reason=reason,
            request_id=named(request_id),
        )
        answer = await self._transport.mutate(lambda stubs: stubs.memory.Restore, request, timeout)
        return from_memory(answer.memory)

"""Writing and reading memories."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Unpack
from uuid import uuid4

from recalld._async.aiter import Source  # async only
from recalld._async.bound import AsyncBound
from recalld._async.pager import AsyncPager
from recalld._async.transport import Outgoing
from recalld._calls import request_id as named
from recalld._calls import seconds
from recalld._convert.build import build, many, to_enum
from recalld._convert.filters import to_filter, to_time_range
from recalld._convert.memories import (
    from_batch_item,
    from_memory,
    from_stats,
    from_write_result,
    to_memory_input,
)
from recalld._convert.times import to_timestamp
from recalld._duration import Duration
from recalld.enums import Durability, DurabilityLike, KindLike, VisibilityLike
from recalld.filters import Filter, FilterFields, TimeRangeLike, combine
from recalld.types.memories import (
    BatchItem,
    BatchResult,
    Memory,
    MemoryInput,
    Stats,
    ToolCall,
    WriteResult,
)
from recalld.v1 import memory_service_pb2 as sv


class AsyncMemories(AsyncBound):
    """Writing and reading memories."""

    async def write(
        self,
        content: str | MemoryInput,
        *,
        kind: KindLike | None = None,
        visibility: VisibilityLike | None = None,
        user_id: str | None = None,
        session_id: str | None = None,
        speaker: str | None = None,
        tags: Sequence[str] = (),
        entities: Sequence[str] = (),
        tool_calls: Sequence[ToolCall] = (),
        importance: float | None = None,
        confidence: float | None = None,
        metadata: Mapping[str, Any] | None = None,
        counterfactual: str | None = None,
        source_ids: Sequence[str] = (),
        event_time: datetime | None = None,
        expire_time: datetime | None = None,
        ttl: Duration | None = None,
        valid_from: datetime | None = None,
        valid_until: datetime | None = None,
        memory_id: str | None = None,
        durability: DurabilityLike | None = None,
        validate_only: bool = False,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> WriteResult:
        """Stores one memory and says what became of it.

        The keywords are the fields of `MemoryInput`; a MemoryInput may be given instead of a text, and then alone.
        With `durability="indexed"`, the default, the very next search finds it. `validate_only` stores nothing. A
        naive datetime is UTC; `ttl` is a timedelta or seconds, rounded up.
        """
        memory = MemoryInput(
            content if isinstance(content, str) else "",
            kind=kind,
            visibility=visibility,
            user_id=user_id,
            session_id=session_id,
            speaker=speaker,
            tags=tags,
            entities=entities,
            tool_calls=tool_calls,
            importance=importance,
            confidence=confidence,
            metadata=metadata,
            counterfactual=counterfactual,
            source_ids=source_ids,
            event_time=event_time,
            expire_time=expire_time,
            ttl=ttl,
            valid_from=valid_from,
            valid_until=valid_until,
            memory_id=memory_id,
        )
        if not isinstance(content, str):
            if memory != MemoryInput(""):
                raise TypeError("a MemoryInput is given alone: put the other fields of the memory into it")
            memory = content
        request = build(
            sv.WriteRequest,
            namespace=self._namespace,
            memory=to_memory_input(memory),
            request_id=named(request_id),
            durability=to_enum(sv.Durability, Durability, durability, "durability"),
            validate_only=validate_only,
        )
        answer = await self._transport.mutate(lambda stubs: stubs.memory.Write, request, timeout)
        return from_write_result(answer.result)

    async def write_batch(
        self,
        memories: Sequence[MemoryInput | str],
        *,
        durability: DurabilityLike | None = None,
        validate_only: bool = False,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> BatchResult:
        """Stores 1 to 500 memories. Each has a result or an error of its own, in the order given."""
        request = build(
            sv.BatchWriteRequest,
            namespace=self._namespace,
            memories=[to_memory_input(each, f"memories[{index}]") for index, each in enumerate(many(memories))],
            request_id=named(request_id),
            durability=to_enum(sv.Durability, Durability, durability, "durability"),
            validate_only=validate_only,
        )
        answer = await self._transport.mutate(lambda stubs: stubs.memory.BatchWrite, request, timeout)
        return BatchResult(tuple(from_batch_item(item, index) for index, item in enumerate(answer.items)))

    async def write_stream(
        self,
        memories: Source[MemoryInput | str],
        *,
        durability: DurabilityLike | None = None,
        stream_id: str | None = None,
        timeout: float | None = None,
    ) -> AsyncIterator[BatchItem]:
        """Stores memories as they come and yields what became of each; the stream has no deadline of its own.

        When the stream breaks, send the same memories again under the same `stream_id`: what was stored already gets
        its first answer. What the iterator itself raises is raised here, after the answers to what was sent. The
        blocking client reads the iterator in a thread of its own.
        """
        stream = stream_id or str(uuid4())
        when = to_enum(sv.Durability, Durability, durability, "durability")
        outgoing = Outgoing(
            memories,
            lambda sequence, memory: build(
                sv.StreamWriteRequest,
                namespace=self._namespace,
                memory=to_memory_input(memory, f"memories[{sequence}]"),
                request_id=f"{stream}-{sequence}",
                sequence=sequence,
                durability=when,
            ),
        )
        call = self._transport.stubs.memory.StreamWrite(
            outgoing.messages(), timeout=seconds(timeout, None), metadata=self._transport.metadata()
        )
        async for answer in self._transport.answers(call):
            yield from_batch_item(answer.item, answer.sequence)
        outgoing.check()

    async def get(self, memory_id: str, *, as_of: datetime | None = None, timeout: float | None = None) -> Memory:
        """Reads one memory, as it is or as it was at `as_of`. Raises NotFound."""
        request = build(
            sv.GetRequest, namespace=self._namespace, memory_id=memory_id, as_of=to_timestamp(as_of, "as_of")
        )
        answer = await self._transport.read(lambda stubs: stubs.memory.Get, request, timeout)
        return from_memory(answer.memory)

    def list(
        self,
        *,
        filter: Filter | None = None,
        page_size: int | None = None,
        as_of: datetime | None = None,
        timeout: float | None = None,
        **where: Unpack[FilterFields],
    ) -> AsyncPager[Memory]:
        """Lists memories, newest first. The timeout is that of each page. Filters are as in `search`."""
        request = build(
            sv.ListRequest,
            namespace=self._namespace,
            filter=to_filter(combine(filter, where)),
            page_size=page_size,
            as_of=to_timestamp(as_of, "as_of"),
        )
        return AsyncPager(
            self._transport,
            lambda stubs: stubs.memory.List,
            request,
            lambda answer: map(from_memory, answer.memories),
            timeout,
        )

    async def stats(
        self, *, range: TimeRangeLike | None = None, all_namespaces: bool = False, timeout: float | None = None
    ) -> Stats:
        """Counts what this namespace holds and how it is used, or every namespace that the key may read.

        `range` is for the figures that are about a time; None: the last seven days.
        """
        request = build(
            sv.StatsRequest,
            namespace=None if all_namespaces else self._namespace,
            range=to_time_range(range, "range"),
        )
        return from_stats(await self._transport.read(lambda stubs: stubs.memory.Stats, request, timeout))

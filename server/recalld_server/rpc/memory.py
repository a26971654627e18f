"""MemoryService: checked requests in, calls to the rules, answers out."""

from __future__ import annotations

from collections.abc import AsyncIterator

from recalld.v1 import memory_service_pb2 as pb
from recalld_server.core.services import Core
from recalld_server.errors import RecalldError
from recalld_server.rpc import convert
from recalld_server.rpc.calls import Context, call_options, paging, principal
from recalld_server.rpc.write_stream import write_stream


class MemoryServicer:
    """One method for each RPC that is served; those that are missing answer UNIMPLEMENTED."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def Write(self, request: pb.WriteRequest, context: Context) -> pb.WriteResponse:  # noqa: N802
        draft = convert.draft(request.memory)
        options = convert.write_options(request, context)
        result = await self._core.writes.write(principal(), request.namespace, draft, options)
        return pb.WriteResponse(result=convert.write_result(result))

    async def BatchWrite(self, request: pb.BatchWriteRequest, context: Context) -> pb.BatchWriteResponse:  # noqa: N802
        drafts = [convert.checked_draft(memory) for memory in request.memories]
        options = convert.write_options(request, context)
        results = await self._core.writes.write_batch(principal(), request.namespace, drafts, options)
        return pb.BatchWriteResponse(items=[convert.batch_item(result) for result in results])

    def StreamWrite(  # noqa: N802
        self, requests: AsyncIterator[pb.StreamWriteRequest | RecalldError], context: Context
    ) -> AsyncIterator[pb.StreamWriteResponse]:
        return write_stream(self._core.writes, self._core.audit, principal(), requests, context)

    async def Search(self, request: pb.SearchRequest, context: Context) -> pb.SearchResponse:  # noqa: N802
        query = convert.search_query(request, context)
        return convert.search_response(await self._core.searches.search(principal(), query))

    async def BuildContext(  # noqa: N802
        self, request: pb.BuildContextRequest, context: Context
    ) -> pb.BuildContextResponse:
        query = convert.context_query(request, context)
        return convert.context_response(await self._core.contexts.build(principal(), query))

    async def Get(self, request: pb.GetRequest, context: Context) -> pb.GetResponse:  # noqa: N802
        memory_id = convert.uuid(request.memory_id, "memory_id")
        as_of = convert.optional_time(request, "as_of")
        memory = await self._core.memories.get(principal(), request.namespace, memory_id, as_of)
        return pb.GetResponse(memory=convert.memory(memory))

    async def List(self, request: pb.ListRequest, context: Context) -> pb.ListResponse:  # noqa: N802
        page = await self._core.memories.list(
            principal(),
            request.namespace,
            convert.filter_of(request.filter),
            as_of=convert.optional_time(request, "as_of"),
            **paging(request),
        )
        return pb.ListResponse(memories=[convert.memory(each) for each in page.items], next_page_token=page.next_token)

    async def Update(self, request: pb.UpdateRequest, context: Context) -> pb.UpdateResponse:  # noqa: N802
        memory = await self._core.memories.update(
            principal(),
            request.namespace,
            convert.uuid(request.memory_id, "memory_id"),
            convert.changes(request),
            precondition=convert.precondition(request),
            reason=convert.prose(request.reason),
            call=call_options(request, context),
        )
        return pb.UpdateResponse(memory=convert.memory(memory))

    async def ListRevisions(  # noqa: N802
        self, request: pb.ListRevisionsRequest, context: Context
    ) -> pb.ListRevisionsResponse:
        memory_id = convert.uuid(request.memory_id, "memory_id")
        page = await self._core.memories.revisions(principal(), request.namespace, memory_id, **paging(request))
        revisions = [convert.revision(each) for each in page.items]
        return pb.ListRevisionsResponse(revisions=revisions, next_page_token=page.next_token)

    async def Restore(self, request: pb.RestoreRequest, context: Context) -> pb.RestoreResponse:  # noqa: N802
        memory = await self._core.memories.restore(
            principal(),
            request.namespace,
            convert.uuid(request.memory_id, "memory_id"),
            revision=request.revision if request.HasField("revision") else None,
            precondition=convert.precondition(request),
            reason=convert.prose(request.reason),
            call=call_options(request, context),
        )
        return pb.RestoreResponse(memory=convert.memory(memory))

    async def Forget(self, request: pb.ForgetRequest, context: Context) -> pb.ForgetResponse:  # noqa: N802
        order = convert.forget_order(request)
        call = call_options(request, context)
        forgotten = await self._core.forgets.forget(principal(), request.namespace, order, call)
        return convert.forget_response(forgotten)

    async def Reflect(self, request: pb.ReflectRequest, context: Context) -> pb.ReflectResponse:  # noqa: N802
        order, call = convert.reflect_order(request), call_options(request, context)
        reflection = await self._core.reflections.start(principal(), request.namespace, order, call)
        return pb.ReflectResponse(reflection=convert.reflection(reflection))

    async def GetReflection(  # noqa: N802
        self, request: pb.GetReflectionRequest, context: Context
    ) -> pb.GetReflectionResponse:
        reflection_id = convert.uuid(request.reflection_id, "reflection_id")
        reflection = await self._core.reflections.get(principal(), request.namespace, reflection_id)
        return pb.GetReflectionResponse(reflection=convert.reflection(reflection))

    async def WatchReflection(  # noqa: N802
        self, request: pb.WatchReflectionRequest, context: Context
    ) -> AsyncIterator[pb.WatchReflectionResponse]:
        reflection_id = convert.uuid(request.reflection_id, "reflection_id")
        async for reflection in self._core.reflections.watch(principal(), request.namespace, reflection_id):
            yield pb.WatchReflectionResponse(reflection=convert.reflection(reflection))

    async def CancelReflection(  # noqa: N802
        self, request: pb.CancelReflectionRequest, context: Context
    ) -> pb.CancelReflectionResponse:
        reflection_id = convert.uuid(request.reflection_id, "reflection_id")
        call = call_options(request, context)
        reflection = await self._core.reflections.cancel(principal(), request.namespace, reflection_id, call)
        return pb.CancelReflectionResponse(reflection=convert.reflection(reflection))

    async def MarkUsed(self, request: pb.MarkUsedRequest, context: Context) -> pb.MarkUsedResponse:  # noqa: N802
        search_id = convert.uuid(request.search_id, "search_id")
        ids = [convert.uuid(each, f"memory_ids[{at}]") for at, each in enumerate(request.memory_ids)]
        marked = await self._core.usage.mark_used(principal(), search_id, ids, call_options(request, context))
        return pb.MarkUsedResponse(marked=marked)

    async def Stats(self, request: pb.StatsRequest, context: Context) -> pb.StatsResponse:  # noqa: N802
        span = convert.time_span(request.range, "range")
        return convert.stats_response(await self._core.figures.stats(principal(), request.namespace, span))

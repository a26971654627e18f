"""Moving memories in and out."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Unpack
from uuid import uuid4

from recalld._async.aiter import Source  # async only
from recalld._async.bound import AsyncBound
from recalld._async.transport import Outgoing
from recalld._calls import seconds
from recalld._convert.build import build
from recalld._convert.export import from_export_record, to_export_record
from recalld._convert.filters import to_filter
from recalld.filters import Filter, FilterFields, combine
from recalld.types.namespaces import ExportRecord, ImportResult
from recalld.v1 import namespace_service_pb2 as sv


class AsyncMoving(AsyncBound):
    """Moving memories in and out."""

    async def export(
        self,
        *,
        filter: Filter | None = None,
        include_vectors: bool = False,
        include_revisions: bool = False,
        timeout: float | None = None,
        **where: Unpack[FilterFields],
    ) -> AsyncIterator[ExportRecord]:
        """Yields the memories of the namespace, the live ones unless a filter (as in `search`) says otherwise.

        The stream has no deadline of its own. `ExportRecord.to_json` makes a line of a file of each.
        """
        request = build(
            sv.ExportRequest,
            namespace=self._namespace,
            filter=to_filter(combine(filter, where)),
            include_vectors=include_vectors,
            include_revisions=include_revisions,
        )
        call = self._transport.stubs.namespace.Export(
            request, timeout=seconds(timeout, None), metadata=self._transport.metadata()
        )
        async for answer in self._transport.answers(call):
            yield from_export_record(answer.record)

    async def import_(
        self, records: Source[ExportRecord], *, import_id: str | None = None, timeout: float | None = None
    ) -> AsyncIterator[ImportResult]:
        """Takes in what `export` gave and yields what became of each record; no deadline of its own.

        After a break, send the same records again under the same `import_id`: what was taken in already gets its
        first answer.
        """
        name = import_id or str(uuid4())
        outgoing = Outgoing(
            records,
            lambda sequence, record: build(
                sv.ImportRequest,
                namespace=self._namespace,
                record=to_export_record(record, f"records[{sequence}]"),
                sequence=sequence,
                request_id=f"{name}-{sequence}",
            ),
        )
        call = self._transport.stubs.namespace.Import(
            outgoing.messages(), timeout=seconds(timeout, None), metadata=self._transport.metadata()
        )
        async for answer in self._transport.answers(call):
            yield ImportResult(answer.sequence, answer.memory_id, answer.outcome, answer.error)
        outgoing.check()

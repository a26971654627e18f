"""Forgetting memories."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from recalld._async.bound import AsyncBound
from recalld._async.transport import AsyncTransport
from recalld._calls import request_id as named
from recalld._convert.build import build, many, to_enum
from recalld._convert.filters import to_filter
from recalld._convert.memories import from_forget
from recalld.enums import ForgetMode, ForgetModeLike
from recalld.filters import Filter, FilterFields, combine
from recalld.types.memories import ForgetResult
from recalld.v1 import memory_service_pb2 as sv


class AsyncForgetPlan:
    """What a filter means at the moment; nothing is forgotten before `confirm`."""

    def __init__(self, transport: AsyncTransport, request: sv.ForgetRequest, preview: ForgetResult) -> None:
        self._transport = transport
        self._request = request
        self.preview = preview

    @property
    def count(self) -> int:
        """How many memories would go."""
        return self.preview.count

    @property
    def memory_ids(self) -> tuple[str, ...]:
        """Some of their ids."""
        return self.preview.memory_ids

    async def confirm(self, *, request_id: str | None = None, timeout: float | None = None) -> ForgetResult:
        """Carries it out. Raises FailedPrecondition (DIGEST_MISMATCH) when the set has changed: plan again."""
        request = sv.ForgetRequest()
        request.CopyFrom(self._request)
        request.MergeFrom(build(sv.ForgetRequest, digest=self.preview.digest, request_id=named(request_id)))
        return from_forget(await self._transport.mutate(lambda stubs: stubs.memory.Forget, request, timeout))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.count} memories>"


class AsyncForgetting(AsyncBound):
    """Forgetting memories."""

    async def forget(
        self,
        memory_ids: Sequence[str] | str,
        *,
        mode: ForgetModeLike | None = None,
        dry_run: bool = False,
        etag: str | None = None,
        expected_revision: int | None = None,
        reason: str | None = None,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> ForgetResult:
        """Forgets memories by id, up to 1,000 at once.

        `mode` is "archive" (cold, restorable), "forget" (the default: hidden, restorable for a while) or "erase"
        (gone for good, with a receipt). `etag` and `expected_revision` go with one id.
        """
        request = build(
            sv.ForgetRequest,
            namespace=self._namespace,
            memory_ids=many(memory_ids),
            mode=to_enum(sv.ForgetMode, ForgetMode, mode, "mode"),
            dry_run=dry_run,
            etag=etag,
            expected_revision=expected_revision,
            reason=reason,
            request_id=named(request_id),
        )
        return from_forget(await self._transport.mutate(lambda stubs: stubs.memory.Forget, request, timeout))

    async def plan_forget(
        self,
        *,
        mode: ForgetModeLike | None = None,
        filter: Filter | None = None,
        reason: str | None = None,
        timeout: float | None = None,
        **where: Unpack[FilterFields],
    ) -> AsyncForgetPlan:
        """Looks what a filter means, without forgetting it; `confirm()` of the plan carries it out.

        Filters are as in `search`; an empty one is refused.
        """
        request = build(
            sv.ForgetRequest,
            namespace=self._namespace,
            filter=to_filter(combine(filter, where)),
            mode=to_enum(sv.ForgetMode, ForgetMode, mode, "mode"),
            reason=reason,
        )
        trial = sv.ForgetRequest(dry_run=True, request_id=named(None))
        trial.MergeFrom(request)
        answer = await self._transport.read(lambda stubs: stubs.memory.Forget, trial, timeout)
        return AsyncForgetPlan(self._transport, request, from_forget(answer))

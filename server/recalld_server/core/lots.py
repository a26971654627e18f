"""The drafts of one call on their way to the store together, and what is remembered of the call."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal
from uuid import UUID

from recalld_server.core.answers import from_json, to_json
from recalld_server.core.items import Item, Results
from recalld_server.errors import MemoryExists, RequestIdReused
from recalld_server.model import Json, Policy, Request, Scope, WriteResult
from recalld_server.store.base import AnswerKnown, Unit

Answer = list[WriteResult | Literal["MEMORY_EXISTS"] | None]
"""What is remembered of a request: of an item what became of it, or that its id was taken, which what was stored since does not
change; None is an item that failed for another reason. It is handled anew when the request comes again: the model may be
back, and what is wrong with a draft stays wrong."""


@dataclass(frozen=True, slots=True)
class Lot:
    """The drafts of one call that passed the gate; `results` are those of the ones that did not. `deadline` is the caller's,
    on the monotonic clock. `answered`: what was answered to the same request before, when only some drafts were stored."""

    items: Sequence[Item]
    results: Results
    policy: Policy
    request: Request | None
    now: datetime
    deadline: float | None = None
    answered: Mapping[str, Json] | None = None

    def without(self, taken: Collection[UUID]) -> Lot:
        """The same where the drafts with these ids have failed, since the ids are taken."""
        failed = {item.place: MemoryExists() for item in self.items if item.memory.memory_id in taken}
        left = [item for item in self.items if item.place not in failed]
        return replace(self, items=left, results={**self.results, **failed})


def _answer_of(results: Results) -> Mapping[str, Json] | None:
    """What is remembered of a call with these results, by place. None: it stored nothing."""
    ordered: Answer = [
        each if isinstance(each, WriteResult) else "MEMORY_EXISTS" if isinstance(each, MemoryExists) else None
        for _, each in sorted(results.items())
    ]
    return to_json(Answer, ordered) if any(isinstance(each, WriteResult) for each in ordered) else None


def settled_by(answer: Mapping[str, Json] | None) -> Results:
    """What is remembered of a call, by place, without what is to be handled anew."""
    given = from_json(Answer, answer) if answer else []
    return {
        place: each if isinstance(each, WriteResult) else MemoryExists()
        for place, each in enumerate(given)
        if each is not None
    }


async def check_answered(unit: Unit, scope: Scope, lots: Sequence[Lot]) -> None:
    """Raises AnswerKnown when a call that is handled for the rest of its drafts has another answer by now. Ask under the
    lock of the namespace."""
    before = {lot.request: lot.answered for lot in lots if lot.request is not None and lot.answered is not None}
    known = await unit.known_answers(scope, list(before)) if before else {}
    for request, answered in before.items():
        now = known.get(request.request_id)
        if isinstance(now, RequestIdReused):
            raise now
        if now != answered:
            raise AnswerKnown(now or {})


async def remember(unit: Unit, scope: Scope, lots: Sequence[Lot], results: Sequence[Results]) -> None:
    """Keeps the answers of calls that stored something. A call that stored nothing is handled anew when it comes again, to
    fail for the same reason. Raises AnswerKnown, RequestIdReused."""
    first: dict[Request, Mapping[str, Json]] = {}
    completed: dict[Request, Mapping[str, Json]] = {}
    for lot, each in zip(lots, results, strict=True):
        answer = _answer_of(each)
        if lot.request is not None and answer is not None:
            (first if lot.answered is None else completed)[lot.request] = answer
    if first:
        await unit.claim_answered(scope, first)
    if completed:
        await unit.remember_answers(scope, completed)

"""The drafts of one call on their way to the store together, and what is remembered of the call."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from recalld_server.core.answers import to_json
from recalld_server.core.items import Item, Results
from recalld_server.errors import MemoryExists
from recalld_server.model import Json, Policy, Request, WriteResult

Answer = list[WriteResult | None]
"""What is remembered of a request; None is an item that failed."""


@dataclass(frozen=True, slots=True)
class Lot:
    """The drafts of one call that passed the gate; `results` are those of the ones that did not. `deadline` is the caller's,
    on the monotonic clock."""

    items: Sequence[Item]
    results: Results
    policy: Policy
    request: Request | None
    now: datetime
    deadline: float | None = None

    def without(self, taken: Collection[UUID]) -> Lot:
        """The same where the drafts with these ids have failed, since the ids are taken."""
        failed = {item.place: MemoryExists() for item in self.items if item.memory.memory_id in taken}
        left = [item for item in self.items if item.place not in failed]
        return replace(self, items=left, results={**self.results, **failed})


def answer_of(results: Results) -> Mapping[str, Json] | None:
    """What is remembered of a call with these results, by place. None: it stored nothing, and is handled anew when it comes
    again, to fail for the same reason."""
    ordered = [each if isinstance(each, WriteResult) else None for _, each in sorted(results.items())]
    return to_json(Answer, ordered) if any(ordered) else None

"""memory_get, memory_list, memory_stats."""

from __future__ import annotations

from typing import Annotated

from mcp.server.mcpserver import Context
from pydantic import BaseModel, Field

import recalld
from recalld_mcp.bridge import Bridge, bridge_of
from recalld_mcp.shapes import LEAST, MemoryShape, Revision, room_for_each, shape, shapes, shorten
from recalld_mcp.shapes import moment as shown
from recalld_mcp.tools.fields import (
    After,
    AnyTags,
    Before,
    Kinds,
    MaxTokens,
    MemoryId,
    Namespace,
    OnlySessionId,
    OnlyUserId,
    State,
    moment,
    one,
    time_range,
)

REVISIONS = 20
PAGE = 20
CONTENT = 48_000
"""Characters of one memory that is asked for by its id: more than the longest that a server takes by default."""


class Got(BaseModel):
    """One memory."""

    memory: Annotated[MemoryShape, Field(description="The memory.")]
    revisions: Annotated[list[Revision], Field(description="Its latest changes, newest first, when asked for.")] = []


class Listed(BaseModel):
    """A page of memories."""

    memories: Annotated[list[MemoryShape], Field(description="Newest first.")]
    next_page_token: Annotated[str, Field(description="Give it as page_token for more; left out on the last page.")] = (
        ""
    )


class Count(BaseModel):
    """How many memories of one kind and state there are."""

    kind: Annotated[str, Field(description="The kind.")]
    state: Annotated[str, Field(description="The state.")]
    count: Annotated[int, Field(description="How many.")]


class Day(BaseModel):
    """One day, in UTC."""

    day: Annotated[str, Field(description="The date.")]
    created: Annotated[int, Field(description="Memories written.")]
    searches: Annotated[int, Field(description="Searches made.")]


class Figures(BaseModel):
    """What a namespace holds and how it is used."""

    total: Annotated[int, Field(description="Live memories.")]
    counts: Annotated[list[Count], Field(description="By kind and state.")] = []
    days: Annotated[list[Day], Field(description="The last days, oldest first.")] = []
    mean_confidence: Annotated[float, Field(description="0 to 1.")] = 0.0
    duplicates_skipped: Annotated[int, Field(description="Writes that were known already.")] = 0
    conflicts_open: Annotated[int, Field(description="Contradictions that wait for a person.")] = 0
    reviews_waiting: Annotated[int, Field(description="Decisions that wait for a person.")] = 0
    searches: Annotated[int, Field(description="Searches in these days.")] = 0
    hit_rate: Annotated[float, Field(description="Share of searches with a hit that was of use.")] = 0.0
    never_found: Annotated[int, Field(description="Memories that no search has found.")] = 0
    content_bytes: Annotated[int, Field(description="Bytes of text.")] = 0
    queue_depth: Annotated[int, Field(description="Jobs that wait.")] = 0
    namespaces: Annotated[int, Field(description="Namespaces counted.")] = 0
    embedding_model: Annotated[str, Field(description="The model that memories are found with.")] = ""


async def memory_get(
    ctx: Context[Bridge],
    memory_id: MemoryId,
    as_of: Annotated[str | None, Field(description="As it was at this time, ISO 8601.")] = None,
    with_revisions: Annotated[bool | None, Field(description="Also its latest changes; default false.")] = None,
    max_tokens: MaxTokens = None,
    namespace: Namespace = None,
) -> Got:
    """Reads one memory whole, by its id, and with its history when asked for.

    Call it when a hit was cut short, before you change a memory, or when the user asks where something comes from.
    """
    view = await bridge_of(ctx).view(namespace)
    memory = await view.get(memory_id, as_of=moment(as_of, "as_of"))
    room = CONTENT if max_tokens is None else room_for_each(1, max_tokens)
    if not with_revisions:
        return Got(memory=shape(memory, room))
    page = await view.revisions(memory_id, page_size=REVISIONS).page()
    each = max(LEAST, room // REVISIONS)
    return Got(
        memory=shape(memory, room),
        revisions=[
            Revision(
                revision=entry.memory.revision,
                action=entry.action,
                content=shorten(entry.memory.content, each)[0],
                reason=entry.reason,
                actor=entry.actor,
                create_time=shown(entry.create_time),
            )
            for entry in page
        ],
    )


async def memory_list(
    ctx: Context[Bridge],
    kinds: Kinds = None,
    any_tags: AnyTags = None,
    user_id: OnlyUserId = None,
    session_id: OnlySessionId = None,
    states: Annotated[
        list[Annotated[State, Field(description="A state.")]] | None,
        Field(description="In one of these states; default active only."),
    ] = None,
    after: After = None,
    before: Before = None,
    page_size: Annotated[int | None, Field(description="How many at once; default 20.", ge=1, le=100)] = None,
    page_token: Annotated[str | None, Field(description="next_page_token of the answer before.")] = None,
    max_tokens: MaxTokens = None,
    namespace: Namespace = None,
) -> Listed:
    """Lists memories, newest first, by what they are and not by what they say.

    Call it when the user asks what is stored, or what was stored lately. To look for something, call memory_search.
    """
    view = await bridge_of(ctx).view(namespace)
    page = await view.list(
        page_size=page_size or PAGE,
        kinds=kinds or (),
        any_tags=any_tags or (),
        user_ids=one(user_id),
        session_ids=one(session_id),
        states=states or (),
        event_time=time_range(after, before),
    ).page(page_token or "")
    return Listed(memories=shapes(page.items, max_tokens), next_page_token=page.next_page_token)


async def memory_stats(
    ctx: Context[Bridge],
    all_namespaces: Annotated[
        bool | None, Field(description="Count every namespace that may be read; default false.")
    ] = None,
    namespace: Namespace = None,
) -> Figures:
    """Counts what the memory holds and how it is used.

    Call it when the user asks how much is remembered, or whether the memory works. It says nothing about contents.
    """
    view = await bridge_of(ctx).view(namespace)
    return figures(await view.stats(all_namespaces=bool(all_namespaces)))


def figures(stats: recalld.Stats) -> Figures:
    """The figures for a model."""
    return Figures(
        total=stats.total,
        counts=[Count(kind=each.kind, state=each.state, count=each.count) for each in stats.counts],
        days=[
            Day(day=each.day.date().isoformat() if each.day else "", created=each.created, searches=each.searches)
            for each in stats.days
        ],
        mean_confidence=round(stats.mean_confidence, 3),
        duplicates_skipped=stats.duplicates_skipped,
        conflicts_open=stats.conflicts_open,
        reviews_waiting=stats.reviews_waiting,
        searches=stats.searches,
        hit_rate=round(stats.hit_rate, 3),
        never_found=stats.never_found,
        content_bytes=stats.content_bytes,
        queue_depth=stats.queue_depth,
        namespaces=stats.namespaces,
        embedding_model=stats.embedding_model,
    )

"""memory_write."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from mcp.server.mcpserver import Context
from pydantic import BaseModel, Field

from recalld_mcp.bridge import Bridge, bridge_of
from recalld_mcp.tools.fields import Kind, Namespace, Tags, UserId, moment


class Related(BaseModel):
    """A memory that the new one met."""

    memory_id: Annotated[str, Field(description="Its id.")]
    similarity: Annotated[float, Field(description="1 is the same.")]


class Written(BaseModel):
    """What became of a write."""

    outcome: Annotated[
        str,
        Field(
            description="created; duplicate (it was known: memory_id holds it); superseded (it replaced the related "
            "ones); conflict (it may contradict the related ones, a person will decide); below_threshold (not "
            "stored); accepted (stored, found soon)."
        ),
    ]
    memory_id: Annotated[str, Field(description="The memory that now holds it; left out when nothing was stored.")] = ""
    reason: Annotated[str, Field(description="Why.")] = ""
    related: Annotated[list[Related], Field(description="The memories it met.")] = []
    review_id: Annotated[str, Field(description="The review that was opened.")] = ""
    importance: Annotated[float, Field(description="0 to 1, as it was scored.")] = 0.0
    importance_threshold: Annotated[float, Field(description="What it would have had to reach.")] = 0.0


async def memory_write(
    ctx: Context[Bridge],
    content: Annotated[
        str,
        Field(
            description="One fact, preference, rule, event or lesson in a sentence or two that makes sense on its own: "
            "names instead of 'he' or 'this', dates instead of 'today'. At most 32 KiB.",
            max_length=32768,
        ),
    ],
    kind: Annotated[
        Kind | None,
        Field(
            description="semantic: a fact, preference or rule (default); episodic: what happened; procedural: how a "
            "thing is done; working: for this session only."
        ),
    ] = None,
    tags: Tags = None,
    user_id: UserId = None,
    session_id: Annotated[str | None, Field(description="The session it comes from.")] = None,
    visibility: Annotated[
        Literal["shared", "private"] | None,
        Field(description="shared: every agent of the namespace; private: only this agent."),
    ] = None,
    importance: Annotated[
        float | None, Field(description="0 to 1; leave it out to have it scored.", ge=0, le=1)
    ] = None,
    confidence: Annotated[float | None, Field(description="0 to 1; default 1.", ge=0, le=1)] = None,
    event_time: Annotated[str | None, Field(description="When it happened, ISO 8601; default now.")] = None,
    expire_time: Annotated[str | None, Field(description="When it stops being true, ISO 8601; default never.")] = None,
    metadata: Annotated[dict[str, Any] | None, Field(description="Data of your own, as a JSON object.")] = None,
    memory_id: Annotated[
        str | None,
        Field(description="An id of your own, a UUID: written again with it, the same text stays one memory."),
    ] = None,
    request_id: Annotated[
        str | None,
        Field(description="Names this call: a retry with the same id gets the first answer.", max_length=100),
    ] = None,
    namespace: Namespace = None,
) -> Written:
    """Stores one memory for later conversations.

    Call it only when the user states a lasting fact, preference, rule or constraint, asks to remember something, or
    when a lesson was learned. Do not call it for small talk, for what the code or the files already say, or for
    secrets. What was known already is recognised, and a changed fact replaces the old one: no need to search first.
    """
    bridge = bridge_of(ctx)
    view = await bridge.view(namespace)
    result = await view.write(
        content,
        kind=kind,
        tags=tags or (),
        user_id=user_id or bridge.user_id,
        session_id=session_id,
        visibility=visibility,
        importance=importance,
        confidence=confidence,
        event_time=moment(event_time, "event_time"),
        expire_time=moment(expire_time, "expire_time"),
        metadata=metadata,
        memory_id=memory_id,
        request_id=request_id,
    )
    return Written(
        outcome=result.outcome,
        memory_id=result.memory_id,
        reason=result.reason,
        related=[Related(memory_id=each.memory_id, similarity=round(each.similarity, 3)) for each in result.related],
        review_id=result.review_id,
        importance=round(result.importance, 3),
        importance_threshold=result.importance_threshold,
    )

"""memory_update."""

from __future__ import annotations

from typing import Annotated, Any

from mcp.server.mcpserver import Context
from pydantic import BaseModel, Field

from recalld.errors import InvalidArgument
from recalld_mcp.bridge import Bridge, bridge_of
from recalld_mcp.shapes import MemoryShape, room_for_each, shape
from recalld_mcp.tools.fields import Kind, MemoryId, Namespace, Tags, UserId, moment


class Changed(BaseModel):
    """A memory after a change."""

    memory: Annotated[MemoryShape, Field(description="As it is now.")]


async def memory_update(
    ctx: Context[Bridge],
    memory_id: MemoryId,
    content: Annotated[str | None, Field(description="The new text, whole.", max_length=32768)] = None,
    kind: Annotated[Kind | None, Field(description="The new kind.")] = None,
    tags: Tags = None,
    user_id: UserId = None,
    importance: Annotated[float | None, Field(description="0 to 1.", ge=0, le=1)] = None,
    confidence: Annotated[float | None, Field(description="0 to 1.", ge=0, le=1)] = None,
    event_time: Annotated[str | None, Field(description="When it happened, ISO 8601.")] = None,
    expire_time: Annotated[str | None, Field(description="When it expires, ISO 8601.")] = None,
    metadata_set: Annotated[dict[str, Any] | None, Field(description="Metadata keys to set, as an object.")] = None,
    metadata_remove: Annotated[
        list[Annotated[str, Field(description="A key.")]] | None, Field(description="Metadata keys to remove.")
    ] = None,
    etag: Annotated[str | None, Field(description="Change it only if its etag is still this one.")] = None,
    reason: Annotated[str | None, Field(description="Why, for its history.")] = None,
    restore: Annotated[
        bool | None,
        Field(description="Bring it back instead: as it was before it was forgotten or replaced; default false."),
    ] = None,
    revision: Annotated[int | None, Field(description="With restore: as it was at this revision.", ge=1)] = None,
    namespace: Namespace = None,
) -> Changed:
    """Corrects one memory, or brings a forgotten or changed one back. What it said before stays in its history.

    Call it when the user corrects something that is stored, or wants a change undone. Only what you give is changed.
    For a fact that is new, or true only from now on, call memory_write instead.
    """
    changes = {
        "content": content,
        "kind": kind,
        "tags": tags,
        "user_id": user_id,
        "importance": importance,
        "confidence": confidence,
        "event_time": moment(event_time, "event_time"),
        "expire_time": moment(expire_time, "expire_time"),
    }
    given: dict[str, Any] = {name: value for name, value in changes.items() if value is not None}
    if metadata_set:
        given["metadata_set"] = metadata_set
    if metadata_remove:
        given["metadata_remove"] = metadata_remove
    view = await bridge_of(ctx).view(namespace)
    if restore:
        if given:
            raise InvalidArgument.of("restore", f"does not go with {', '.join(given)}: restore first, then change")
        memory = await view.restore(memory_id, revision=revision, etag=etag, reason=reason)
    elif revision is not None:
        raise InvalidArgument.of("revision", "goes with restore only")
    elif not given:
        raise InvalidArgument.of("content", f"nothing to change was given: give one of {', '.join(changes)}")
    else:
        memory = await view.update(memory_id, **given, etag=etag, reason=reason)
    return Changed(memory=shape(memory, room_for_each(1, None)))

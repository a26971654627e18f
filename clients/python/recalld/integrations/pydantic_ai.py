"""A Pydantic AI toolset: an agent's own memory as tools.

    from pydantic_ai import Agent
    from recalld import AsyncClient
    from recalld.integrations.pydantic_ai import memory_toolset

    agent = Agent("…", toolsets=[memory_toolset(AsyncClient(), user_id="alice")])

What the tools cannot choose (namespace, user, visibility) is decided here, not by the model.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic_ai import ModelRetry
from pydantic_ai.toolsets import FunctionToolset
from typing_extensions import TypedDict

from recalld._async.client import AsyncNamespaceView
from recalld.errors import InvalidArgument, NotFound
from recalld.types.memories import Memory


class Remembered(TypedDict):
    """A memory as a model sees it."""

    memory_id: str
    content: str
    kind: str
    event_time: str
    score: float | None


def memory_toolset(
    client: AsyncNamespaceView, *, user_id: str | None = None, top_k: int = 5, toolset_id: str = "recalld"
) -> FunctionToolset[Any]:
    """Tools to write, search and forget memories of one namespace, bound to `user_id` when it is given.

    Refusals that a model can mend come back to it as a retry; other failures are raised.
    """
    toolset: FunctionToolset[Any] = FunctionToolset(id=toolset_id, require_parameter_descriptions=True)

    @toolset.tool_plain
    async def memory_write(content: str, kind: Literal["semantic", "episodic", "procedural"] = "semantic") -> str:
        """Remember something for later conversations: a fact, a preference, a decision, a lesson.

        Args:
            content: One statement that is understandable by itself.
            kind: semantic for facts and preferences, episodic for what happened, procedural for how a thing is done.
        """
        try:
            result = await client.write(content, kind=kind, user_id=user_id)
        except InvalidArgument as error:
            raise ModelRetry(error.message) from error
        return f"{result.outcome.value}: {result.memory_id}"

    @toolset.tool_plain
    async def memory_search(query: str) -> list[Remembered]:
        """Find memories by meaning, by words and by time. Call it before answering about people, projects or the past.

        Args:
            query: A question or words; times like "last week" are understood.
        """
        try:
            found = await client.search(query, top_k=top_k, user_ids=[user_id] if user_id else [])
        except InvalidArgument as error:
            raise ModelRetry(error.message) from error
        return [_remembered(hit.memory, hit.score) for hit in found]

    @toolset.tool_plain
    async def memory_forget(memory_id: str) -> str:
        """Hide one memory that the person wants forgotten. It can be restored for a while.

        Args:
            memory_id: The id that memory_search returned.
        """
        try:
            await _own(client, memory_id, user_id)
            forgotten = await client.forget(memory_id)
        except (InvalidArgument, NotFound) as error:
            raise ModelRetry(f"{error.message}. Use an id that memory_search returned.") from error
        return f"forgotten: {forgotten.count}"

    return toolset


async def _own(client: AsyncNamespaceView, memory_id: str, user_id: str | None) -> None:
    """Raises NotFound for a memory about somebody else."""
    memory = await client.get(memory_id)
    if user_id and memory.user_id != user_id:
        raise NotFound("there is no such memory", reason="MEMORY_NOT_FOUND")


def _remembered(memory: Memory, score: float | None) -> Remembered:
    return {
        "memory_id": memory.memory_id,
        "content": memory.content,
        "kind": memory.kind.value,
        "event_time": memory.event_time.isoformat() if memory.event_time else "",
        "score": score,
    }

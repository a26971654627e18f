"""The drafts of one write on their way to the store, and how each gets its vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from recalld_server.core import indexing
from recalld_server.core.drafts import Prepared, is_episodic, waiting
from recalld_server.errors import ModelUnavailable, RecalldError
from recalld_server.model import Memory, Scope, WriteResult
from recalld_server.models.base import Embedder
from recalld_server.store.base import DraftProbe, NewMemory, Store, Vector

Results = dict[int, WriteResult | RecalldError]
"""What became of each draft so far, by its place in the request."""


@dataclass(frozen=True, slots=True)
class Item:
    """A draft that passed the gate: prepared and, unless it waits for the model, with its vectors."""

    place: int
    prepared: Prepared
    before: indexing.Previous | None = None
    text: Vector | None = None
    context: Vector | None = None

    @property
    def memory(self) -> Memory:
        return self.prepared.memory

    def probe(self) -> DraftProbe:
        """How to find what it meets."""
        m = self.memory
        return DraftProbe(self.prepared.content_hash, self.text, is_episodic(m.kind), m.user_id, m.visibility)

    def form(self, average_length: float) -> NewMemory:
        """What is stored."""
        return indexing.indexed(self.memory, self.prepared.content_hash, average_length, self.text, self.context)

    def later(self) -> Item:
        """The same, to be indexed later."""
        return replace(self, prepared=waiting(self.prepared))


async def embed(
    items: Sequence[Item], embedder: Embedder, *, accept: bool, timeout: float | None, results: Results
) -> list[Item]:
    """The items with their vectors, all embedded in one batch. One whose embedding fails is left out, with its error in
    `results`; or, with `accept`, it stays and waits to be indexed."""
    texts = indexing.texts_to_embed([item.memory for item in items], [item.before for item in items])
    try:
        batch = await embedder.embed_passages(texts, timeout=timeout)
    except ModelUnavailable as error:
        if accept:
            return [item.later() for item in items]
        results.update({item.place: error for item in items})
        return []
    embedded, contexts = [], iter(batch.vectors[len(items) :])
    for item, vector, problem in zip(items, batch.vectors, batch.errors, strict=False):
        context = next(contexts) if item.before is not None else None
        if vector is not None:
            embedded.append(replace(item, text=vector, context=context))
        elif accept:
            embedded.append(item.later())
        else:
            results[item.place] = ModelUnavailable(f"the embedding model failed on this text: {problem}")
    return embedded


async def with_turns_before(items: Sequence[Item], store: Store, scope: Scope) -> list[Item]:
    """Finds the turn before each conversational item: earlier in the same request, else in the store."""
    result: list[Item] = []
    latest: dict[str, Memory] = {}
    for item in items:
        memory = item.memory
        if not (memory.session_id and memory.speaker):
            result.append(item)
            continue
        earlier = latest.get(memory.session_id)
        if earlier is None or earlier.event_time > memory.event_time:
            async with store.view([scope]) as view:
                earlier = await view.previous_turn(scope, memory.session_id, memory.event_time)
        result.append(replace(item, before=indexing.previous(memory, earlier)))
        latest[memory.session_id] = memory
    return result

"""What is stored for the next revision of a memory."""

from __future__ import annotations

from dataclasses import replace

from recalld_server.core import indexing
from recalld_server.core.drafts import identity
from recalld_server.errors import ModelUnavailable
from recalld_server.model import IndexState, Memory, Scope
from recalld_server.models.base import Embedder
from recalld_server.store.base import NewMemory, Store


class Forms:
    """Makes them; call it outside of a unit, since the model may be asked."""

    def __init__(self, store: Store, embedder: Embedder) -> None:
        self._store = store
        self._embedder = embedder

    async def next(self, scope: Scope, old: Memory, new: Memory, *, timeout: float | None) -> NewMemory:
        """The vectors are made anew only when what they stand for has changed. Raises ModelUnavailable."""
        async with self._store.view([scope]) as view:
            average = await view.average_length(scope)
            said = (new.content, new.speaker, new.session_id, new.event_time)
            if said == (old.content, old.speaker, old.session_id, old.event_time):
                return NewMemory(new, identity(new), indexing.lexical(new, average), None)
            earlier = None
            if new.session_id and new.speaker:
                earlier = await view.previous_turn(scope, new.session_id, new.event_time)
        before = indexing.previous(new, earlier if earlier and earlier.memory_id != new.memory_id else None)
        batch = await self._embedder.embed_passages(indexing.texts_to_embed([new], [before]), timeout=timeout)
        if batch.vectors[0] is None:
            raise ModelUnavailable(f"the embedding model failed on this text: {batch.errors[0]}")
        new = replace(new, index_state=IndexState.INDEXED, index_error="")
        context = batch.vectors[1] if before is not None else None
        return indexing.indexed(new, identity(new), average, batch.vectors[0], context)

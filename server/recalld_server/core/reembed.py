"""Moves a database to another embedding model while servers go on with the old one.

First pass: every memory gets a vector of the new model beside the old. Then the switch: servers that start from now on use
the new one. What servers with the old model write in the meantime is found by the next pass, which looks for what is
missing and for nothing else; so it can also be stopped and taken up at any time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from uuid import UUID

from recalld_server.core import indexing
from recalld_server.core.drafts import identity
from recalld_server.model import Memory, Scope
from recalld_server.models.base import Embedder, EmbeddingBatch
from recalld_server.store.base import Place, Reembedding, Store

BATCH = 64
AVERAGE = 20.0
"""Stands for the mean length of a memory where it does not matter."""
Report = Callable[[int, int], None]
"""Is told how many memories have a vector by now, and of how many."""


class Reembed:
    """One move to the model of an embedder that is started."""

    def __init__(self, store: Store, reembedding: Reembedding, embedder: Embedder) -> None:
        self._store = store
        self._reembedding = reembedding
        self._embedder = embedder

    async def run(self, report: Report = lambda done, of: None) -> int:
        """Embeds what is missing, then switches. Returns how many memories it could not embed: search finds them by words.
        Raises ModelUnavailable, with all that was done until then kept."""
        await self._reembedding.register(self._embedder.id, self._embedder.dimensions)
        failed = await self._passes(report)
        await self._reembedding.switch()
        return failed

    async def drop_old(self) -> int:
        """Removes the vectors of other models once no server uses them; how many."""
        await self._reembedding.register(self._embedder.id, self._embedder.dimensions)
        return await self._reembedding.drop_others()

    async def _passes(self, report: Report) -> int:
        while True:
            stored, failed = await self._one_pass(report)
            if stored == 0:
                return failed

    async def _one_pass(self, report: Report) -> tuple[int, int]:
        of, done = await self._reembedding.progress()
        after: Place | None = None
        stored = failed = 0
        while waiting := await self._reembedding.without(after, BATCH):
            for scope, ids in waiting.items():
                own, wrong = await self._embed(scope, ids)
                stored, failed = stored + own, failed + wrong
                after = (scope.namespace_id, ids[-1])
            report(done + stored, max(of, done + stored))
        return stored, failed

    async def _embed(self, scope: Scope, ids: Sequence[UUID]) -> tuple[int, int]:
        """How many got their vectors, and how many the model cannot take."""
        memories, before = await self._read(scope, ids)
        texts = indexing.texts_to_embed(memories, before)
        batch = await self._embedder.embed_passages(texts) if texts else EmbeddingBatch((), ())
        contexts = iter(batch.vectors[len(memories) :])
        forms = []
        for memory, earlier, text in zip(memories, before, batch.vectors, strict=False):
            context = next(contexts) if earlier is not None else None
            if text is not None:
                # the lexical form does not depend on the model, and is not stored again
                forms.append(indexing.indexed(memory, identity(memory), AVERAGE, text, context))
        return await self._reembedding.put(scope, forms), len(memories) - len(forms)

    async def _read(self, scope: Scope, ids: Sequence[UUID]) -> tuple[list[Memory], list[indexing.Previous | None]]:
        """The memories that are still there, each with the turn before it."""
        memories, before = [], []
        async with self._store.view([scope]) as view:
            held = await view.get(scope, ids)
            for memory in (held[each] for each in ids if each in held):
                earlier = None
                if memory.session_id and memory.speaker:
                    just_before = memory.event_time - timedelta(microseconds=1)  # or it would find itself
                    earlier = await view.previous_turn(scope, memory.session_id, just_before)
                memories.append(memory)
                before.append(indexing.previous(memory, earlier))
        return memories, before

"""Indexes memories that were accepted before they could be: embeds them (no connection is held), compares them with what
is known by the rules of a write, and attaches their vectors, all or nothing for each.

Every server runs one. A memory is held by a lease that is renewed while its server lives; what became of the memory in
the meantime decides: one that was forgotten, erased, ended or changed is left alone.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta

import structlog

from recalld_server import telemetry
from recalld_server.core import indexing
from recalld_server.core.decide import LOOK_FROM, NEIGHBOURS, Statements, looked_again, touches
from recalld_server.core.drafts import is_episodic
from recalld_server.core.resolve import Lines, Resolver
from recalld_server.core.ruling import Ruling, apply, consult, rule
from recalld_server.errors import ModelUnavailable, Unavailable
from recalld_server.model import IndexState, Memory, Scope, State
from recalld_server.models.base import Embedder
from recalld_server.store.base import (
    Directory,
    DraftProbe,
    IndexJob,
    IndexJobs,
    Near,
    Store,
    Surroundings,
    Unit,
    Vector,
)

log = structlog.get_logger(__name__)

PROBE = "Is the model there?"
"""Tells a model that is down from a text that it cannot take."""
LIVE = (State.ACTIVE, IndexState.PENDING)


@dataclass(frozen=True, slots=True)
class IndexerOptions:
    """How the queue is worked off. Times in seconds."""

    batch: int = 32
    lease: float = 30.0
    """How long a memory stays taken after its server died."""
    attempts: int = 8
    """After so many its index_state is FAILED, until `recalld reindex --failed`. An outage of the model is none."""
    first_pause: float = 1.0
    """Before the second attempt; twice as long before each one after."""
    model_timeout: float = 30.0
    outage_pause: float = 0.5
    """After the model did not answer; twice as long each time, up to `longest_outage_pause`."""
    longest_outage_pause: float = 5.0


@dataclass(frozen=True, slots=True)
class _Waiting:
    job: IndexJob
    memory: Memory
    before: indexing.Previous | None


@dataclass(frozen=True, slots=True)
class _Embedded:
    """A memory and its vectors, or what is wrong with its text."""

    waiting: _Waiting
    text: Vector | None
    context: Vector | None = None
    error: str = ""


class Indexer:
    """A worker of the queue. `wake` is set when something was put there by this process."""

    def __init__(
        self,
        store: Store,
        directory: Directory,
        jobs: IndexJobs,
        embedder: Embedder,
        resolver: Resolver,
        lines: Lines,
        options: IndexerOptions | None = None,
    ) -> None:
        self._store = store
        self._directory = directory
        self._jobs = jobs
        self._embedder = embedder
        self._resolver = resolver
        self._lines = lines
        self._options = options or IndexerOptions()
        self._outages = 0
        self._rests_until = 0.0
        self.wake = asyncio.Event()

    async def run(self) -> int:
        """Handles one batch. Returns how many memories it held; 0: there is nothing to do, or the model is down."""
        if time.monotonic() < self._rests_until:
            return 0
        jobs = await self._jobs.claim(self._options.batch, timedelta(seconds=self._options.lease))
        if not jobs:
            return 0
        with telemetry.span("index memories", {"recalld.jobs": len(jobs)}, links=[job.traceparent for job in jobs]):
            return await self._handle(jobs)

    async def _handle(self, jobs: Sequence[IndexJob]) -> int:
        async with self._held(jobs):
            waiting = await self._read(jobs)
            for spent in waiting:
                if spent.job.attempts > self._options.attempts:
                    await self._finish(
                        _Embedded(spent, None, error="the server ended during each attempt"), Statements()
                    )
            embedded = await self._embed([each for each in waiting if each.job.attempts <= self._options.attempts])
            if embedded is None:
                await self._wait_for_model(jobs)
                return 0
            self._outages = 0
            statements = Statements()
            for each in embedded:
                await self._finish(each, statements)
        return len(jobs)

    @asynccontextmanager
    async def _held(self, jobs: Sequence[IndexJob]) -> AsyncIterator[None]:
        """Renews the lease until the end; frees at once what a server that stops has not finished."""
        beat = asyncio.create_task(self._renew(jobs))
        try:
            yield
        except asyncio.CancelledError:
            with suppress(Unavailable):  # then the lease ends by itself
                await self._jobs.rest(jobs, timedelta(0), counted=False)
            raise
        finally:
            beat.cancel()

    async def _renew(self, jobs: Sequence[IndexJob]) -> None:
        while True:
            await asyncio.sleep(self._options.lease / 3)
            with suppress(Unavailable):  # tried again before the lease ends
                await self._jobs.rest(jobs, timedelta(seconds=self._options.lease))

    async def _wait_for_model(self, jobs: Sequence[IndexJob]) -> None:
        options = self._options
        pause = min(options.longest_outage_pause, options.outage_pause * 2**self._outages)
        self._outages += 1
        self._rests_until = time.monotonic() + pause
        log.warning("the embedding model is down, indexing waits", seconds=pause)
        await self._jobs.rest(jobs, timedelta(0), counted=False)

    async def _read(self, jobs: Sequence[IndexJob]) -> list[_Waiting]:
        """The memories that still wait, each with the turn before it, in order."""
        together: dict[Scope, list[IndexJob]] = {}
        for job in jobs:
            together.setdefault(job.scope, []).append(job)
        found: dict[IndexJob, _Waiting] = {}
        for scope, own in together.items():
            async with self._store.view([scope]) as view:
                memories = await view.get(scope, [job.memory_id for job in own])
                for job in own:
                    memory = memories.get(job.memory_id)
                    if memory is None or (memory.state, memory.index_state) != LIVE:
                        continue
                    earlier = None
                    if memory.session_id and memory.speaker:
                        just_before = memory.event_time - timedelta(microseconds=1)  # or it would find itself
                        earlier = await view.previous_turn(scope, memory.session_id, just_before)
                    found[job] = _Waiting(job, memory, indexing.previous(memory, earlier))
        return [found[job] for job in jobs if job in found]

    async def _embed(self, waiting: Sequence[_Waiting]) -> list[_Embedded] | None:
        """All in one batch, in order; when that fails though the model is there, each by itself. None: the model is down."""
        if not waiting:
            return []
        texts = indexing.texts_to_embed([each.memory for each in waiting], [each.before for each in waiting])
        try:
            batch = await self._embedder.embed_passages(texts, timeout=self._options.model_timeout)
        except (ModelUnavailable, TimeoutError) as error:
            if not await self._model_answers():
                return None
            if len(waiting) == 1:
                return [_Embedded(waiting[0], None, error=str(error) or "the model did not answer in time")]
            parts = [await self._embed([each]) for each in waiting]
            return [each for part in parts for each in part or ()]
        if all(text is None for text in batch.vectors[: len(waiting)]) and not await self._model_answers():
            return None
        embedded, contexts = [], iter(batch.vectors[len(waiting) :])
        for each, text, problem in zip(waiting, batch.vectors, batch.errors, strict=False):
            context = next(contexts) if each.before is not None else None
            embedded.append(_Embedded(each, text, context, problem or ""))
        return embedded

    async def _model_answers(self) -> bool:
        try:
            batch = await self._embedder.embed_passages([PROBE], timeout=self._options.model_timeout)
        except (ModelUnavailable, TimeoutError):
            return False
        return batch.vectors[0] is not None

    async def _finish(self, embedded: _Embedded, statements: Statements) -> None:
        job, memory = embedded.waiting.job, embedded.waiting.memory
        error = embedded.error
        if embedded.text is not None:
            try:
                if await self._settle(job.scope, embedded, embedded.text, statements):
                    telemetry.count_jobs("index", "done")
                else:
                    await self._jobs.rest([job], timedelta(0), counted=False)
                return
            except Unavailable:
                raise
            except Exception as fault:  # noqa: BLE001 - a fault with one memory must not hold up the others for ever
                error = f"a fault of the server ({type(fault).__name__})"
                log.warning("a memory could not be indexed", attempt=job.attempts, cause=type(fault).__name__)
        if job.attempts >= self._options.attempts:
            telemetry.count_jobs("index", "failed")
            async with self._store.unit(job.scope) as unit:
                await unit.lock(job.scope)
                if await _unchanged(unit, job.scope, memory):
                    await unit.set_index(job.scope, job.memory_id, vector=None, text_vector=None, error=error)
        else:
            telemetry.count_jobs("index", "again")
            await self._jobs.rest([job], timedelta(seconds=self._options.first_pause * 2 ** (job.attempts - 1)))

    async def _settle(self, scope: Scope, embedded: _Embedded, text: Vector, statements: Statements) -> bool:
        """Attaches the vectors and applies what the memory means for the others. False: it was changed meanwhile."""
        memory = embedded.waiting.memory
        # no hash: the memory itself is the only live one with this text
        probe = DraftProbe(b"", text, is_episodic(memory.kind), memory.user_id, memory.visibility)
        async with self._store.view([scope]) as view:
            sequence, (around,) = await view.surroundings(scope, [probe], near=NEIGHBOURS, floor=LOOK_FROM)
        form = indexing.indexed(memory, b"", 1.0, text, embedded.context)
        await consult(memory, _others(memory, around), self._resolver, self._lines, statements)
        ruling = await self._rule(memory, around, statements)
        async with self._store.unit(scope) as unit:
            if await unit.lock(scope) != sequence:
                changed = await unit.changed_since(scope, sequence)
                _, (fresh,) = await unit.surroundings(scope, [probe], near=NEIGHBOURS, floor=LOOK_FROM, among=changed)
                if fresh.near or touches(around, changed):
                    ruling = await self._rule(memory, looked_again(around, fresh, changed), statements)
            if not await _unchanged(unit, scope, memory):
                return False
            await unit.set_index(scope, memory.memory_id, vector=form.vector, text_vector=form.text_vector, error="")
            namespace = (
                await self._directory.get_namespace(scope.tenant_id, scope.namespace) if ruling.doubtful else None
            )
            await apply(unit, scope, memory, ruling, namespace.policy if namespace else None)
        return True

    async def _rule(self, memory: Memory, around: Surroundings, statements: Statements) -> Ruling:
        return await rule(memory, _others(memory, around), self._resolver, self._lines, statements)


def _others(memory: Memory, around: Surroundings) -> list[Near]:
    return [each for each in around.near if each.memory.memory_id != memory.memory_id]


async def _unchanged(unit: Unit, scope: Scope, memory: Memory) -> bool:
    """Whether a memory still waits, with the text that was read."""
    now = (await unit.get(scope, [memory.memory_id])).get(memory.memory_id)
    return now is not None and (now.state, now.index_state) == LIVE and now.revision == memory.revision

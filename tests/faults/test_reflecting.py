"""Looking back when things go wrong: crashes, cancellations, models that fail, and what changes meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from uuid import UUID

import pytest
from tests.store.things import make_scope

from recalld_server.core import lineage
from recalld_server.core.distill import Budget, Category, Distilled, RulesDistiller, Source
from recalld_server.core.drafts import prepare
from recalld_server.core.indexing import indexed
from recalld_server.core.reflect import Runner, RunnerOptions, build_runner
from recalld_server.core.reflect.targets import USUAL
from recalld_server.core.resolve import Lines, RulesResolver
from recalld_server.errors import ModelUnavailable
from recalld_server.model import (
    EVERY_AGENT,
    Draft,
    Filter,
    Kind,
    Memory,
    Reflection,
    ReflectionScope,
    ReflectionState,
    Scope,
    State,
    Turn,
    TurnRole,
    Visibility,
    new_id,
    utc_now,
)
from recalld_server.models.base import load_calibration
from recalld_server.models.hash import HashEmbedder
from recalld_server.store.base import LeaseLost, Step
from recalld_server.store.postgres import PoolOptions, PostgresStore

LINES = Lines(load_calibration("hash:384:1").duplicate_line, load_calibration("hash:384:1").conflict_line)
SAID = ("I prefer window seats.", "我对花生过敏。", "We decided to use Rust.")
Before = Callable[[Sequence[Source]], Awaitable[Distilled | None]]


class Distiller(RulesDistiller):
    """The rules; `before` is called first, and its answer, if any, is given instead. `asked` counts the calls."""

    def __init__(self, before: Before | None = None) -> None:
        super().__init__(HashEmbedder(), RulesResolver(), LINES)
        self.before = before
        self.asked = 0

    async def distill(
        self,
        sources: Sequence[Source],
        categories: frozenset[Category],
        *,
        timeout: float | None = None,
        budget: Budget | None = None,
    ) -> Distilled:
        self.asked += 1
        answer = await self.before(sources) if self.before else None
        return answer or await super().distill(sources, categories, timeout=timeout)


@dataclass(frozen=True)
class World:
    """A store and a namespace."""

    store: PostgresStore
    scope: Scope

    def runner(self, distiller: Distiller | None = None, attempts: int = 2) -> Runner:
        """A worker, as each server has one."""
        store, options = self.store, RunnerOptions(attempts=attempts, first_pause=0.0)
        jobs, sessions = store.reflection_jobs(), store.session_jobs()
        return build_runner(
            store,
            store,
            jobs,
            sessions,
            HashEmbedder(),
            LINES,
            content_limit=10_000,
            distiller=distiller or Distiller(),
            options=options,
        )

    async def put(self, *texts: str, agent: str = "", visibility: Visibility = Visibility.SHARED) -> list[UUID]:
        scope = replace(self.scope, agent_id=agent or self.scope.agent_id)
        ids = []
        for place, text in enumerate(texts):
            draft = Draft(text, kind=Kind.EPISODIC, event_time=utc_now() - timedelta(hours=9 - place))
            prepared = prepare(draft, scope, default_visibility=visibility, limit=10_000, now=utc_now())
            vector = (await HashEmbedder().embed_passages([text])).vectors[0]
            async with self.store.unit(scope) as unit:
                new = indexed(prepared.memory, prepared.content_hash, 20.0, vector, None)
                ids += [memory.memory_id for memory in await unit.insert(scope, [new], actor=scope.agent_id)]
        return ids

    async def ask(self, scope: ReflectionScope | None = None, *, agent: str = "") -> UUID:
        reflection = Reflection(
            new_id(),
            self.scope.namespace,
            ReflectionState.PENDING,
            scope or ReflectionScope(since_last=True),
            USUAL,
            agent or self.scope.agent_id,
            "ann",
            utc_now(),
        )
        async with self.store.unit(self.scope) as unit:
            await unit.add_reflection(self.scope, reflection)
        return reflection.reflection_id

    async def read(self, reflection_id: UUID) -> Reflection:
        async with self.store.view([self.scope]) as view:
            reflection = await view.reflection(self.scope, reflection_id)
        assert reflection is not None
        return reflection

    async def derived(self, *states: State, agent: str = "") -> list[Memory]:
        scope = replace(self.scope, agent_id=agent or self.scope.agent_id)
        async with self.store.view([scope]) as view:
            return [m for m in await view.list(scope, Filter(states=states), limit=100) if m.source_ids]


@pytest.fixture
async def world(database: str) -> AsyncIterator[World]:
    store = PostgresStore(database, PoolOptions(size=8))
    await store.start()
    embedder = HashEmbedder()
    await store.embedding_model(embedder.id, embedder.dimensions)
    yield World(store, await make_scope(store))
    await store.close()


async def test_whoever_takes_over_goes_on_and_nothing_is_doubled(world: World) -> None:
    await world.put(*SAID)
    asked = await world.ask()
    jobs = world.store.reflection_jobs()
    (lost,) = await jobs.claim(1, timedelta(0))  # its server dies now, and its lease is over
    assert await world.runner().run() == 1
    done = await world.read(asked)
    assert done.state is ReflectionState.SUCCEEDED
    assert done.counts["created"] == 3
    with pytest.raises(LeaseLost):
        async with world.store.unit(world.scope) as unit:
            await unit.advance(world.scope, lost, Step({}, 0.5, {"read": 1}))
    assert await world.read(asked) == done
    assert await world.runner().run() == 0
    assert len(await world.derived()) == 3


async def test_a_crash_after_a_step_repeats_only_what_was_not_stored(world: World) -> None:
    await world.put(*(f"My number {n} is {n}{n}{n}." for n in range(3)))
    asked = await world.ask()

    async def die(_: Sequence[Source]) -> Distilled | None:
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await world.runner(Distiller(die)).run()
    assert await world.derived() == []
    assert await world.runner().run() == 1
    assert (await world.read(asked)).state is ReflectionState.SUCCEEDED
    assert len(await world.derived()) == 3


async def test_what_failed_before_a_crash_is_not_called_done_after_it(world: World) -> None:
    await world.put(*SAID)
    async with world.store.unit(world.scope) as unit:
        await unit.open_session(world.scope, "s", user_id="", ttl=timedelta(hours=1))
        said = Turn(new_id(), TurnRole.USER, "以后周报都用中文写。", "ann", utc_now())
        await unit.append_turns(world.scope, "s", [said], ttl=timedelta(hours=1))
    asked = await world.ask()

    async def fail_then_die(sources: Sequence[Source]) -> Distilled | None:
        if said.turn_id not in {source.source_id for source in sources}:
            raise asyncio.CancelledError
        return Distilled(failed=frozenset({said.turn_id}), error="the model's answer could not be used: it is empty")

    with pytest.raises(asyncio.CancelledError):
        await world.runner(Distiller(fail_then_die)).run()
    await world.runner().run()
    done = await world.read(asked)
    assert (done.state, done.counts["failed"], done.counts["created"]) == (ReflectionState.FAILED, 1, 3)
    assert done.error
    await world.ask()
    await world.runner().run()
    assert [m.content for m in await world.derived() if said.turn_id in m.source_ids] == [said.content]


async def test_one_that_kills_every_server_is_given_up(world: World) -> None:
    await world.put(*SAID)
    asked = await world.ask()
    for _ in range(RunnerOptions().patient_attempts):
        assert await world.store.reflection_jobs().claim(1, timedelta(0))
    await world.runner().run()
    done = await world.read(asked)
    assert (done.state, done.error) == (ReflectionState.FAILED, "the server ended during each attempt")
    assert await world.runner().run() == 0


async def test_a_source_that_is_forgotten_meanwhile_is_left_alone_and_the_others_are_kept(world: World) -> None:
    ids = await world.put(*SAID)
    asked = await world.ask()

    async def forget(_: Sequence[Source]) -> Distilled | None:
        async with world.store.unit(world.scope) as unit:
            await unit.set_state(world.scope, ids[:1], State.FORGOTTEN, actor="ann", action="forget", reason="")
        return None

    await world.runner(Distiller(forget)).run()
    done = await world.read(asked)
    assert done.state is ReflectionState.SUCCEEDED
    assert (done.counts["created"], done.skipped["source_changed"]) == (2, 1)
    assert {m.content for m in await world.derived()} == set(SAID[1:])


async def test_a_model_that_fails_leaves_everything_for_another_time(world: World) -> None:
    await world.put(*SAID)
    asked = await world.ask()

    async def fail(_: Sequence[Source]) -> Distilled | None:
        raise ModelUnavailable("the model did not answer in time")

    failing = Distiller(fail)
    runner = world.runner(failing)
    assert await runner.run() == 1
    assert (await world.read(asked)).state is ReflectionState.RUNNING
    await runner.run()
    failed = await world.read(asked)
    assert (failed.state, failed.error) == (ReflectionState.FAILED, "the model did not answer in time")
    assert failing.asked == 2
    again = await world.ask()
    await world.runner().run()
    assert (await world.read(again)).counts["created"] == 3


async def test_what_failed_stays_eligible_and_the_rest_is_kept(world: World) -> None:
    ids = await world.put(*SAID)
    asked = await world.ask()

    async def without_the_first(sources: Sequence[Source]) -> Distilled | None:
        good = [source for source in sources if source.source_id != ids[0]]
        result = await Distiller().distill(good, frozenset(Category))
        return replace(result, failed=frozenset(ids[:1]), error="the model's answer was no JSON")

    await world.runner(Distiller(without_the_first)).run()
    done = await world.read(asked)
    assert (done.state, done.counts["failed"], done.counts["created"]) == (ReflectionState.FAILED, 1, 2)
    again = await world.ask()
    await world.runner().run()
    done = await world.read(again)
    assert (done.state, done.counts["read"], done.counts["created"]) == (ReflectionState.SUCCEEDED, 1, 1)


async def test_a_distiller_that_invents_sources_is_not_believed(world: World) -> None:
    await world.put(SAID[0])
    asked = await world.ask()

    async def invent(sources: Sequence[Source]) -> Distilled | None:
        result = await Distiller().distill(sources, frozenset(Category))
        return replace(result, insights=tuple(replace(each, source_ids=(new_id(),)) for each in result.insights))

    await world.runner(Distiller(invent)).run()
    done = await world.read(asked)
    assert (done.insights, done.skipped["unknown_source"]) == ((), 1)


async def test_a_cancelled_reflection_stores_nothing_more(world: World) -> None:
    await world.put(*SAID)
    asked = await world.ask()

    async def cancel(_: Sequence[Source]) -> Distilled | None:
        async with world.store.unit(world.scope) as unit:
            assert await unit.cancel_reflection(world.scope, asked)
        return None

    await world.runner(Distiller(cancel)).run()
    assert (await world.read(asked)).state is ReflectionState.CANCELLED
    assert await world.derived() == []
    assert await world.runner().run() == 0


async def test_a_scheduled_reflection_keeps_everybodys_secrets(world: World) -> None:
    await world.put(SAID[0])
    await world.put(SAID[1], agent="ben", visibility=Visibility.PRIVATE)
    await world.put(SAID[2], agent="cleo", visibility=Visibility.PRIVATE)
    await world.ask(agent=EVERY_AGENT)
    await world.runner().run()
    assert [m.content for m in await world.derived()] == [SAID[0]]
    for agent, text in (("ben", SAID[1]), ("cleo", SAID[2])):
        own = [m for m in await world.derived(agent=agent) if m.visibility is Visibility.PRIVATE]
        assert [(m.content, m.agent_id) for m in own] == [(text, agent)]


@pytest.mark.parametrize("erase", [False, True])
async def test_what_was_derived_ends_with_its_source_and_what_is_left_is_derived_anew(
    world: World, erase: bool
) -> None:
    first, second = await world.put("I prefer oolong tea.", "I prefer oolong tea.")
    await world.put(SAID[1])
    await world.ask()
    await world.runner().run()
    (tea,) = [m for m in await world.derived() if set(m.source_ids) == {first, second}]
    async with world.store.unit(world.scope) as unit:
        assert await lineage.end_derived(unit, world.scope, [first], erase=erase, actor="ann") == 1
        if erase:
            await unit.erase(world.scope, [first], actor="ann")
        else:
            await unit.set_state(world.scope, [first], State.FORGOTTEN, actor="ann", action="forget", reason="")
    gone = await world.derived(State.FORGOTTEN)
    assert [m.memory_id for m in gone] == ([] if erase else [tea.memory_id])
    assert await world.runner().run() == 1
    (again,) = [m for m in await world.derived() if second in m.source_ids]
    assert again.source_ids == (second,)
    assert again.memory_id != tea.memory_id
    assert len(await world.derived()) == 2


async def test_the_cascade_reaches_what_another_agent_derived_for_itself(world: World) -> None:
    (shared,) = await world.put(SAID[0])
    mine = replace(world.scope, agent_id="ben")
    draft = Draft("Ben notes the window seat.", source_ids=(shared,))
    prepared = prepare(draft, mine, default_visibility=Visibility.PRIVATE, limit=10_000, now=utc_now())
    vector = (await HashEmbedder().embed_passages([draft.content])).vectors[0]
    async with world.store.unit(mine) as unit:
        await unit.insert(mine, [indexed(prepared.memory, prepared.content_hash, 20.0, vector, None)], actor="ben")
    async with world.store.unit(world.scope) as unit:
        assert await lineage.end_derived(unit, world.scope, [shared], erase=True, actor="ann") == 1
        async with world.store.view([world.scope]) as view:
            assert await view.derived(world.scope, [shared]) == ()  # it is no business of ann's
    assert await world.derived(agent="ben") == []

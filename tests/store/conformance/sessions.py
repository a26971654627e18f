"""Sessions: turns in one order, whoever adds them; look backs that are due once, and again until their output is there."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from tests.store.things import START, Backend, as_agent, draft, make_scope, read, write

from recalld_server.model import (
    EVERY_AGENT,
    Json,
    Request,
    Scope,
    Session,
    SessionState,
    ToolCall,
    ToolStatus,
    Trigger,
    Turn,
    TurnRole,
    new_id,
)
from recalld_server.store.base import AnswerKnown, LeaseLost, NewMemory, SessionJob

LONG = timedelta(minutes=30)
NONE = timedelta(0)


def turn(scope: Scope, content: str, **fields: Any) -> Turn:
    return Turn(new_id(), TurnRole.USER, content, scope.agent_id, START, **fields)


async def say(
    store: Backend, scope: Scope, session_id: str, *turns: Turn | str, user_id: str = "", ttl: timedelta = LONG
) -> Session:
    told = [turn(scope, each) if isinstance(each, str) else each for each in turns]
    async with store.unit(scope) as unit:
        await unit.open_session(scope, session_id, user_id=user_id, ttl=ttl)
        return await unit.append_turns(scope, session_id, told, ttl=ttl)


async def said(store: Backend, scope: Scope, session_id: str, **more: Any) -> list[str]:
    async with store.view([scope]) as view:
        return [each.content for each in await view.turns(scope, session_id, **more)]


async def latest(store: Backend, scope: Scope, session_id: str, **more: Any) -> list[str]:
    async with store.view([scope]) as view:
        return [each.content for each in await view.latest_turns(scope, session_id, **more)]


class Crash(Exception):
    """What goes wrong in a unit."""


async def find(store: Backend, scope: Scope, session_id: str) -> Session | None:
    async with store.view([scope]) as view:
        return await view.session(scope, session_id)


async def ask(store: Backend, scope: Scope, session_id: str, reason: Trigger, delay: timedelta = NONE) -> object:
    async with store.unit(scope) as unit:
        return await unit.ask_reflection(scope, session_id, reason, delay=delay)


async def claim(store: Backend, limit: int = 10, lease: timedelta = LONG) -> tuple[SessionJob, ...]:
    return await store.session_jobs().claim(limit, lease)


async def finish(store: Backend, job: SessionJob) -> None:
    async with store.unit(job.scope) as unit:
        await unit.finish_job(job.scope, job)


class Sessions:
    async def test_turns_come_back_as_they_were(self, store: Backend, scope: Scope) -> None:
        calls = (ToolCall("grep", ToolStatus.ERROR, '{"pattern": "回忆"}', "no such file"), ToolCall("ls"))
        told = [
            turn(scope, "记住:我对花生过敏。", speaker="小王", tokens=9),
            Turn(new_id(), TurnRole.ASSISTANT, "", "bob", START, tool_calls=calls, tokens=4),
        ]
        session = await say(store, scope, "s/1", *told, user_id="u1")
        assert (session.turn_count, session.user_id, session.state) == (2, "u1", SessionState.OPEN)
        async with store.view([scope]) as view:
            turns = await view.turns(scope, "s/1")
            by_id = await view.turns_by_id(scope, [told[1].turn_id, new_id()])
        assert [each.sequence for each in turns] == [1, 2]
        assert turns[1].tool_calls == calls
        assert (turns[0].content, turns[0].speaker, turns[0].tokens) == ("记住:我对花生过敏。", "小王", 9)
        assert by_id == {told[1].turn_id: ("s/1", turns[1])}

    async def test_many_agents_add_to_one_session_without_a_gap_or_a_loss(self, store: Backend, scope: Scope) -> None:
        agents = [as_agent(scope, f"agent-{n}") for n in range(4)]
        await asyncio.gather(
            *(say(store, agent, "shared", f"{agent.agent_id} {n}") for n in range(6) for agent in agents)
        )
        async with store.view([as_agent(scope, "reader")]) as view:
            turns = await view.turns(scope, "shared")
        assert [each.sequence for each in turns] == list(range(1, 25))
        assert sorted(each.content for each in turns) == sorted(f"agent-{n % 4} {n // 4}" for n in range(24))

    async def test_the_window_is_cut_by_turns_and_by_tokens_from_the_end(self, store: Backend, scope: Scope) -> None:
        await say(store, scope, "s", *(turn(scope, f"第{n}句", tokens=10) for n in range(1, 6)))
        assert await latest(store, scope, "s", limit=2) == ["第4句", "第5句"]
        assert await latest(store, scope, "s", limit=50, tokens=39) == ["第3句", "第4句", "第5句"]
        assert await latest(store, scope, "s", limit=50, tokens=9) == []
        assert await latest(store, scope, "s", limit=0) == []
        assert await said(store, scope, "s", after_sequence=1, up_to=3) == ["第2句", "第3句"]

    async def test_sessions_of_another_namespace_and_tenant_are_not_there(self, store: Backend, scope: Scope) -> None:
        await say(store, scope, "s", "secret", user_id="u1")
        for other in (await make_scope(store, "space-2"), await make_scope(store, tenant="other")):
            assert await find(store, other, "s") is None
            assert await said(store, other, "s") == []
            async with store.view([other]) as view:
                assert await view.sessions(other, limit=10) == ()
            async with store.unit(other) as unit:
                assert set((await unit.erase_turns(other, session_ids=["s"], user_ids=["u1"])).counts.values()) == {0}
        assert await said(store, scope, "s") == ["secret"]
        forged = Scope(scope.tenant_id, (await make_scope(store, tenant="other")).namespace_id, "space", "ann")
        with pytest.raises(ValueError, match="not opened with that scope"):
            async with store.view([scope]) as view:
                await view.turns(forged, "s")

    async def test_an_idle_session_reads_as_ended(self, store: Backend, scope: Scope) -> None:
        await say(store, scope, "old", "a", ttl=NONE)
        await say(store, scope, "new", "b")
        session = await find(store, scope, "old")
        assert session is not None
        assert session.state is SessionState.ENDED
        async with store.view([scope]) as view:
            for state, names in ((SessionState.ENDED, ["old"]), (SessionState.OPEN, ["new"]), (None, ["new", "old"])):
                found = await view.sessions(scope, state=state, limit=10)
                assert [each.session_id for each in found] == names

    async def test_sessions_are_listed_newest_first_page_by_page(self, store: Backend, scope: Scope) -> None:
        for n in range(5):
            await say(store, scope, f"s{n}", "hi", user_id="u1" if n % 2 else "u2")
        async with store.view([scope]) as view:
            first = await view.sessions(scope, limit=3)
            rest = await view.sessions(scope, limit=3, before=(first[-1].create_time, first[-1].session_id))
            mine = await view.sessions(scope, user_id="u1", limit=10)
        assert [each.session_id for each in (*first, *rest)] == ["s4", "s3", "s2", "s1", "s0"]
        assert [each.session_id for each in mine] == ["s3", "s1"]

    async def test_variables_change_the_etag_and_turns_do_not(self, store: Backend, scope: Scope) -> None:
        first = await say(store, scope, "s", "hi")
        second = await say(store, scope, "s", "again")
        assert second.etag == first.etag
        variables: dict[str, Json] = {"城市": "上海", "n": 1, "deep": {"a": [None, True]}}
        async with store.unit(scope) as unit:
            await unit.open_session(scope, "s", user_id="", ttl=LONG)
            third = await unit.put_variables(scope, "s", variables, ttl=LONG)
        assert third.etag != first.etag
        assert third.variables == variables
        assert await find(store, scope, "s") == third

    async def test_a_person_once_named_stays(self, store: Backend, scope: Scope) -> None:
        assert (await say(store, scope, "s", "hi")).user_id == ""
        assert (await say(store, scope, "s", "hi", user_id="u1")).user_id == "u1"
        assert (await say(store, scope, "s", "hi", user_id="u2")).user_id == "u1"

    async def test_a_failed_unit_leaves_nothing(self, store: Backend, scope: Scope) -> None:
        await say(store, scope, "s", "kept")
        with pytest.raises(Crash):
            await self._say_and_crash(store, scope)
        assert await said(store, scope, "s") == ["kept"]
        assert await claim(store) == ()

    async def _say_and_crash(self, store: Backend, scope: Scope) -> None:
        async with store.unit(scope) as unit:
            await unit.open_session(scope, "s", user_id="", ttl=LONG)
            await unit.append_turns(scope, "s", [turn(scope, "lost")], ttl=LONG)
            await unit.ask_reflection(scope, "s", Trigger.CUE, delay=NONE)
            raise Crash

    async def test_erasing_takes_sessions_turns_variables_jobs_and_answers(self, store: Backend, scope: Scope) -> None:
        request = Request("recalld.v1.SessionService/AppendTurns", "r1", b"f")
        async with store.unit(scope, request) as unit:
            await unit.open_session(scope, "a", user_id="u1", ttl=LONG)
            await unit.append_turns(scope, "a", [turn(scope, "x"), turn(scope, "y")], ttl=LONG)
            await unit.remember_answer({"namespace_id": str(scope.namespace_id), "session_id": "a", "answer": {}})
            await unit.ask_reflection(scope, "a", Trigger.END, delay=NONE)
        await say(store, scope, "b", "其他", user_id="u1")
        kept, gone = turn(scope, "stays"), turn(scope, "goes")
        await say(store, scope, "c", kept, gone, user_id="u2")
        other = as_agent(scope, "bob")
        async with store.unit(other) as unit:
            erased = await unit.erase_turns(other, user_ids=["u1"], turn_ids=[gone.turn_id])
        assert erased.counts == {"sessions": 2, "turns": 4, "session_jobs": 1, "session_answers": 1}
        assert sorted(erased.session_ids) == ["a", "b", "c"]
        thinned = await find(store, scope, "c")
        assert thinned is not None
        assert (thinned.turn_count, thinned.erasures) == (2, 1)
        assert await find(store, scope, "a") is None
        assert await said(store, scope, "c") == ["stays"]
        async with store.unit(scope, request):
            pass  # AnswerKnown would be raised if the answer were still there
        assert await claim(store) == ()

    async def test_an_answer_is_known(self, store: Backend, scope: Scope) -> None:
        request = Request("recalld.v1.SessionService/AppendTurns", "r1", b"f")
        async with store.unit(scope, request) as unit:
            await unit.open_session(scope, "a", user_id="", ttl=LONG)
            await unit.remember_answer({"session_id": "a"})
        with pytest.raises(AnswerKnown):
            async with store.unit(scope, request):
                pass


class LookingBack:
    async def test_a_job_is_due_after_its_delay(self, store: Backend, scope: Scope) -> None:
        await say(store, scope, "now", "a", "b", user_id="u1")
        await say(store, scope, "later", "c")
        job_id = await ask(store, scope, "now", Trigger.CUE)
        await ask(store, scope, "later", Trigger.IDLE, LONG)
        (job,) = await claim(store)
        assert job == SessionJob(scope, job.job_id, "now", "u1", Trigger.CUE, 0, 2, 1)
        assert job.job_id == job_id

    async def test_what_waits_is_joined_and_idle_is_put_off(self, store: Backend, scope: Scope) -> None:
        await say(store, scope, "s", "a")
        first = await ask(store, scope, "s", Trigger.IDLE)
        assert await ask(store, scope, "s", Trigger.IDLE, LONG) == first
        assert await claim(store) == ()
        assert await ask(store, scope, "s", Trigger.CUE) == first
        assert await ask(store, scope, "s", Trigger.IDLE, LONG) == first
        assert await ask(store, scope, "s", Trigger.END, LONG) == first
        await say(store, scope, "s", "b")
        (job,) = await claim(store)
        assert (job.reason, job.up_to_turn) == (Trigger.END, 2)

    async def test_turns_that_come_while_one_is_held_make_the_next(self, store: Backend, scope: Scope) -> None:
        await say(store, scope, "s", "a")
        await ask(store, scope, "s", Trigger.CUE)
        (first,) = await claim(store)
        asked = await find(store, scope, "s")
        assert asked is not None
        assert (asked.asked_turn, asked.reflected_turn) == (1, 0)
        await say(store, scope, "s", "b")
        second_id = await ask(store, scope, "s", Trigger.CUE)
        assert second_id != first.job_id
        assert await claim(store) == ()  # one of a session at a time, so that turns are looked back on in order
        await finish(store, first)
        (second,) = await claim(store)
        assert (second.job_id, second.after_turn, second.up_to_turn) == (second_id, 1, 2)

    async def test_one_whose_holder_died_is_given_again_with_the_same_turns(self, store: Backend, scope: Scope) -> None:
        await say(store, scope, "s", "a")
        await ask(store, scope, "s", Trigger.TURNS)
        (first,) = await claim(store, lease=NONE)
        await say(store, scope, "s", "b")
        (again,) = await claim(store)
        assert (again.job_id, again.after_turn, again.up_to_turn, again.attempts) == (first.job_id, 0, 1, 2)
        with pytest.raises(LeaseLost):
            await finish(store, first)
        await finish(store, again)
        with pytest.raises(LeaseLost):
            await finish(store, again)

    async def test_a_job_is_done_with_its_output_or_not_at_all(self, store: Backend, scope: Scope) -> None:
        await say(store, scope, "s", "a")
        await ask(store, scope, "s", Trigger.END)
        (job,) = await claim(store, lease=NONE)
        insight = draft(scope, "用户不吃花生")
        with pytest.raises(Crash):
            await self._finish(store, job, insight, crash=True)
        assert await read(store, scope, insight.memory.memory_id) is None
        (again,) = await claim(store)
        await self._finish(store, again, insight)
        assert await read(store, scope, insight.memory.memory_id) is not None
        assert await claim(store, lease=NONE) == ()
        session = await find(store, scope, "s")
        assert session is not None
        assert session.reflected_turn == 1

    async def _finish(self, store: Backend, job: SessionJob, insight: NewMemory, *, crash: bool = False) -> None:
        async with store.unit(job.scope) as unit:
            await unit.insert(job.scope, [insight], actor="reflection")
            await unit.finish_job(job.scope, job)
            if crash:
                raise Crash

    async def test_the_server_asks_for_the_one_who_opened_the_session(self, store: Backend, scope: Scope) -> None:
        await say(store, scope, "s", "a")
        await ask(store, as_agent(scope, EVERY_AGENT), "s", Trigger.END)
        (job,) = await claim(store)
        assert job.scope == scope

    async def test_of_many_workers_one_gets_each(self, store: Backend, scope: Scope) -> None:
        elsewhere = await make_scope(store, tenant="other", agent="bob")
        for n in range(12):
            where = elsewhere if n % 2 else scope
            await say(store, where, f"s{n}", "hi")
            await ask(store, where, f"s{n}", Trigger.END)
        taken = await asyncio.gather(*(claim(store, 3) for _ in range(6)))
        held = [job for jobs in taken for job in jobs] + list(await claim(store, 12))
        assert sorted(job.session_id for job in held) == sorted(f"s{n}" for n in range(12))
        assert {job.scope for job in held} == {scope, elsewhere}

    async def test_a_job_rests(self, store: Backend, scope: Scope) -> None:
        await say(store, scope, "s", "a")
        await ask(store, scope, "s", Trigger.END)
        (job,) = await claim(store)
        jobs = store.session_jobs()
        await jobs.rest(job, LONG)
        assert await claim(store) == ()
        await jobs.rest(job, NONE, counted=False)
        (again,) = await claim(store)
        await jobs.rest(job, NONE)  # held by another by now
        assert await claim(store) == ()
        await jobs.rest(again, NONE)
        assert [each.up_to_turn for each in await claim(store)] == [1]

    async def test_what_waits_can_be_withdrawn_and_what_is_held_cannot(self, store: Backend, scope: Scope) -> None:
        for name in ("waits", "held"):
            await say(store, scope, name, "a")
        await ask(store, scope, "held", Trigger.END)
        (job,) = await claim(store)
        await ask(store, scope, "waits", Trigger.END)
        async with store.unit(scope) as unit:
            await unit.withdraw_reflection(scope, "waits")
            await unit.withdraw_reflection(scope, "held")
        assert await claim(store) == ()
        await finish(store, job)

    async def test_ended_and_idle_sessions_are_to_be_settled_once(self, store: Backend, scope: Scope) -> None:
        await say(store, scope, "idle", "a", ttl=NONE)
        await say(store, scope, "ended", "b")
        await say(store, scope, "running", "c")
        async with store.unit(scope) as unit:
            await unit.open_session(scope, "ended", user_id="", ttl=LONG)
            assert (await unit.end_session(scope, "ended")).state is SessionState.ENDED
        every = as_agent(scope, EVERY_AGENT)
        jobs = store.session_jobs()
        assert set(await jobs.unsettled(10)) == {(every, "idle"), (every, "ended")}
        for name in ("idle", "ended", "running"):
            async with store.unit(every) as unit:
                if name == "idle":
                    await unit.end_session(every, name)
                await unit.settle_session(every, name)
        assert await jobs.unsettled(10) == ()
        running = await find(store, scope, "running")
        assert running is not None
        assert running.state is SessionState.OPEN

    async def test_a_writer_of_memories_and_one_of_turns_do_not_wait_for_each_other(
        self, store: Backend, scope: Scope
    ) -> None:
        async with store.unit(scope) as unit:
            await unit.lock(scope)
            assert (await say(store, scope, "s", "meanwhile")).turn_count == 1
        assert await write(store, scope, draft(scope, "later"))

"""Reviews: what waits for a person, and what a decision leaves behind."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from tests.store.things import Backend, as_agent, draft, make_scope, read, write, write_texts

from recalld_server.errors import MemoryExists
from recalld_server.model import (
    EVERY_AGENT,
    ChangeType,
    Memory,
    Review,
    ReviewCause,
    ReviewDecision,
    ReviewState,
    Scope,
    State,
    Visibility,
    new_id,
    utc_now,
)

LATER = datetime(2030, 1, 1, tzinfo=UTC)
GONE = timedelta(seconds=1)


async def doubt(store: Backend, scope: Scope, text: str, *, expire_time: datetime = LATER) -> tuple[Review, Memory]:
    """A review of an insight that is not sure."""
    (memory,) = await write(store, scope, draft(scope, text, state=State.PENDING_REVIEW, confidence=0.4))
    async with store.unit(scope) as unit:
        ids = [memory.memory_id]
        review_id = await unit.open_review(scope, ReviewCause.LOW_CONFIDENCE, ids, expire_time=expire_time)
    return await find(store, scope, review_id), memory


async def find(store: Backend, scope: Scope, review_id: object) -> Review:
    async with store.view([scope]) as view:
        found = await view.review(scope, review_id)  # type: ignore[arg-type]
        assert found is not None
        return found


async def waiting(store: Backend, scope: Scope, state: ReviewState = ReviewState.OPEN) -> list[object]:
    async with store.view([scope]) as view:
        return [each.review_id for each in await view.reviews(scope, state, limit=100)]


class Reviewing:
    async def test_a_conflict_has_the_new_memory_first(self, store: Backend, scope: Scope) -> None:
        new, *others = await write_texts(store, scope, "会议在周二", "会议在周三", "the meeting is on Friday")
        async with store.unit(scope) as unit:
            review_id = await unit.link_conflict(scope, new, others, expire_time=LATER)
        review = await find(store, scope, review_id)
        assert (review.cause, review.state, review.decision) == (ReviewCause.CONFLICT, ReviewState.OPEN, None)
        assert [each.memory_id for each in review.memories] == [new, *others]
        assert (review.expire_time, review.resolve_time) == (LATER, None)

    async def test_reviews_are_listed_oldest_first_page_by_page(self, store: Backend, scope: Scope) -> None:
        made = [(await doubt(store, scope, f"洞察 {n}"))[0] for n in range(5)]
        async with store.view([scope]) as view:
            first = await view.reviews(scope, ReviewState.OPEN, limit=3)
            after = (first[-1].create_time, first[-1].review_id)
            rest = await view.reviews(scope, ReviewState.OPEN, limit=3, after=after)
        assert [*first, *rest] == made

    async def test_those_of_others_are_not_there(self, store: Backend, scope: Scope) -> None:
        review, _ = await doubt(store, scope, "shared 共享")
        (hidden,) = await write(
            store, scope, draft(scope, "私人", visibility=Visibility.PRIVATE, state=State.PENDING_REVIEW)
        )
        async with store.unit(scope) as unit:
            ids = [hidden.memory_id]
            private_id = await unit.open_review(scope, ReviewCause.LOW_CONFIDENCE, ids, expire_time=LATER)
        assert await waiting(store, scope) == [review.review_id, private_id]
        assert await waiting(store, as_agent(scope, "bob")) == [review.review_id]
        for other in (await make_scope(store, "space-2"), await make_scope(store, tenant="other")):
            assert await waiting(store, other) == []
            async with store.view([other]) as view:
                assert await view.review(other, review.review_id) is None

    async def test_closing_keeps_who_decided_what_and_unlinks(self, store: Backend, scope: Scope) -> None:
        one, two, three = await write_texts(store, scope, "一", "二", "三")
        async with store.unit(scope) as unit:
            review_id = await unit.link_conflict(scope, one, [two], expire_time=LATER)
            await unit.link_conflict(scope, three, [one], expire_time=LATER)
            decision = ReviewDecision.KEEP_BOTH
            await unit.close_review(
                scope, review_id, ReviewState.RESOLVED, decision=decision, actor="cleo", reason="两者都对"
            )
            await unit.judge(scope, [one, two], actor="cleo", reason="两者都对")
            # once closed it stays as it is
            await unit.close_review(scope, review_id, ReviewState.EXPIRED, actor="system")
        review = await find(store, scope, review_id)
        assert (review.state, review.decision, review.actor) == (ReviewState.RESOLVED, decision, "cleo")
        assert review.resolve_time is not None
        assert review.reason == "两者都对"
        assert {each.memory_id: each.conflicts_with for each in review.memories} == {one: (three,), two: ()}
        async with store.view([scope]) as view:
            (latest,) = await view.revisions(scope, two, limit=1)
            changes = await view.changes(scope, after=3, limit=10)
            stats = await view.stats([scope], since=utc_now() - timedelta(days=1), until=utc_now() + GONE)
        assert (latest.action, latest.actor, latest.reason) == ("review", "cleo", "两者都对")
        assert (latest.memory.revision, latest.memory.conflicts_with) == (2, ())
        assert {each.memory_id for each in changes if each.type is ChangeType.REVIEWED} == {one, two}
        assert stats.conflicts_open == 1

    async def test_a_judgement_is_one_revision_with_state_and_confidence(self, store: Backend, scope: Scope) -> None:
        _, memory = await doubt(store, scope, "用户可能喜欢安静")
        ids = [memory.memory_id]
        async with store.unit(scope) as unit:
            await unit.judge(scope, ids, state=State.ACTIVE, confidence=1.0, actor="cleo", reason="")
        now = await read(store, scope, memory.memory_id)
        assert now is not None
        assert (now.state, now.confidence, now.revision) == (State.ACTIVE, 1.0, 2)
        async with store.view([scope]) as view:
            (change,) = await view.changes(scope, after=1, limit=10)
            stats = await view.stats([scope], since=utc_now() - timedelta(days=1), until=utc_now() + GONE)
        assert (change.type, change.actor) == (ChangeType.REVIEWED, "cleo")
        assert (stats.total, stats.mean_confidence) == (1, 1.0)

    async def test_what_a_live_memory_says_already_cannot_become_live_again(self, store: Backend, scope: Scope) -> None:
        _, memory = await doubt(store, scope, "the vault is in Bern")
        await write_texts(store, scope, "the vault is in Bern")
        with pytest.raises(MemoryExists):
            async with store.unit(scope) as unit:
                await unit.judge(scope, [memory.memory_id], state=State.ACTIVE, actor="cleo", reason="")
        unchanged = await read(store, scope, memory.memory_id)
        assert unchanged is not None
        assert (unchanged.state, unchanged.revision) == (State.PENDING_REVIEW, 1)

    async def test_an_overdue_review_reads_as_expired(self, store: Backend, scope: Scope) -> None:
        late, _ = await doubt(store, scope, "过期了", expire_time=utc_now() - GONE)
        assert late.state is ReviewState.EXPIRED
        assert await waiting(store, scope) == []
        assert await waiting(store, scope, ReviewState.EXPIRED) == [late.review_id]

    async def test_what_needs_no_decision_any_more_is_overdue(self, store: Backend, scope: Scope) -> None:
        every = as_agent(scope, EVERY_AGENT)
        late, _ = await doubt(store, scope, "过期了", expire_time=utc_now() - GONE)
        kept, _ = await doubt(store, scope, "还在等")
        moot, forgotten = await doubt(store, scope, "已经忘记")
        one, two = await write_texts(store, scope, "一 one", "二 two")
        async with store.unit(scope) as unit:
            conflict = await unit.link_conflict(scope, one, [two], expire_time=LATER)
        assert {each for _, each in await store.overdue_reviews(10)} == {late.review_id}
        async with store.unit(scope) as unit:
            ids = [forgotten.memory_id, two]
            await unit.set_state(scope, ids, State.FORGOTTEN, actor="ann", action="forget", reason="")
        assert set(await store.overdue_reviews(10)) == {
            (every, late.review_id),
            (every, moot.review_id),
            (every, conflict),
        }
        async with store.unit(every) as unit:
            await unit.close_review(every, conflict, ReviewState.EXPIRED, actor="system")
        assert conflict not in {each for _, each in await store.overdue_reviews(10)}
        assert kept.review_id in await waiting(store, scope)

    async def test_erased_memories_leave_nothing_in_a_review(self, store: Backend, scope: Scope) -> None:
        review, memory = await doubt(store, scope, "erase me")
        async with store.unit(scope) as unit:
            await unit.erase(scope, [memory.memory_id], actor="ann")
            missing = await unit.open_review(scope, ReviewCause.LOW_CONFIDENCE, [new_id()], expire_time=LATER)
            assert await unit.review(scope, missing) is None
        assert (await find(store, scope, review.review_id)).memories == ()

"""What a person decides: it is done once, it is kept who did it, and until then nobody finds what is in doubt."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import pytest

from recalld import AsyncClient, RetryPolicy, Review, errors
from recalld.enums import ReviewDecisionLike, ReviewStateLike
from recalld_server.core.drafts import prepare
from recalld_server.core.indexing import indexed
from recalld_server.core.keys import mint, secret_hash
from recalld_server.core.reviews import Reviews
from recalld_server.model import Draft, ReviewCause, Role, Scope, State, Visibility, utc_now
from recalld_server.models.hash import HashEmbedder
from recalld_server.store.postgres import PoolOptions, PostgresStore

from .inside import SPACE, listening

WEEK = timedelta(days=7)


@dataclass(frozen=True)
class World:
    """A client with every right, and the store behind its server."""

    address: str
    client: AsyncClient
    store: PostgresStore
    scope: Scope

    async def put(self, *texts: str, cause: ReviewCause, expires: timedelta = WEEK, **fields: Any) -> Review:
        """Stores memories as they are, the new one first, and opens a review of them."""
        news = []
        for text in texts:
            draft = Draft(text, confidence=0.4, user_id="u1")
            prepared = prepare(draft, self.scope, default_visibility=Visibility.SHARED, limit=10_000, now=utc_now())
            vector = (await HashEmbedder().embed_passages([text])).vectors[0]
            news.append(indexed(replace(prepared.memory, **fields), prepared.content_hash, 20.0, vector, None))
        async with self.store.unit(self.scope) as unit:
            ids = [memory.memory_id for memory in await unit.insert(self.scope, news, actor="reflection")]
            expire_time = utc_now() + expires
            if cause is ReviewCause.CONFLICT:
                review_id = await unit.link_conflict(self.scope, ids[0], ids[1:], expire_time=expire_time)
            else:
                review_id = await unit.open_review(self.scope, cause, ids, expire_time=expire_time)
        states: list[ReviewStateLike] = ["open", "expired"]
        found = [each for state in states async for each in self.client.reviews(state=state)]
        return next(each for each in found if each.review_id == str(review_id))

    async def doubt(self, text: str, **more: Any) -> Review:
        """An insight of low confidence, as a reflection leaves it."""
        return await self.put(text, cause=ReviewCause.LOW_CONFIDENCE, state=State.PENDING_REVIEW, **more)

    async def conflict(self, new: str, *others: str, **more: Any) -> Review:
        """Memories that contradict each other, as a write leaves them."""
        return await self.put(new, *others, cause=ReviewCause.CONFLICT, **more)

    @asynccontextmanager
    async def reflector(self, agent: str) -> AsyncIterator[AsyncClient]:
        """A client that may decide, by another agent."""
        made = await self.client.keys.create(agent, "reflector", namespaces=[SPACE])
        async with AsyncClient(self.address, key=made.secret, namespace=SPACE) as client:
            yield client

    async def found(self, query: str) -> set[str]:
        return {hit.content for hit in await self.client.search(query, top_k=20)}


@pytest.fixture
async def world(database: str) -> AsyncIterator[World]:
    embedder = HashEmbedder()
    store = PostgresStore(database, PoolOptions(size=4))
    await store.start()
    await store.embedding_model(embedder.id, embedder.dimensions)
    async with (
        listening(database, embedder) as (address, key),
        AsyncClient(address, key=key, namespace=SPACE, retry=RetryPolicy(attempts=1)) as client,
    ):
        tenant_id = await store.ensure_tenant("default")
        namespace = await store.get_namespace(tenant_id, SPACE)
        assert namespace is not None
        yield World(address, client, store, Scope(tenant_id, namespace.namespace_id, SPACE, "ann"))
    await store.close()


async def test_nobody_finds_what_is_in_doubt_unless_it_is_asked_for(world: World) -> None:
    review = await world.doubt("林乔可能喜欢靠窗的座位")
    assert (review.cause, review.state, review.decision) == ("low_confidence", "open", "unspecified")
    assert await world.found("林乔喜欢什么座位") == set()
    assert "靠窗" not in (await world.client.context("林乔喜欢什么座位")).text
    assert (await world.client.list().page()).items == ()
    assert (await world.client.stats()).reviews_waiting == 1
    asked = await world.client.search("林乔喜欢什么座位", states=["pending_review"])
    assert [hit.memory.state for hit in asked] == ["pending_review"]


async def test_what_is_approved_is_found_and_says_who_was_sure(world: World) -> None:
    review = await world.doubt("Lin may like window seats")
    decided = await world.client.resolve_review(review.review_id, "approve", reason="she said so 她自己说的")
    assert (decided.state, decided.decision, decided.actor) == ("resolved", "approve", "ann")
    assert decided.resolve_time is not None
    (memory,) = decided.memories
    assert (memory.state, memory.confidence, memory.revision) == ("active", 1.0, 2)
    assert await world.found("window seats") == {"Lin may like window seats"}
    latest = (await world.client.revisions(memory.memory_id).page()).items[0]
    assert (latest.action, latest.actor, latest.reason) == ("review", "ann", "she said so 她自己说的")
    assert (await world.client.reviews().page()).items == ()
    assert [each.review_id async for each in world.client.reviews(state="resolved")] == [review.review_id]


async def test_what_is_edited_is_found_by_its_new_text(world: World) -> None:
    review = await world.doubt("用户大概住在苏州")
    decided = await world.client.resolve_review(review.review_id, "edit", content="用户住在杭州")
    assert [memory.content for memory in decided.memories] == ["用户住在杭州"]
    assert await world.found("用户住在哪里") == {"用户住在杭州"}
    with pytest.raises(errors.InvalidArgument):
        await world.client.resolve_review((await world.doubt("x y")).review_id, "edit", content=" 　")
    with pytest.raises(errors.InvalidArgument):
        await world.client.resolve_review((await world.doubt("y z")).review_id, "edit", content="x" * 40_000)


async def test_what_is_rejected_stays_hidden(world: World) -> None:
    review = await world.doubt("用户讨厌猫")
    (memory,) = (await world.client.resolve_review(review.review_id, "reject")).memories
    assert memory.state == "rejected"
    assert await world.found("用户讨厌猫") == set()


async def test_a_memory_in_review_is_not_restored_past_it(world: World) -> None:
    review = await world.doubt("用户喜欢爬山")
    with pytest.raises(errors.FailedPrecondition, match="review"):
        await world.client.restore(review.memories[0].memory_id, revision=1)


async def test_one_of_a_conflict_is_chosen(world: World) -> None:
    review = await world.conflict("周会在周五", "周会在周三")
    assert [memory.content for memory in review.memories] == ["周会在周五", "周会在周三"]
    old = review.memories[1].memory_id
    decided = await world.client.resolve_review(review.review_id, "choose", chosen_id=old)
    new, kept = decided.memories
    assert (new.state, new.superseded_by, new.conflicts_with) == ("superseded", old, ())
    assert (kept.state, kept.supersedes, kept.conflicts_with, kept.confidence) == ("active", (new.memory_id,), (), 1.0)
    assert await world.found("周会在周几") == {"周会在周三"}


@pytest.mark.parametrize(
    ("decision", "states"),
    [("approve", ("active", "superseded")), ("reject", ("rejected", "active")), ("keep_both", ("active", "active"))],
)
async def test_what_becomes_of_both_sides(world: World, decision: str, states: tuple[str, str]) -> None:
    review = await world.conflict("The vault is in Bern", "The safe is in Basel")
    decided = await world.client.resolve_review(review.review_id, decision)  # type: ignore[arg-type]
    assert tuple(memory.state for memory in decided.memories) == states
    assert [memory.conflicts_with for memory in decided.memories] == [(), ()]
    for memory in decided.memories:
        actors = [each.actor async for each in world.client.revisions(memory.memory_id)]
        assert len(actors) == 2
    assert (await world.client.stats()).conflicts_open == 0


async def test_an_edit_settles_a_conflict(world: World) -> None:
    review = await world.conflict("预算是五万", "预算是三万")
    decided = await world.client.resolve_review(review.review_id, "edit", content="预算是四万")
    assert [(memory.content, memory.state) for memory in decided.memories] == [
        ("预算是四万", "active"),
        ("预算是三万", "superseded"),
    ]


@pytest.mark.parametrize(
    ("decision", "sides"),
    [
        ("approve", {"doubt": ["review"], "conflict": ["review", "supersede"]}),
        ("edit", {"doubt": ["review"], "conflict": ["review", "supersede"]}),
        ("reject", {"doubt": ["review"], "conflict": ["review", "review"]}),
        ("keep_both", {"conflict": ["review", "review"]}),
        ("choose", {"conflict": ["review", "supersede"]}),
    ],
)
async def test_every_decision_is_a_revision_that_says_who_and_why(
    world: World, decision: str, sides: dict[str, list[str]]
) -> None:
    for kind, actions in sides.items():
        opened = await (
            world.doubt("周会也许在周三") if kind == "doubt" else world.conflict("周会在周五", "周会在周四")
        )
        first = opened.memories[0].memory_id
        given = {"edit": {"content": "周会在周二"}, "choose": {"chosen_id": first}}.get(decision, {})
        async with world.reflector("cleo") as cleo:
            await cleo.resolve_review(opened.review_id, decision, reason="问过了", **given)  # type: ignore[arg-type]
        latest = [(await world.client.revisions(each.memory_id).page()).items[0] for each in opened.memories]
        assert [(each.action, each.actor, each.reason) for each in latest] == [
            (action, "cleo", "问过了") for action in actions
        ]
        assert [each.memory.revision for each in latest] == [2] * len(actions)
        await world.client.forget([each.memory_id for each in opened.memories])


async def test_a_decision_must_fit(world: World) -> None:
    doubt, conflict = await world.doubt("也许吧"), await world.conflict("the door is red", "the door is blue")
    wrong: list[tuple[Review, ReviewDecisionLike, dict[str, str]]] = [
        (doubt, "keep_both", {}),
        (doubt, "choose", {"chosen_id": doubt.memories[0].memory_id}),
        (conflict, "choose", {"chosen_id": doubt.memories[0].memory_id}),
        (conflict, "edit", {}),
        (conflict, "approve", {"content": "x"}),
    ]
    for review, decision, given in wrong:
        with pytest.raises(errors.InvalidArgument):
            await world.client.resolve_review(review.review_id, decision, **given)  # type: ignore[arg-type]
    assert len((await world.client.reviews().page()).items) == 2


async def test_of_many_who_decide_one_does(world: World) -> None:
    review = await world.conflict("the lamp is on", "the lamp is off")

    async def decide(n: int) -> str:
        chosen = review.memories[n % 2].memory_id
        try:
            await world.client.resolve_review(review.review_id, "choose", chosen_id=chosen)
        except errors.FailedPrecondition:
            return ""
        return chosen

    winners = [each for each in await asyncio.gather(*map(decide, range(8))) if each]
    assert len(winners) == 1
    (lamp,) = (await world.client.list().page()).items
    assert lamp.memory_id == winners[0]
    assert lamp.revision == 2


async def test_a_retry_gets_the_answer_and_changes_nothing(world: World) -> None:
    review = await world.doubt("Ada prefers mornings")
    first = await world.client.resolve_review(review.review_id, "edit", content="Ada prefers evenings", request_id="r")
    again = await world.client.resolve_review(review.review_id, "edit", content="Ada prefers evenings", request_id="r")
    assert again == first
    with pytest.raises(errors.FailedPrecondition) as refused:
        await world.client.resolve_review(review.review_id, "reject", request_id="r")
    assert refused.value.reason == "REQUEST_ID_REUSED"


async def test_what_is_said_already_is_not_approved_twice(world: World) -> None:
    review = await world.doubt("the cat is called Momo")
    await world.client.write("the cat is called Momo", user_id="u1")
    with pytest.raises(errors.FailedPrecondition, match="reject"):
        await world.client.resolve_review(review.review_id, "approve")
    assert (await world.client.resolve_review(review.review_id, "reject")).state == "resolved"


async def test_what_was_forgotten_is_not_shown_and_not_decided(world: World) -> None:
    review = await world.conflict("我喝咖啡", "我喝茶")
    await world.client.forget(review.memories[0].memory_id)
    (shown,) = (await world.client.reviews().page()).items
    assert [memory.content for memory in shown.memories] == ["我喝茶"]
    with pytest.raises(errors.FailedPrecondition):
        await world.client.resolve_review(review.review_id, "approve")


async def test_nobody_decides_in_time(world: World) -> None:
    await world.doubt("来不及了", expires=-timedelta(seconds=1))
    await world.conflict("the sign is old", "the sign is new")
    reviews = Reviews(world.store, None, HashEmbedder(), world.store, content_limit=1)  # type: ignore[arg-type]
    late = [each async for each in world.client.reviews(state="expired")]
    assert len(late) == 1
    with pytest.raises(errors.FailedPrecondition, match="EXPIRED"):
        await world.client.resolve_review(late[0].review_id, "approve")
    assert await reviews.expire() == 1
    assert await reviews.expire() == 0
    expired = (await world.client.list(states=["expired"]).page()).items
    assert [memory.content for memory in expired] == ["来不及了"]
    assert len((await world.client.reviews().page()).items) == 1


async def test_private_insights_are_decided_by_their_owner_alone(world: World) -> None:
    key_id, key, _ = mint()
    await world.store.create_key(
        world.scope.tenant_id,
        key_id=key_id,
        secret_hash=secret_hash(key.rpartition("_")[2]),
        agent_id="bob",
        roles=frozenset({Role.ADMIN}),
        namespaces=(),
        description="",
        expire_time=None,
    )
    review = await world.conflict("我的暗号是一", "我的暗号是二", visibility=Visibility.PRIVATE)
    async with AsyncClient(world.address, key=key, namespace=SPACE) as bob:
        assert (await bob.reviews().page()).items == ()
        with pytest.raises(errors.NotFound):
            await bob.resolve_review(review.review_id, "keep_both")
    assert (await world.client.resolve_review(review.review_id, "keep_both")).state == "resolved"

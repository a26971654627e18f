"""Reviews: what a person decides about an insight that is not sure enough, and about memories that contradict each other.

The first decision counts: it is made under the namespace's lock, and whoever comes later is told that it was made. Each
memory of the review gets a revision that says who decided what.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from recalld_server.core import pages
from recalld_server.core.access import Access, Room
from recalld_server.core.drafts import changed
from recalld_server.core.forms import Forms
from recalld_server.core.memories import HIDDEN
from recalld_server.core.policy import Action
from recalld_server.core.types import CallOptions, Verdict
from recalld_server.errors import InvalidField, MemoryExists, ResourceNotFound, WrongState
from recalld_server.model import (
    SYSTEM,
    Memory,
    Page,
    Principal,
    Review,
    ReviewCause,
    ReviewDecision,
    ReviewState,
    Scope,
    State,
    utc_now,
)
from recalld_server.models.base import Embedder
from recalld_server.store.base import AnswerKnown, NewMemory, OverdueReviews, Store, Unit

SURE = 1.0
"""The confidence of what a person has confirmed."""


class Reviews:
    """ListReviews, ResolveReview."""

    def __init__(
        self, store: Store, access: Access, embedder: Embedder, overdue: OverdueReviews, *, content_limit: int
    ) -> None:
        self._store = store
        self._access = access
        self._forms = Forms(store, embedder)
        self._overdue = overdue
        self._limit = content_limit

    async def list(
        self, principal: Principal, namespace: str, state: ReviewState, *, page_size: int, page_token: str
    ) -> Page[Review]:
        """Oldest first."""
        room = await self._access.open(principal, namespace, Action.REVIEW)
        asked = ("reviews", namespace, state)
        place = pages.decode(page_token, asked, (str, str))
        after = (pages.moment(str(place[0])), UUID(str(place[1]))) if place else None
        async with self._store.view([room.scope]) as view:
            found = await view.reviews(room.scope, state, limit=page_size + 1, after=after)
        shown = tuple(map(_shown, found[:page_size]))
        if len(found) <= page_size:
            return Page(shown)
        return Page(shown, pages.encode([shown[-1].create_time.isoformat(), str(shown[-1].review_id)], asked))

    async def resolve(
        self, principal: Principal, namespace: str, review_id: UUID, verdict: Verdict, call: CallOptions
    ) -> Review:
        """Decides a review. Raises ResourceNotFound; WrongState when it was decided or has expired, or when its memories
        have changed so that it cannot be decided like this; InvalidField for a decision that does not fit; EtagMismatch
        when the text to be edited was changed meanwhile."""
        room = await self._access.open(principal, namespace, Action.REVIEW)
        form = None
        if verdict.decision is ReviewDecision.EDIT:
            form = await self._edited(room, review_id, verdict, call)
        try:
            async with self._store.unit(room.scope, call.request) as unit:
                await unit.lock(room.scope)
                await self._decide(unit, room.scope, review_id, verdict, form)
                if call.request is not None:
                    await unit.remember_answer({"review_id": str(review_id)})
                return await _read(unit, room.scope, review_id)
        except AnswerKnown:
            async with self._store.view([room.scope]) as view:
                return _shown(_found(await view.review(room.scope, review_id)))

    async def expire(self, limit: int = 20) -> int:
        """Ends reviews that nobody decided in time, or needs to: an insight expires, of a conflict both sides stay. How many."""
        overdue = await self._overdue.overdue_reviews(limit)
        for scope, review_id in overdue:
            async with self._store.unit(scope) as unit:
                await unit.lock(scope)
                review = await unit.review(scope, review_id)
                if review is None or review.state is ReviewState.RESOLVED:
                    continue
                await unit.close_review(scope, review_id, ReviewState.EXPIRED, actor=SYSTEM)
                reason = "nobody decided its review in time"
                waiting = _ids(review.memories, State.PENDING_REVIEW)
                await unit.set_state(scope, waiting, State.EXPIRED, actor=SYSTEM, action="expire", reason=reason)
                if review.cause is ReviewCause.CONFLICT:
                    await unit.judge(scope, _ids(review.memories, State.ACTIVE), actor=SYSTEM, reason=reason)
        return len(overdue)

    async def _edited(self, room: Room, review_id: UUID, verdict: Verdict, call: CallOptions) -> NewMemory | None:
        """The memory with the new text, as it will be stored; None when a retry needs none."""
        if call.request is not None and await self._store.known_answer(room.scope, call.request) is not None:
            return None
        async with self._store.view([room.scope]) as view:
            review = _open(await view.review(room.scope, review_id))
        old = _subject(review)
        new = changed(old, {"content": verdict.content}, limit=self._limit, now=utc_now())
        others = {memory.memory_id for memory in review.memories}
        new = replace(
            new,
            state=State.ACTIVE,
            confidence=SURE,
            conflicts_with=tuple(each for each in old.conflicts_with if each not in others),
        )
        return await self._forms.next(room.scope, old, new, timeout=call.timeout)

    async def _decide(
        self, unit: Unit, scope: Scope, review_id: UUID, verdict: Verdict, form: NewMemory | None
    ) -> None:
        review = _open(await unit.review(scope, review_id))
        conflict = review.cause is ReviewCause.CONFLICT
        if not conflict and verdict.decision in (ReviewDecision.KEEP_BOTH, ReviewDecision.CHOOSE):
            raise InvalidField(
                "decision", "is for memories that contradict each other: APPROVE, EDIT or REJECT this one"
            )
        actor, reason = scope.agent_id, verdict.reason
        live = _ids(review.memories, State.ACTIVE)
        if conflict and len(live) < 2:
            raise WrongState("CHANGED", "fewer than two of its memories are live by now, so there is nothing to decide")
        await unit.close_review(
            scope, review_id, ReviewState.RESOLVED, decision=verdict.decision, actor=actor, reason=reason
        )
        if verdict.decision is ReviewDecision.KEEP_BOTH:
            await unit.judge(scope, live, actor=actor, reason=reason)
        elif verdict.decision is ReviewDecision.REJECT:
            wrong = _subject(review).memory_id
            await unit.judge(scope, [wrong], state=State.REJECTED, actor=actor, reason=reason)
            await unit.judge(scope, [each for each in live if each != wrong], actor=actor, reason=reason)
        else:
            right = await self._confirm(unit, scope, review, verdict, form)
            losers = [each for each in live if each != right]
            await unit.supersede(scope, losers, right, actor=actor, reason=reason, when=utc_now())

    async def _confirm(
        self, unit: Unit, scope: Scope, review: Review, verdict: Verdict, form: NewMemory | None
    ) -> UUID:
        """Makes the memory that is right ACTIVE and sure; its id."""
        actor, reason = scope.agent_id, verdict.reason
        if verdict.decision is ReviewDecision.CHOOSE:
            right = verdict.chosen_id
            if right is None or right not in _ids(review.memories, State.ACTIVE):
                raise InvalidField("chosen_id", "is not one of the live memories of this review")
        else:
            right = _subject(review).memory_id
        try:
            if form is not None:
                expected = form.memory.revision - 1
                await unit.replace(scope, form, expected_revision=expected, action="review", actor=actor, reason=reason)
            else:
                state = State.ACTIVE
                await unit.judge(scope, [right], state=state, confidence=SURE, actor=actor, reason=reason)
        except MemoryExists:
            raise WrongState("ACTIVE", "a live memory has this text already: reject this one, or edit it") from None
        return right


def _found(review: Review | None) -> Review:
    if review is None:
        raise ResourceNotFound("review")
    return review


def _open(review: Review | None) -> Review:
    review = _found(review)
    if review.state is not ReviewState.OPEN:
        raise WrongState(review.state.name, f"this review is {review.state.name} and waits for no decision any more")
    return review


def _subject(review: Review) -> Memory:
    """The memory that the review is about: the new one."""
    wanted = State.ACTIVE if review.cause is ReviewCause.CONFLICT else State.PENDING_REVIEW
    memory = review.memories[0] if review.memories else None
    if memory is None or memory.state is not wanted:
        state = memory.state.name if memory else "ERASED"
        raise WrongState(state, f"the memory is {state} by now, so there is nothing to decide about it")
    return memory


def _ids(memories: Sequence[Memory], state: State) -> list[UUID]:
    return [memory.memory_id for memory in memories if memory.state is state]


def _shown(review: Review) -> Review:
    """As callers see it: what was forgotten is told to nobody."""
    return replace(review, memories=tuple(each for each in review.memories if each.state not in HIDDEN))


async def _read(unit: Unit, scope: Scope, review_id: UUID) -> Review:
    return _shown(_found(await unit.review(scope, review_id)))

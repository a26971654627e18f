"""The life of a namespace that two agents share, compared step by step with what the documented rules say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
)
from tests.e2e.drafts import CONTENTS, KINDS, MODES, PICKS, STATES, USERS, changes, drafts, expected, same, to_input
from tests.e2e.reference import HIDDEN, Held, Moment, Reference, Refused, as_listed

from recalld import Client, ForgetMode, Kind, Memory, Outcome, RankingOptions, State, WriteResult, errors

AGENTS = ("ann", "ben")


FEW = 5
"""Memories that are changed: few, so that much happens to each."""


ABSENT = "01890a5d-ac96-774b-bcce-b302099a8057"


WHO = st.sampled_from(AGENTS)


@dataclass(frozen=True)
class Call:
    """A mutation that was answered, and the memories that its answer speaks of."""

    request_id: str
    send: Callable[[str], Any]
    other: Callable[[str], Any]
    """Another body under the same request id."""
    answer: Any
    memory_ids: frozenset[str]


class Namespace(RuleBasedStateMachine):
    """A namespace and its reference."""

    clients: dict[str, Client]

    @initialize()
    def begin(self) -> None:
        name = f"model/{uuid4().hex}"
        self.clients["root"].namespaces.create(name)
        self.space = {agent: self.clients[agent].namespace(name) for agent in AGENTS}
        self.reference = Reference()
        self.calls: list[Call] = []
        self.moments: list[Moment] = []

    def mutate(
        self, memory_ids: Callable[[Any], set[str]], send: Callable[[str], Any], other: Callable[[str], Any]
    ) -> Any:
        request_id = uuid4().hex
        answer = send(request_id)
        self.calls.append(Call(request_id, send, other, answer, frozenset(memory_ids(answer))))
        return answer

    def pick(self, place: int) -> str:
        """An id: of a memory that there is, or was, or never was."""
        known = [*list(self.reference.history)[-FEW:], *list(self.reference.erased)[-1:], ABSENT]
        return known[place % len(known)]

    @rule(who=WHO, draft=drafts(), preview=st.booleans())
    def write(self, who: str, draft: Held, preview: bool) -> None:
        [twin] = self.reference.write([self._by(draft, who)])
        if preview:
            told = self.space[who].write(to_input(draft), validate_only=True)
            assert (told.outcome, told.memory_id) == expected(twin), told
            return
        result = self.mutate(
            lambda answer: {answer.memory_id},
            lambda request_id: self.space[who].write(to_input(draft), request_id=request_id),
            lambda request_id: self.space[who].write("another thing", request_id=request_id),
        )
        self._stored([self._by(draft, who)], [twin], [result])

    @rule(who=WHO, batch=st.lists(drafts(), min_size=1, max_size=4))
    def write_batch(self, who: str, batch: list[Held]) -> None:
        given = [self._by(draft, who) for draft in batch]
        twins = self.reference.write(given)
        results = self.mutate(
            lambda answer: {item.result.memory_id for item in answer},
            lambda request_id: self.space[who].write_batch([to_input(draft) for draft in batch], request_id=request_id),
            lambda request_id: self.space[who].write_batch(["another thing"], request_id=request_id),
        )
        self._stored(given, twins, results.unwrap())

    def _by(self, draft: Held, who: str) -> Held:
        return replace(draft, owner=who, actor=who)

    def _stored(self, given: list[Held], twins: list[Held | None], results: list[WriteResult]) -> None:
        ids: dict[int, str] = {}
        used = []
        for draft, twin, result in zip(given, twins, results, strict=True):
            if twin is None:
                assert result.outcome == Outcome.CREATED, (draft, result)
                assert result.memory_id not in self.reference.history
                ids[id(draft)] = result.memory_id
                self.reference.store(replace(draft, memory_id=result.memory_id))
            else:
                assert result.outcome == Outcome.DUPLICATE, (draft, result)
                assert result.memory_id == (twin.memory_id or ids[id(twin)])
                used.append(result.memory_id)
        self.reference.use(used)

    @rule(who=WHO, place=PICKS, change=changes(), stale=st.sampled_from([None, 0, 1]))
    def update(self, who: str, place: int, change: dict[str, Any], stale: int | None) -> None:
        memory_id = self.pick(place)
        revision = self._revision(memory_id, stale)
        etag = self._etag(memory_id) if stale == 0 else None

        def send(request_id: str) -> Memory:
            return self.space[who].update(
                memory_id, **change, etag=etag, expected_revision=revision, request_id=request_id, reason="改 change"
            )

        def other(request_id: str) -> Memory:
            return self.space[who].update(memory_id, content="another thing", request_id=request_id)

        self.alike(
            lambda: self.reference.update(who, memory_id, change, revision),
            lambda: self.mutate(lambda _: {memory_id}, send, other),
        )

    @rule(who=WHO, place=PICKS, wanted=st.none() | st.integers(1, 4), stale=st.sampled_from([None, 0, 1]))
    def restore(self, who: str, place: int, wanted: int | None, stale: int | None) -> None:
        memory_id = self.pick(place)
        revision = self._revision(memory_id, stale)

        def send(request_id: str) -> Memory:
            return self.space[who].restore(
                memory_id, revision=wanted, expected_revision=revision, request_id=request_id
            )

        def other(request_id: str) -> Memory:
            return self.space[who].restore(memory_id, reason="another", request_id=request_id)

        self.alike(
            lambda: self.reference.restore(who, memory_id, wanted, revision),
            lambda: self.mutate(lambda _: {memory_id}, send, other),
        )

    @rule(who=WHO, places=st.lists(PICKS, min_size=1, max_size=3), mode=MODES, preview=st.booleans())
    def forget(self, who: str, places: list[int], mode: ForgetMode, preview: bool) -> None:
        ids = list(dict.fromkeys(map(self.pick, places)))

        def send(request_id: str) -> Any:
            return self.space[who].forget(ids, mode=mode, request_id=request_id)

        def other(request_id: str) -> Any:
            return self.space[who].forget([str(uuid4())], request_id=request_id)

        def going() -> list[str]:
            planned = Reference()
            planned.history = {key: list(value) for key, value in self.reference.history.items()}
            return planned.forget(who, ids, mode)

        if preview:
            self.alike(going, lambda: list(self.space[who].forget(ids, mode=mode, dry_run=True).memory_ids))
            return
        # what an erasure answers holds no text, so nothing that is erased later takes it away
        spoken_of = set() if mode == "erase" else set(ids)
        result = self.alike(
            lambda: self.reference.forget(who, ids, mode), lambda: self.mutate(lambda _: spoken_of, send, other)
        )
        if result is not None:
            assert set(result.skipped_ids) == set(ids) - set(result.memory_ids)
            assert (result.receipt is not None) == (mode == "erase")

    @rule(who=WHO, kind=KINDS, mode=MODES)
    def forget_by_filter(self, who: str, kind: Kind, mode: ForgetMode) -> None:
        meant = [held.memory_id for held in self.reference.listed(who, kind=kind)]
        plan = self.space[who].plan_forget(kinds=kind, mode=mode)
        assert plan.count == len(meant)
        assert set(plan.memory_ids) <= set(meant)
        if meant:
            assert plan.confirm().count == len(self.reference.forget(who, meant, mode))

    @precondition(lambda self: self.calls)
    @rule(place=PICKS, same=st.booleans())
    def retry(self, place: int, same: bool) -> None:
        kept = [call for call in self.calls if not call.memory_ids & self.reference.erased.keys()]
        if not kept:
            return
        call = kept[place % len(kept)]
        if same:
            assert call.send(call.request_id) == call.answer
        else:
            with pytest.raises(errors.FailedPrecondition) as caught:
                call.other(call.request_id)
            assert caught.value.reason == "REQUEST_ID_REUSED"

    @rule(who=WHO, place=PICKS)
    def get(self, who: str, place: int) -> None:
        memory_id = self.pick(place)
        self.alike(lambda: self.reference.get(who, memory_id), lambda: self.space[who].get(memory_id))

    @rule(who=WHO, place=PICKS)
    def revisions(self, who: str, place: int) -> None:
        memory_id = self.pick(place)
        if outcome(lambda: self.reference.visible(who, memory_id))[1]:
            with pytest.raises(errors.NotFound):
                self.space[who].revisions(memory_id).page()
            return
        found = list(self.space[who].revisions(memory_id, page_size=2))
        for revision, held in zip(found, reversed(self.reference.history[memory_id]), strict=True):
            assert (revision.action, revision.actor) == (held.action, held.actor)
            same(revision.memory, replace(held, uses=revision.memory.use_count))

    @rule(who=WHO, states=STATES, kind=KINDS | st.none(), user=USERS, tag=st.sampled_from(["", "茶", "O'Hara"]))
    def list_some(self, who: str, states: list[State], kind: Kind | None, user: str, tag: str) -> None:
        equal = {"kind": kind} if kind else {}
        wanted = self.reference.listed(who, states, **equal, **({"user_id": user} if user else {}))
        wanted = [held for held in wanted if not tag or tag in held.tags]
        found = self.space[who].list(
            page_size=3,
            states=states,
            kinds=[kind] if kind else [],
            user_ids=[user] if user else [],
            any_tags=[tag] if tag else [],
        )
        for memory, held in zip(found, wanted, strict=True):
            same(memory, held)

    @rule()
    def remember_the_moment(self) -> None:
        self.moments.append(Moment(datetime.now(UTC), tuple(self.reference.now())))

    @precondition(lambda self: self.moments)
    @rule(who=WHO, place=PICKS)
    def look_back(self, who: str, place: int) -> None:
        moment = self.moments[place % len(self.moments)]
        there = [held for held in moment.held if held.memory_id not in self.reference.erased]
        wanted = as_listed(there, who)
        found = self.space[who].list(as_of=moment.time, page_size=1000)
        assert [memory.memory_id for memory in found] == [held.memory_id for held in wanted]
        for memory, held in zip(found, wanted, strict=True):
            same(memory, replace(held, uses=memory.use_count))

    @rule(who=WHO, content=CONTENTS)
    def search(self, who: str, content: str) -> None:
        live = self.reference.listed(who)
        hits = self.space[who].search(content, top_k=100, ranking=RankingOptions(keep_near_duplicates=True))
        found = [hit.memory.memory_id for hit in hits]
        assert len(found) == len(set(found))
        assert set(found) <= {held.memory_id for held in live}
        text = replace(Held("", "", False, content, Kind.SEMANTIC)).place[0]
        assert {held.memory_id for held in live if held.place[0] == text} <= set(found)

    @rule(who=WHO)
    def figures(self, who: str) -> None:
        stats = self.space[who].stats()
        seen = [held for held in self.reference.now() if held.seen_by(who)]
        assert stats.total == sum(held.state == State.ACTIVE for held in seen)
        counted = {(each.kind, each.state): each.count for each in stats.counts}
        assert counted == Counter((held.kind, held.state) for held in seen)
        assert stats.content_bytes == sum(len(held.content.encode()) for held in seen)

    def teardown(self) -> None:
        for agent in AGENTS if hasattr(self, "space") else ():
            self.figures(agent)
            everything = self.space[agent].list(states=[State.ACTIVE, *HIDDEN, State.ARCHIVED], page_size=1000)
            wanted = self.reference.listed(agent, [State.ACTIVE, *HIDDEN, State.ARCHIVED])
            for memory, held in zip(everything, wanted, strict=True):
                same(memory, held)

    def alike(self, wanted: Callable[[], Any], done: Callable[[], Any]) -> Any:
        """Both give the same memory, the same ids, or the same refusal."""
        expectation, refusal = outcome(wanted)
        if refusal:
            with pytest.raises(errors.RecalldError) as caught:
                done()
            assert caught.value.reason == refusal
            return None
        answer = done()
        if isinstance(expectation, Held):
            same(answer, expectation)
        else:
            assert set(expectation) == set(getattr(answer, "memory_ids", answer))
        return answer

    def _revision(self, memory_id: str, stale: int | None) -> int | None:
        """The revision to expect: none, the right one, or a wrong one."""
        held = self.reference.history.get(memory_id)
        return None if stale is None else (held[-1].revision if held else 1) + stale

    def _etag(self, memory_id: str) -> str:
        held = self.reference.history.get(memory_id)
        return f'"{held[-1].revision if held else 1:x}-{memory_id.replace("-", "")[-8:]}"'


def outcome(wanted: Callable[[], Any]) -> tuple[Any, str]:
    """What the reference gives, or the reason why it refuses."""
    try:
        return wanted(), ""
    except Refused as refusal:
        return None, str(refusal)

"""Looking back: what is kept of sessions and memories, and what doing it again changes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from recalld import Client, Policy, ToolCall, TurnInput, errors
from recalld.enums import TurnRoleLike
from recalld.types.reflection import Reflection
from recalld_server.demo.process import Running

NOW = datetime.now(UTC)


def reflected(client: Client, **asked: object) -> Reflection:
    """A reflection that has ended."""
    return client.reflect(**asked).wait(timeout=30)  # type: ignore[arg-type]


def told(client: Client, session_id: str, *turns: tuple[TurnRoleLike, str], user_id: str = "") -> None:
    client.session(session_id, user_id=user_id).add_turns([TurnInput(content, role=role) for role, content in turns])


def contents(reflection: Reflection) -> list[str]:
    return [insight.content for insight in reflection.insights]


@pytest.mark.parametrize(
    ("turns", "kept"),
    [
        (
            [
                ("user", "Hi!"),
                ("user", "I prefer window seats, and I'm allergic to nuts."),
                ("assistant", "You love trains."),
            ],
            "I prefer window seats, and I'm allergic to nuts.",
        ),
        (
            [("user", "你好"), ("user", "我对花生过敏，请别放。"), ("assistant", "您喜欢坐火车。")],
            "我对花生过敏，请别放。",
        ),
    ],
)
def test_a_session_is_looked_back_on_and_a_second_look_changes_nothing(
    root: Client, turns: Sequence[tuple[TurnRoleLike, str]], kept: str
) -> None:
    told(root, "trip", *turns, user_id="mia")
    first = reflected(root, session_id="trip")
    assert first.state == "succeeded"
    assert contents(first) == [kept]
    [insight] = first.insights
    memory = root.get(insight.memory_id)
    assert (memory.content, memory.user_id, memory.session_id) == (kept, "mia", "trip")
    assert memory.source_ids == insight.source_ids
    assert first.counts["read"] == 3
    assert first.counts["created"] == 1
    [revision] = root.revisions(insight.memory_id)
    assert revision.action == "reflect"
    again = reflected(root, session_id="trip")
    assert again.insights == ()
    assert again.skipped["already_reflected"] == 3
    assert root.get(insight.memory_id) == memory
    assert root.stats().total == 1


def test_an_ended_session_is_looked_back_on_by_itself(root: Client) -> None:
    session = root.session("chat")
    session.add("I prefer tests that are written before the code.")
    reflection_id = session.end().reflection_id
    assert root.reflection(reflection_id).wait(timeout=30).counts["created"] == 1
    assert root.search("tests that are written first")[0].memory.session_id == "chat"


def test_small_talk_and_blank_turns_give_a_clear_nothing(root: Client) -> None:
    told(root, "talk", ("user", "hello"), ("assistant", "hi"), ("user", "好的，谢谢"), ("user", "👍"))
    nothing = reflected(root, session_id="talk")
    assert nothing.state == "succeeded"
    assert nothing.insights == ()
    assert {name: nothing.counts[name] for name in ("read", "created", "review", "failed")} == {
        "read": 4,
        "created": 0,
        "review": 0,
        "failed": 0,
    }


def test_what_is_not_there_is_not_found(root: Client) -> None:
    with pytest.raises(errors.NotFound):
        root.reflect(session_id="nobody")
    with pytest.raises(errors.NotFound):
        root.reflection("01890a5d-ac96-774b-bcce-b302099a8057").get()
    with pytest.raises(errors.NotFound):
        root.reflection("01890a5d-ac96-774b-bcce-b302099a8057").cancel()


def test_a_dry_run_says_and_stores_nothing(root: Client) -> None:
    told(root, "s", ("user", "I live in Turin."))
    dry = reflected(root, session_id="s", dry_run=True)
    assert contents(dry) == ["I live in Turin."]
    assert dry.insights[0].memory_id == ""
    assert dry.insights[0].outcome == "created"
    assert root.stats().total == 0
    assert reflected(root, session_id="s").counts["created"] == 1


def test_what_was_said_later_ends_what_was_known(root: Client) -> None:
    old = root.write("I live in Turin.", event_time=NOW - timedelta(days=9)).memory_id
    told(root, "move", ("user", "I live in Genoa."))
    result = reflected(root, session_id="move")
    assert result.counts["superseded"] == 1
    assert root.get(old).state == "superseded"
    assert root.get(old).superseded_by == result.insights[0].memory_id


def test_what_was_said_earlier_does_not_end_what_is_known_since(root: Client) -> None:
    session = root.session("old")
    session.add_turns([TurnInput("我住在上海。", event_time=NOW - timedelta(days=30))])
    known = root.write("我住在广州。").memory_id
    result = reflected(root, session_id="old")
    assert result.insights == ()
    assert result.skipped["older_than_known"] == 1
    assert root.get(known).state == "active"


def test_what_is_doubtful_waits_for_a_person_and_is_not_asked_twice(root: Client) -> None:
    told(root, "s", ("user", "Maybe I prefer the train."))
    result = reflected(root, session_id="s")
    [insight] = result.insights
    assert (insight.outcome, result.counts["review"]) == ("review", 1)
    assert insight.review_id
    assert root.get(insight.memory_id).state == "pending_review"
    assert not root.search("prefer the train")
    told(root, "t", ("user", "Maybe I prefer the train."))
    assert reflected(root, session_id="t").skipped["reviewed_before"] == 1


def test_saying_it_in_another_session_supports_what_is_known(root: Client) -> None:
    told(root, "a", ("user", "I prefer oolong tea."))
    told(root, "b", ("user", "I prefer oolong tea."))
    [first] = reflected(root, session_id="a").insights
    [second] = reflected(root, session_id="b").insights
    assert (second.outcome, second.memory_id) == ("merged", first.memory_id)
    memory = root.get(first.memory_id)
    assert set(memory.source_ids) == {*first.source_ids, *second.source_ids}


def test_people_are_kept_apart(root: Client) -> None:
    told(root, "a", ("user", "I prefer oolong tea."), user_id="ann")
    told(root, "b", ("user", "I prefer oolong tea."), user_id="bob")
    result = reflected(root)
    assert result.counts["created"] == 2
    assert {root.get(each.memory_id).user_id for each in result.insights} == {"ann", "bob"}
    assert reflected(root).counts["read"] == 0


def test_memories_are_looked_back_on_by_time_filter_and_since_the_last(root: Client) -> None:
    for day in range(3):
        root.write(
            f"The nightly import of region {day} came late", kind="episodic", event_time=NOW - timedelta(days=day)
        )
    root.write("An old walk by the sea", kind="episodic", event_time=NOW - timedelta(days=400))
    by_filter = reflected(root, kinds=["episodic"], dry_run=True)
    assert [each.category for each in by_filter.insights] == ["pattern"]
    in_time = reflected(root, time_range=(NOW - timedelta(days=7), None), dry_run=True)
    assert in_time.counts["read"] == 3
    since = reflected(root)
    assert since.counts["read"] == 4
    assert since.insights[0].support == 3


def test_similar_episodes_fold_into_one(root: Client) -> None:
    ids = [
        root.write(
            "每日备份在凌晨完成", kind="episodic", event_time=NOW - timedelta(days=day), session_id=str(day)
        ).memory_id
        for day in range(3)
    ]
    result = reflected(root, targets=["compress_episodes"])
    [abstract] = result.insights
    assert abstract.category == "abstract"
    assert {root.get(each).state for each in ids} == {"superseded"}
    assert {root.get(each).superseded_by for each in ids} == {abstract.memory_id}
    assert root.get(abstract.memory_id).kind == "episodic"


def test_what_is_stale_ends_and_what_is_not_stays(root: Client) -> None:
    stale = root.write("Saw a fox in the yard", kind="episodic", event_time=NOW - timedelta(days=90)).memory_id
    fresh = root.write("Saw a heron at the pond", kind="episodic").memory_id
    result = reflected(root, targets=["expire_stale"])
    assert result.counts["expired"] == 1
    assert [each.memory_id for each in root.list(states=["expired"])] == [stale]
    assert root.get(fresh).state == "active"


def test_a_failure_and_its_remedy_become_a_lesson(root: Client) -> None:
    session = root.session("build")
    session.add_turns(
        [
            TurnInput("Build it"),
            TurnInput(
                "", role="assistant", tool_calls=[ToolCall("make", status="error", arguments="make", error="no zlib.h")]
            ),
            TurnInput(
                "", role="assistant", tool_calls=[ToolCall("apt", status="ok", arguments="apt install zlib1g-dev")]
            ),
            TurnInput("", role="assistant", tool_calls=[ToolCall("make", status="ok", arguments="make")]),
        ]
    )
    [lesson] = reflected(root, session_id="build").insights
    assert lesson.category == "lesson"
    assert "zlib1g-dev" in lesson.content


def test_the_same_request_is_the_same_reflection_and_a_finished_one_stays_finished(root: Client) -> None:
    told(root, "s", ("user", "I live in Turin."))
    first = root.reflect(session_id="s", request_id="r1")
    assert root.reflect(session_id="s", request_id="r1").reflection_id == first.reflection_id
    with pytest.raises(errors.FailedPrecondition):
        root.reflect(request_id="r1")
    done = first.wait(timeout=30)
    assert first.cancel().state == done.state
    assert first.wait(timeout=30) == done


def test_whoever_may_not_reflect_is_told_so_and_may_read_on(running: Running, root: Client) -> None:
    told(root, "s", ("user", "I live in Turin."))
    done = reflected(root, session_id="s")
    namespace = done.namespace
    with Client(running.address, key=root.keys.create("rea", "reader").secret, namespace=namespace) as reader:
        with pytest.raises(errors.PermissionDenied):
            reader.reflect()
        with pytest.raises(errors.PermissionDenied):
            reader.reflection(done.reflection_id).cancel()
        assert reader.reflection(done.reflection_id).get() == done


def test_an_insight_is_as_private_as_its_strictest_source(root: Client) -> None:
    for day in range(3):
        root.write(
            f"Delivery {day} came late again",
            kind="episodic",
            visibility="private" if day else "shared",
            event_time=NOW - timedelta(days=day),
        )
    [insight] = reflected(root).insights
    assert root.get(insight.memory_id).visibility == "private"


def test_a_session_without_turns_or_with_blank_ones_gives_a_clear_nothing(root: Client) -> None:
    root.session("empty").set_variables({"step": 1})
    told(root, "blank", ("user", "  "), ("user", "\u3000\n"), ("assistant", "\u200b"))
    for session_id, turns in (("empty", 0), ("blank", 3)):
        nothing = reflected(root, session_id=session_id)
        assert (nothing.state, nothing.insights, nothing.counts["read"]) == ("succeeded", (), turns)
    assert root.stats().total == 0


def test_what_another_agent_keeps_to_itself_is_not_told(running: Running, root: Client) -> None:
    namespace = reflected(root).namespace
    with Client(running.address, key=root.keys.create("ann", "admin").secret, namespace=namespace) as ann:
        ann.write("I prefer green tea. I said so.", kind="episodic", visibility="private")
        mine = reflected(ann)
        assert [each.outcome for each in mine.insights] == ["created"]
        theirs = root.reflection(mine.reflection_id).get()
        assert (theirs.state, theirs.insights) == (mine.state, ())


@pytest.mark.parametrize("mode", ["forget", "erase"])
def test_what_was_derived_goes_with_its_source(root: Client, mode: str) -> None:
    source = root.write("我住在苏州。昨天下雨。", kind="episodic").memory_id
    done = reflected(root)
    [insight] = done.insights
    assert insight.source_ids == (source,)
    root.forget([source], mode=mode)  # type: ignore[arg-type]
    assert not root.search("苏州")
    if mode == "erase":
        with pytest.raises(errors.NotFound):
            root.get(insight.memory_id)
        assert root.reflection(done.reflection_id).get().insights == ()
    assert reflected(root).insights == ()


def test_an_approved_insight_is_found_and_a_rejected_one_does_not_come_back(root: Client) -> None:
    told(root, "s", ("user", "Maybe I prefer the train."), ("user", "Perhaps I live in Turin."))
    train, turin = reflected(root, session_id="s").insights
    root.resolve_review(train.review_id, "approve")
    root.resolve_review(turin.review_id, "reject")
    assert [hit.memory_id for hit in root.search("prefer the train")] == [train.memory_id]
    told(root, "t", ("user", "Perhaps I live in Turin."))
    assert reflected(root, session_id="t").skipped["reviewed_before"] == 1


@pytest.mark.parametrize("line", ["每天三点", "0 3 * *", "@daily", "0 3 31 2 *"])
def test_a_schedule_that_never_comes_true_is_refused(root: Client, line: str) -> None:
    with pytest.raises(errors.InvalidArgument) as caught:
        root.namespaces.create("scheduled/never", policy=Policy(reflection_schedule=line))
    assert [each.field for each in caught.value.fields] == ["policy.reflection_schedule"]

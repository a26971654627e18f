"""From what is said to what is stored."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from recalld_server.core.drafts import changed, identity, prepare
from recalld_server.errors import BlankContent, ContentTooLarge, InvalidField
from recalld_server.model import Draft, Kind, Memory, Scope, ToolCall, ToolStatus, Visibility

NOW = datetime(2026, 11, 30, 10, tzinfo=UTC)
SCOPE = Scope(uuid4(), uuid4(), "team", "planner")


def memory(draft: Draft, limit: int = 1000) -> Memory:
    return prepare(draft, SCOPE, default_visibility=Visibility.SHARED, limit=limit, now=NOW).memory


@pytest.mark.parametrize("text", ["", "   ", "\n\t", "\u3000\u3000", "\u200b", "\ufeff\u2060", "\x00\x01"])
def test_blank_text_is_refused(text: str) -> None:
    with pytest.raises(BlankContent) as caught:
        memory(Draft(text))
    assert caught.value.field == "memory.content"


@pytest.mark.parametrize("text", ["a" * 1001, "字" * 334])
def test_text_over_the_limit_is_refused_with_the_limit(text: str) -> None:
    with pytest.raises(ContentTooLarge) as caught:
        memory(Draft(text))
    assert caught.value.metadata["limit_bytes"] == "1000"


def test_the_agent_comes_from_the_scope_and_defaults_are_filled_in() -> None:
    stored = memory(Draft("Omar 喜欢茶"))
    assert stored.agent_id == "planner"
    assert stored.visibility is Visibility.SHARED
    assert stored.event_time == stored.valid_from == stored.create_time == NOW
    assert 0 < stored.importance < 1


def test_a_failed_tool_matters_more() -> None:
    text = "ran the build"
    failed = Draft(text, tool_calls=(ToolCall("npm", ToolStatus.ERROR),))
    assert memory(failed).importance > memory(Draft(text)).importance


def test_a_time_that_has_passed_is_no_expiry() -> None:
    with pytest.raises(InvalidField):
        memory(Draft("会议", expire_time=NOW - timedelta(seconds=1)))


def test_validity_does_not_end_before_it_begins() -> None:
    with pytest.raises(InvalidField):
        memory(Draft("a", valid_from=NOW, valid_until=NOW - timedelta(days=1)))


def test_an_update_changes_what_is_named_and_nothing_else() -> None:
    old = memory(Draft("Omar drinks tea", tags=("food",), metadata={"project": "p7", "rank": 3}))
    new = changed(old, {"content": "Omar 喝咖啡"}, limit=1000, now=NOW + timedelta(minutes=1))
    assert (new.content, new.tags, new.metadata) == ("Omar 喝咖啡", ("food",), {"project": "p7", "rank": 3})
    assert new.revision == old.revision + 1
    assert new.create_time == old.create_time


def test_a_validity_that_is_unset_begins_with_the_event() -> None:
    old = memory(Draft("林乔住在上海", event_time=NOW - timedelta(days=9), valid_from=NOW - timedelta(days=3)))
    assert changed(old, {"valid_from": None}, limit=1000, now=NOW).valid_from == old.event_time
    moved = {"valid_from": None, "event_time": NOW - timedelta(days=5)}
    assert changed(old, moved, limit=1000, now=NOW).valid_from == NOW - timedelta(days=5)


@pytest.mark.parametrize("name", ["agent_id", "namespace", "visibility", "state", "tenant_id", "revision"])
def test_an_update_cannot_touch_the_owner(name: str) -> None:
    with pytest.raises(InvalidField):
        changed(memory(Draft("a fact")), {name: "other"}, limit=1000, now=NOW)


def test_the_same_fact_is_the_same_whenever_it_is_said() -> None:
    said_twice = [memory(Draft("Omar 吃素", event_time=NOW - timedelta(days=days))) for days in (1, 2)]
    assert identity(said_twice[0]) == identity(said_twice[1])


def test_events_differ_by_time_speaker_and_session() -> None:
    base = Draft("谢谢", kind=Kind.EPISODIC, event_time=NOW - timedelta(days=1), session_id="s1", speaker="Lin")
    others = [
        replace(base, event_time=NOW - timedelta(days=2)),
        replace(base, speaker="Omar"),
        replace(base, session_id="s2"),
    ]
    assert all(identity(memory(other)) != identity(memory(base)) for other in others)
    assert identity(memory(base)) == identity(memory(replace(base)))


def test_events_without_a_time_of_their_own_are_the_same() -> None:
    assert identity(memory(Draft("The build failed", kind=Kind.EPISODIC))) == identity(
        memory(Draft("the build failed.", kind=Kind.EPISODIC))
    )

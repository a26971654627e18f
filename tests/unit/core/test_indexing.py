"""What of a memory is made findable, and how a turn leans on the one before it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from recalld_server.core import indexing
from recalld_server.core.indexing import Previous
from recalld_server.model import Kind, Memory, State, Visibility, new_id

NOW = datetime(2026, 3, 15, 12, tzinfo=UTC)
TEXT, CONTEXT = (np.array(each, np.float32) for each in ([1, 0, 0], [0.6, 0.8, 0]))


def turn(content: str, speaker: str = "Ann", minutes: int = 0) -> Memory:
    moment = NOW + timedelta(minutes=minutes)
    return Memory(
        memory_id=new_id(),
        namespace="space",
        content=content,
        kind=Kind.EPISODIC,
        state=State.ACTIVE,
        visibility=Visibility.SHARED,
        agent_id="ann",
        create_time=moment,
        update_time=moment,
        event_time=moment,
        revision=1,
        session_id="talk",
        speaker=speaker,
    )


@pytest.mark.parametrize("speaker", ["Bo", "Ann", "小明"])
def test_the_turn_before_may_be_anybodys(speaker: str) -> None:
    before = indexing.previous(turn("在三月 in March", minutes=59), turn("when? 什么时候?", speaker))
    assert before == Previous(speaker, "when? 什么时候?")


@pytest.mark.parametrize(
    "before", [None, turn("too long ago", minutes=-61), turn("a note of nobody", ""), turn("没人说的", "")]
)
def test_what_is_no_turn_of_the_same_talk_is_not_before(before: Memory | None) -> None:
    assert indexing.previous(turn("yes 是的"), before) is None


def test_a_note_of_nobody_has_no_turn_before() -> None:
    assert indexing.previous(turn("note 笔记", ""), turn("said")) is None


def test_views_that_disagree_make_a_shorter_vector() -> None:
    both = indexing.blend(TEXT, CONTEXT, 10)
    np.testing.assert_allclose(both, 0.3 * TEXT + 0.7 * CONTEXT, atol=1e-6)
    assert np.linalg.norm(indexing.blend(TEXT, -TEXT, 10)) < np.linalg.norm(both) < 1
    np.testing.assert_allclose(np.linalg.norm(indexing.blend(TEXT, TEXT, 10)), 1, atol=1e-6)


def test_a_long_turn_leans_less_on_the_one_before() -> None:
    np.testing.assert_allclose(indexing.blend(TEXT, CONTEXT, 50), 0.65 * TEXT + 0.35 * CONTEXT, atol=1e-6)
    assert indexing.blend(TEXT, None, 10) is TEXT


def test_the_vector_of_the_text_alone_is_kept_where_there_is_a_context() -> None:
    memory = replace(turn("yes 是的"), index_error="")
    whole = indexing.indexed(memory, b"", 20.0, TEXT, CONTEXT)
    assert whole.text_vector is TEXT
    assert whole.vector is not None
    assert not np.allclose(whole.vector, TEXT)
    alone = indexing.indexed(memory, b"", 20.0, TEXT, None)
    assert (alone.vector is TEXT, alone.text_vector) == (True, None)

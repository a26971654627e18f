"""What random lives are made of: texts that are strangers to each other, in several forms, with and without fields."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from tests.e2e.reference import Held

from recalld import ForgetMode, Kind, Memory, MemoryInput, Outcome, State

# Far apart for the embedder of these tests; forms of one text differ only in how they were typed.
TEXTS = (
    ("Alice is allergic to peanuts", "alice is  allergic to peanuts.", "ALICE is allergic to peanuts!"),
    ("林乔喝乌龙茶", "林乔喝乌龙茶。"),
    ("Deploys happen every Tuesday morning", "Deploys happen every\ttuesday morning"),
    ("王师傅保管门禁密码", " 王师傅保管门禁密码 "),
    ("Omar prefers window seats",),
    ("周五下午不开会", "周五下午不开会！"),
)
CONTENTS = st.sampled_from([form for forms in TEXTS for form in forms])
KINDS = st.sampled_from([Kind.SEMANTIC, Kind.EPISODIC, Kind.PROCEDURAL])
USERS = st.sampled_from(["", "林乔", "omar"])
TAGS = st.sets(st.sampled_from(["茶", "work", "O'Hara"])).map(lambda tags: tuple(sorted(tags)))
METADATA = st.dictionaries(st.sampled_from(["a.b", "类别", "rank"]), st.sampled_from([1, "1", True, None, [1, "x"]]))
MODES = st.sampled_from([ForgetMode.FORGET, ForgetMode.ARCHIVE, ForgetMode.ERASE])
PICKS = st.integers(0, 1_000_000)
"""Chooses among what there is."""
STATES = st.lists(st.sampled_from([State.ACTIVE, State.FORGOTTEN, State.ARCHIVED]), unique=True)


@st.composite
def drafts(draw: st.DrawFn) -> Held:
    return Held(
        "",
        "",
        draw(st.booleans()),
        draw(CONTENTS),
        draw(KINDS),
        draw(USERS),
        draw(TAGS),
        draw(METADATA),
        draw(st.sampled_from([0.1, 0.9])),
    )


@st.composite
def changes(draw: st.DrawFn) -> dict[str, Any]:
    fields = {
        "content": CONTENTS,
        "kind": KINDS,
        "user_id": USERS,
        "tags": TAGS,
        "metadata": METADATA,
        "importance": st.sampled_from([0.2, 0.8]),
    }
    names = draw(st.lists(st.sampled_from(sorted(fields)), min_size=1, max_size=2, unique=True))
    return {name: draw(fields[name]) for name in names}


def to_input(draft: Held) -> MemoryInput:
    return MemoryInput(
        draft.content,
        kind=draft.kind,
        visibility="private" if draft.private else "shared",
        user_id=draft.user_id or None,
        tags=draft.tags,
        metadata=draft.metadata,
        importance=draft.importance,
    )


def expected(twin: Held | None) -> tuple[Outcome, str]:
    return (Outcome.CREATED, "") if twin is None else (Outcome.DUPLICATE, twin.memory_id)


def same(memory: Memory, held: Held) -> None:
    told = Held(
        memory.memory_id,
        memory.agent_id,
        memory.visibility == "private",
        memory.content,
        memory.kind,
        memory.user_id,
        tuple(sorted(memory.tags)),
        memory.metadata,
        memory.importance,
        memory.state,
        memory.revision,
        held.action,
        held.actor,
        memory.use_count,
    )
    assert told == held
    assert {key: type(value) for key, value in memory.metadata.items()} == {
        key: type(value) for key, value in held.metadata.items()
    }

from __future__ import annotations

from dataclasses import fields
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from recalld.v1 import memory_pb2, memory_service_pb2
from recalld_server.errors import InvalidField
from recalld_server.model import (
    Draft,
    IndexState,
    Kind,
    Memory,
    Revision,
    State,
    ToolCall,
    ToolStatus,
    Visibility,
    utc_now,
)
from recalld_server.rpc.convert import changes, draft, memory, revision
from recalld_server.rpc.convert.values import to_timestamp

IDS = [UUID(int=0x01890A5DAC967000_8000000000000000 + n) for n in range(6)]
TIMES = [datetime(1969, 12, 31, 23, 59, 59, n + 1, UTC) for n in range(7)]
FULL = Memory(
    memory_id=IDS[0],
    namespace="team/a",
    content="我对花生过敏",
    kind=Kind.EPISODIC,
    state=State.SUPERSEDED,
    visibility=Visibility.PRIVATE,
    agent_id="ada",
    create_time=TIMES[0],
    update_time=TIMES[1],
    event_time=TIMES[2],
    revision=3,
    user_id="u",
    session_id="s",
    speaker="Maria",
    tags=("食物", "health"),
    entities=("花生",),
    tool_calls=(ToolCall("search", ToolStatus.TIMEOUT, "{}", "slow"), ToolCall("plain")),
    importance=0.25,
    confidence=0.75,
    metadata={"n": 1, "deep": {"x": [True, None]}},
    counterfactual="c",
    source_ids=(IDS[1],),
    superseded_by=IDS[2],
    supersedes=(IDS[3], IDS[4]),
    conflicts_with=(IDS[5],),
    expire_time=TIMES[3],
    valid_from=TIMES[4],
    valid_until=TIMES[5],
    use_count=9,
    last_use_time=TIMES[6],
    index_state=IndexState.FAILED,
    index_error="too long",
)


def test_every_field_of_a_memory_is_sent() -> None:
    message = memory(FULL)
    assert {field.name for field, _ in message.ListFields()} == {field.name for field in message.DESCRIPTOR.fields}
    assert {field.name for field in fields(Memory)} | {"etag"} == {field.name for field in message.DESCRIPTOR.fields}
    assert message.memory_id == str(IDS[0])
    assert message.content == "我对花生过敏"
    assert message.kind == memory_pb2.MEMORY_KIND_EPISODIC
    assert message.state == memory_pb2.MEMORY_STATE_SUPERSEDED
    assert message.visibility == memory_pb2.VISIBILITY_PRIVATE
    assert list(message.tags) == ["食物", "health"]
    assert message.tool_calls[0] == memory_pb2.ToolCall(
        tool="search", status=memory_pb2.TOOL_STATUS_TIMEOUT, arguments="{}", error="slow"
    )
    assert message.tool_calls[1] == memory_pb2.ToolCall(tool="plain")
    assert message.metadata.fields["deep"].struct_value.fields["x"].list_value.values[0].bool_value is True
    assert message.superseded_by == str(IDS[2])
    assert list(message.supersedes) == [str(IDS[3]), str(IDS[4])]
    assert message.etag == FULL.etag
    for name, moment in zip(
        ("create_time", "update_time", "event_time", "expire_time", "valid_from", "valid_until", "last_use_time"),
        TIMES,
        strict=True,
    ):
        assert getattr(message, name) == to_timestamp(moment), name


def test_what_is_empty_is_not_sent() -> None:
    plain = Memory(
        IDS[0], "n", "x", Kind.SEMANTIC, State.ACTIVE, Visibility.SHARED, "a", TIMES[0], TIMES[1], TIMES[2], 1
    )
    message = memory(plain)
    for name in ("metadata", "expire_time", "valid_from", "valid_until", "last_use_time"):
        assert not message.HasField(name)
    assert message.superseded_by == ""


def test_a_revision_is_sent_with_its_memory() -> None:
    message = revision(Revision(FULL, "update", "ada", "写错了", TIMES[6]))
    assert message.memory == memory(FULL)
    assert (message.action, message.actor, message.reason) == ("update", "ada", "写错了")
    assert message.create_time == to_timestamp(TIMES[6])


def test_a_draft_with_nothing_but_a_text_has_the_defaults() -> None:
    assert draft(memory_pb2.MemoryInput(content="I take my tea black")) == Draft("I take my tea black")


def test_a_draft_takes_every_field() -> None:
    message = memory_pb2.MemoryInput(
        content="我搬到上海了",
        kind=memory_pb2.MEMORY_KIND_EPISODIC,
        visibility=memory_pb2.VISIBILITY_PRIVATE,
        user_id="u",
        session_id="s",
        speaker="user",
        tags=["家"],
        entities=["上海"],
        tool_calls=[
            memory_pb2.ToolCall(tool="t", status=memory_pb2.TOOL_STATUS_ERROR, arguments="a\x00", error="e\x07")
        ],
        importance=0.0,
        confidence=0.5,
        counterfactual="c",
        source_ids=[str(IDS[1])],
        memory_id=str(IDS[0]),
        event_time=to_timestamp(TIMES[0]),
        expire_time=to_timestamp(TIMES[0]),
        valid_from=to_timestamp(TIMES[0]),
        valid_until=to_timestamp(TIMES[0]),
    )
    message.metadata.update({"a.b": 1})
    assert draft(message) == Draft(
        content="我搬到上海了",
        kind=Kind.EPISODIC,
        visibility=Visibility.PRIVATE,
        user_id="u",
        session_id="s",
        speaker="user",
        tags=("家",),
        entities=("上海",),
        tool_calls=(ToolCall("t", ToolStatus.ERROR, "a", "e"),),
        importance=0.0,
        confidence=0.5,
        metadata={"a.b": 1},
        counterfactual="c",
        source_ids=(IDS[1],),
        event_time=TIMES[0],
        expire_time=TIMES[0],
        valid_from=TIMES[0],
        valid_until=TIMES[0],
        memory_id=IDS[0],
    )


def test_a_lifetime_is_counted_from_now_and_zero_is_for_ever() -> None:
    before = utc_now()
    expire_time = draft(memory_pb2.MemoryInput(content="x", ttl_seconds=60)).expire_time
    assert expire_time is not None
    assert before + timedelta(seconds=60) <= expire_time <= utc_now() + timedelta(seconds=60)
    assert draft(memory_pb2.MemoryInput(content="x", ttl_seconds=0)).expire_time is None


def test_a_bad_time_in_a_draft_is_named() -> None:
    message = memory_pb2.MemoryInput(content="x")
    message.valid_until.seconds = 2**60
    with pytest.raises(InvalidField) as caught:
        draft(message)
    assert caught.value.field == "memory.valid_until.seconds"


def update(*paths: str, **values: object) -> memory_service_pb2.UpdateRequest:
    request = memory_service_pb2.UpdateRequest(memory=memory_service_pb2.MemoryUpdate(**values))  # type: ignore[arg-type]
    request.update_mask.paths.extend(paths)
    return request


def test_an_update_reads_the_fields_of_the_mask_and_no_others() -> None:
    request = update("tags", "importance", content="not read", tags=["一"], importance=0.0, confidence=0.9)
    assert changes(request) == {"tags": ("一",), "importance": 0.0}


def test_a_field_of_the_mask_that_is_unset_is_emptied() -> None:
    assert changes(update("expire_time", "user_id", "tool_calls", "metadata", "kind")) == {
        "expire_time": None,
        "user_id": "",
        "tool_calls": (),
        "metadata": {},
        "kind": Kind.SEMANTIC,
    }


def test_every_field_of_an_update_can_be_in_the_mask() -> None:
    names = [field.name for field in memory_service_pb2.MemoryUpdate.DESCRIPTOR.fields]
    assert set(changes(update(*names))) == set(names)


def test_single_keys_of_the_metadata_are_set_and_removed() -> None:
    request = update("metadata.a.b", "metadata.类别", "metadata.gone")
    request.memory.metadata.update({"a.b": 1, "类别": "茶", "not named": 2})
    assert changes(request) == {"metadata_keys": {"a.b": 1, "类别": "茶", "gone": ...}}


@pytest.mark.parametrize(
    ("paths", "field"),
    [
        ([], "update_mask"),
        (["content", "state"], "update_mask.paths[1]"),
        (["visibility"], "update_mask.paths[0]"),
        (["namespace"], "update_mask.paths[0]"),
        (["*"], "update_mask.paths[0]"),
        ([""], "update_mask.paths[0]"),
        (["metadata."], "update_mask.paths[0]"),
        (["metadata." + "k" * 129], "update_mask.paths[0]"),
        (["tags", "content.x"], "update_mask.paths[1]"),
    ],
)
def test_a_mask_that_names_what_cannot_change_is_refused(paths: list[str], field: str) -> None:
    with pytest.raises(InvalidField) as caught:
        changes(update(*paths))
    assert caught.value.field == field

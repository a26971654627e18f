"""What a retry gets is what the first call got."""

import json
from datetime import UTC, datetime
from uuid import uuid4

from recalld_server.core.answers import from_json, to_json
from recalld_server.core.lots import Answer
from recalld_server.core.types import Forgotten, Receipt
from recalld_server.model import Kind, Memory, Outcome, Related, State, ToolCall, Visibility, WriteResult

NOW = datetime(2026, 11, 30, 10, 0, 0, 123456, tzinfo=UTC)


def test_a_write_result_survives() -> None:
    result = WriteResult(Outcome.SUPERSEDED, uuid4(), (Related(uuid4(), 0.75),), "same_attribute_new_value", 0.5)
    assert from_json(Answer, json.loads(json.dumps(to_json(Answer, [result, "MEMORY_EXISTS", None])))) == [
        result,
        "MEMORY_EXISTS",
        None,
    ]


def test_a_memory_survives_to_the_microsecond_and_the_type() -> None:
    memory = Memory(
        memory_id=uuid4(),
        namespace="team",
        content="林乔搬到上海了 ```python\nprint(1)\n```",
        kind=Kind.EPISODIC,
        state=State.ACTIVE,
        visibility=Visibility.SHARED,
        agent_id="a",
        create_time=NOW,
        update_time=NOW,
        event_time=datetime(1931, 6, 7, 0, 0, 0, 250000, tzinfo=UTC),
        revision=1,
        tool_calls=(ToolCall("npm"),),
        metadata={"rank": 3, "ratio": 0.5, "flag": True, "nothing": None, "a.b": {"c": [1, "x"]}},
    )
    back = from_json(Memory, json.loads(json.dumps(to_json(Memory, memory))))
    assert back == memory
    assert isinstance(back.metadata["rank"], int)
    assert back.metadata["flag"] is True


def test_a_receipt_survives() -> None:
    forgotten = Forgotten(1, (uuid4(),), "", (), Receipt(uuid4(), NOW, (("memories", 1),)))
    assert from_json(Forgotten, json.loads(json.dumps(to_json(Forgotten, forgotten)))) == forgotten

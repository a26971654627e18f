"""What goes in and comes out: metadata, times, filters, shapes."""

import json
import math
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from google.protobuf.struct_pb2 import Struct
from hypothesis import given
from hypothesis import strategies as st

from recalld import Filter, Kind, Memory, MemoryInput, ToolCall, TurnRole, where
from recalld import enums as words
from recalld._convert.build import from_enum, to_enum
from recalld._convert.export import from_line, to_line
from recalld._convert.filters import from_filter, to_filter
from recalld._convert.memories import from_memory, to_memory_input
from recalld._convert.metadata import from_struct, to_struct
from recalld._convert.times import to_seconds, to_timestamp
from recalld._json import Json
from recalld._retry import RetryPolicy
from recalld.errors import InvalidArgument, QuotaExceeded, Unavailable
from recalld.types.namespaces import ExportRecord
from recalld.v1 import memory_pb2 as pb
from recalld.v1 import (
    memory_service_pb2,
    namespace_service_pb2,
    review_service_pb2,
    session_service_pb2,
    watch_service_pb2,
)

SAFE = 2**53 - 1
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-SAFE, SAFE)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]))
)
jsons = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=3)
    ),
    max_leaves=10,
)


@given(st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), jsons, max_size=4))
def test_metadata_comes_back_as_it_was_given(data: dict[str, Any]) -> None:
    struct = to_struct(data, "memory.metadata")
    assert struct is not None
    assert from_struct(Struct.FromString(struct.SerializeToString())) == data


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ({"a": math.nan}, "m.a"),
        ({"a": {"b": [1, math.inf]}}, "m.a.b[1]"),
        ({"键": [2**53]}, "m.键[0]"),
        ({"a": -(2**53)}, "m.a"),
        ({"a.b": (1, 2)}, 'm["a.b"]'),
        ({"a": {1, 2}}, "m.a"),
        ({"a": b"x"}, "m.a"),
        ({"a": datetime(2025, 1, 1)}, "m.a"),
        ({1: "x"}, "m"),
        ({"a": "\ud800"}, "m.a"),
        ({"\ud800": 1}, 'm["\\ud800"]'),
        ([1], "m"),
    ],
)
def test_metadata_that_cannot_be_kept_is_refused_by_its_path(value: Any, path: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        to_struct(value, "m")
    assert caught.value.fields[0].field == path
    assert str(caught.value).encode()


def test_metadata_that_holds_itself_is_refused() -> None:
    loop: dict[str, Any] = {}
    loop["loop"] = loop
    with pytest.raises(InvalidArgument, match="levels deep"):
        to_struct(loop, "m")
    deepest: Any = 1
    for _ in range(29):
        deepest = {"a": deepest}
    struct = to_struct(deepest, "m")
    assert struct is not None
    request = pb.MemoryInput.FromString(pb.MemoryInput(metadata=struct).SerializeToString())
    assert from_struct(request.metadata) == deepest


def test_integers_stay_integers() -> None:
    struct = to_struct({"n": SAFE, "f": 0.5, "flag": True}, "m")
    assert struct is not None
    assert json.dumps(from_struct(struct), sort_keys=True) == f'{{"f": 0.5, "flag": true, "n": {SAFE}}}'


@given(
    st.datetimes(
        min_value=datetime(1, 1, 2), max_value=datetime(9999, 12, 30), timezones=st.one_of(st.none(), st.timezones())
    )
)
def test_an_instant_stays_the_same(value: datetime) -> None:
    stamp = to_timestamp(value, "t")
    assert stamp is not None
    expected = value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    assert stamp.ToDatetime(tzinfo=UTC) == expected


def test_times_of_a_wrong_type_or_size_are_refused() -> None:
    for value in ("2025-01-01", 5, datetime(2025, 1, 1).date()):
        with pytest.raises(InvalidArgument):
            to_timestamp(value, "t")  # type: ignore[arg-type]
    with pytest.raises(InvalidArgument):
        to_timestamp(datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=8))), "t")


@pytest.mark.parametrize(
    ("given_", "seconds"), [(timedelta(milliseconds=1), 1), (90, 90), (1.2, 2), (timedelta(days=1), 86400)]
)
def test_a_life_is_rounded_up(given_: Any, seconds: int) -> None:
    assert to_seconds(given_, "ttl") == seconds


@pytest.mark.parametrize("given_", [0, -1, timedelta(0), math.nan, math.inf, "60", True])
def test_a_life_that_is_none_is_refused(given_: Any) -> None:
    with pytest.raises(InvalidArgument):
        to_seconds(given_, "ttl")


def test_every_word_of_the_contract_is_known() -> None:
    modules = (
        pb,
        memory_service_pb2,
        namespace_service_pb2,
        session_service_pb2,
        review_service_pb2,
        watch_service_pb2,
    )
    names = {"MemoryKind": "Kind", "MemoryState": "State", "WriteOutcome": "Outcome"}
    for module in modules:
        for name in module.DESCRIPTOR.enum_types_by_name:
            wrapper = getattr(module, name)
            if name == "MetadataOperator":
                continue
            kind = getattr(words, names.get(name, name))
            for number in wrapper.values()[1:]:
                word = from_enum(wrapper, kind, number)
                assert word != "unspecified", (name, number)
                assert to_enum(wrapper, kind, word.upper(), "f") == number
            assert from_enum(wrapper, kind, 99) == "unspecified"
            assert len(kind) == len(wrapper.values())


@pytest.mark.parametrize("word", ["", "unspecified", "Episodisch", 2, b"episodic"])
def test_other_words_are_refused(word: Any) -> None:
    with pytest.raises(InvalidArgument, match="kind: takes one of 'working'"):
        to_enum(pb.MemoryKind, Kind, word, "kind")


def test_a_filter_says_everything() -> None:
    filter = Filter(
        kinds=["episodic", Kind.SEMANTIC],
        all_tags="a",
        any_tags=["b", "c"],
        user_ids=("张三",),
        session_ids="s",
        agent_ids="g",
        any_entities="e",
        any_source_ids="01890a5d-ac96-774b-bcce-b302099a8057",
        states=["active", "superseded"],
        index_states="indexed",
        visibility="private",
        confidence=(0.5, None),
        importance=(None, 1),
        event_time=(datetime(2025, 1, 1), None),
        create_time=(None, datetime(2026, 1, 1, tzinfo=UTC)),
        metadata=[
            where("rank") > 9,
            where(("plan", "tier")) == "pro",
            where("a.b") != 1,
            where("n").in_([1, "1"]),
            where("x").exists(),
            where("y").missing(),
            where("z").is_null(),
            where("list").contains("三"),
            where("low") <= 1,
            where("less") < 1,
            where("most") >= 1,
        ],
    )
    message = to_filter(filter)
    assert message is not None
    assert all(
        descriptor.name in {field.name for field, _ in message.ListFields()}
        for descriptor in pb.Filter.DESCRIPTOR.fields
    )
    assert [list(each.path) for each in message.metadata][:3] == [["rank"], ["plan", "tier"], ["a.b"]]
    assert [each.operator for each in message.metadata] == [5, 1, 2, 7, 8, 9, 10, 11, 4, 3, 6]
    assert message.metadata[3].HasField("values")
    assert not message.metadata[3].HasField("value")
    assert not message.metadata[4].HasField("value")
    again = to_filter(from_filter(message))
    assert again == message


def test_a_value_that_stands_alone_is_one_value_and_no_list_of_its_letters() -> None:
    values: list[Json] = ["k7", "名字", 7, True, {"k": "v"}]
    for value in values:
        message = to_filter(Filter(metadata=where("name").in_(value)))
        assert message is not None
        assert message.metadata[0] == to_filter(Filter(metadata=where("name").in_([value]))).metadata[0]  # type: ignore[union-attr]
    assert where("name").in_({"a"}) == where("name").in_(["a"])


def test_filters_that_say_nothing_or_nonsense_are_refused() -> None:
    with pytest.raises(InvalidArgument, match="is_null"):
        where("x") == None  # noqa: B015, E711
    with pytest.raises(InvalidArgument, match="is_null"):
        where("x") > None  # type: ignore[operator]  # noqa: B015
    with pytest.raises(TypeError, match="neither true nor false"):
        bool(1 < where("x") < 5)
    for filter in (Filter(metadata="rank > 9"), Filter(event_time=datetime(2025, 1, 1)), Filter(confidence=0.5)):  # type: ignore[arg-type]
        with pytest.raises(InvalidArgument, match=r"^filter\."):
            to_filter(filter)


def test_every_field_of_an_input_is_sent() -> None:
    now = datetime(2025, 3, 1, tzinfo=UTC)
    memory = MemoryInput(
        "Alice 搬到了上海",
        kind="episodic",
        visibility="private",
        user_id="u",
        session_id="s",
        speaker="Alice",
        tags=["a"],
        entities=["Alice"],
        tool_calls=[ToolCall("search", "timeout", "q=1", "late")],
        importance=0.0,
        confidence=0.5,
        metadata={"a": 1},
        counterfactual="c",
        source_ids=["i"],
        event_time=now,
        ttl=60,
        valid_from=now,
        valid_until=now,
        memory_id="m",
    )
    message = to_memory_input(memory)
    sent = {field.name for field, _ in message.ListFields()}
    assert sent == {field.name for field in pb.MemoryInput.DESCRIPTOR.fields} - {"expire_time"}
    assert message.HasField("importance")
    with pytest.raises(InvalidArgument, match="not both"):
        to_memory_input(MemoryInput("x", ttl=5, expire_time=now))


def full_memory() -> Memory:
    message = pb.Memory(
        memory_id="m",
        content="很长的内容 " * 100,
        kind=pb.MEMORY_KIND_EPISODIC,
        state=pb.MEMORY_STATE_ACTIVE,
        visibility=pb.VISIBILITY_SHARED,
        revision=3,
        index_state=pb.INDEX_STATE_INDEXED,
    )
    message.metadata.update({"a": [1, None, {"b": "c"}]})
    message.tool_calls.add(tool="t")
    message.event_time.FromJsonString("2025-03-01T00:00:00.123456Z")
    return from_memory(message)


def test_an_export_line_comes_back() -> None:
    record = ExportRecord(full_memory(), vector=(0.5, -0.25), embedding_model="m")
    line = to_line(record)
    assert "\n" not in line
    assert "很长的内容" in line
    assert from_line(line) == record
    with pytest.raises(InvalidArgument) as caught:
        from_line('{"memory": {"content": "secret"')
    assert "secret" not in str(caught.value)


def test_shapes_are_short_to_look_at_and_whole_inside() -> None:
    memory = full_memory()
    assert len(repr(memory)) < 160
    assert str(memory) == memory.content == "很长的内容 " * 100
    assert memory.event_time == datetime(2025, 3, 1, 0, 0, 0, 123456, UTC)
    assert hash(memory) == hash(full_memory())
    assert memory == full_memory()
    assert memory.kind == "episodic"
    assert str(TurnRole.USER) == "user"


@given(st.integers(1, 10**6), st.integers(2, 10), st.floats(0, 10), st.floats(0.001, 60))
def test_waits_stay_in_their_bounds(failures: int, attempts: int, asked: float, remaining: float) -> None:
    policy = RetryPolicy(attempts=attempts)
    wait = policy.delay(Unavailable("x", retry_after=asked), failures, remaining)
    if failures >= attempts:
        assert wait is None
    elif wait is not None:
        assert asked <= wait < remaining
        assert wait <= max(asked, policy.maximum)
    assert policy.delay(QuotaExceeded("x"), 1, None) is None

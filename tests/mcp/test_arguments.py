"""Arguments as models send them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld_mcp.arguments import ArgumentError, read_arguments

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "query": {"type": "string"},
        "limit": {"type": "integer", "minimum": 1, "maximum": 100},
        "min_score": {"type": "number", "minimum": 0, "maximum": 1},
        "explain": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 3},
        "metadata": {"type": "object", "additionalProperties": True},
        "mode": {"type": "string", "enum": ["forget", "erase"]},
        "turns": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"content": {"type": "string"}, "role": {"type": "string", "enum": ["user"]}},
                "required": ["content"],
            },
        },
    },
    "required": ["query"],
}


def read(**arguments: Any) -> dict[str, Any]:
    read = read_arguments(SCHEMA, {"query": "q", **arguments})
    assert read.pop("query") == "q"
    return read


@pytest.mark.parametrize(
    ("name", "sent", "meant"),
    [
        ("limit", 50, 50),
        ("limit", "50", 50),
        ("limit", 50.0, 50),
        ("min_score", "0.3", 0.3),
        ("min_score", 1, 1),
        ("explain", "true", True),
        ("explain", "False", False),
        ("tags", '["家", "a"]', ["家", "a"]),
        ("tags", [], []),
        ("metadata", '{"a": {"b": 1}}', {"a": {"b": 1}}),
        ("mode", "ERASE", "erase"),
        ("turns", '[{"content": "你好", "role": null}]', [{"content": "你好"}]),
        ("turns", ['{"content": "hi"}'], [{"content": "hi"}]),
    ],
)
def test_other_forms_of_the_same_meaning_are_read(name: str, sent: Any, meant: Any) -> None:
    found = read(**{name: sent})[name]
    assert found == meant
    assert type(found) is type(meant)


@pytest.mark.parametrize(
    ("name", "sent", "said"),
    [
        ("limit", " 50 ", "limit: takes a whole number, not a text"),
        ("limit", "5.0", "limit: takes a whole number, not a text"),
        ("limit", "1e3", "limit: takes a whole number, not a text"),
        ("limit", "", "limit: takes a whole number, not an empty text"),
        ("limit", "ten", "limit: takes a whole number, not a text"),
        ("limit", "５０", "limit: takes a whole number, not a text"),
        ("limit", True, "limit: takes a whole number, not a boolean"),
        ("limit", 5.5, "limit: takes a whole number, not a number"),
        ("limit", [5], "limit: takes a whole number, not a list"),
        ("limit", float("nan"), "limit: takes a whole number"),
        ("limit", 0, "limit: takes 1 to 100"),
        ("limit", "101", "limit: takes 1 to 100"),
        ("min_score", "nan", "min_score: takes a number, not a text"),
        ("min_score", float("nan"), "min_score: takes 0 to 1"),
        ("min_score", True, "min_score: takes a number, not a boolean"),
        ("explain", 1, "explain: takes true or false, not a number"),
        ("explain", "yes", "explain: takes true or false, not a text"),
        ("tags", "a,b", "tags: takes a list, or a text that holds one as JSON"),
        ("tags", '{"a": 1}', "tags: takes a list, not an object"),
        ("tags", ["a", 1], "tags[1]: takes a text, not a number"),
        ("tags", ["a", None], "tags[1]: takes a text, not null"),
        ("tags", ["a"] * 4, "tags: takes at most 3 items, not 4"),
        ("metadata", "[1]", "metadata: takes an object, not a list"),
        ("mode", "delete", "mode: takes one of forget, erase"),
        ("query", 5, "query: takes a text, not a number"),
        ("query", " \t", "query: is blank"),
        ("query", None, "query: is required and takes a text"),
        ("turns", [{"role": "user"}], "turns[0].content: is required"),
        (
            "turns",
            [{"content": "x", "roel": "user"}],
            "turns[0].roel: is not an argument of this tool; did you mean role?",
        ),
    ],
)
def test_what_would_change_the_meaning_is_refused_by_name(name: str, sent: Any, said: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        read(**{name: sent})
    assert said in str(caught.value)


def test_null_is_absent() -> None:
    assert read(limit=None, tags=None, metadata=None, mode=None) == {}


def test_an_unknown_argument_is_refused_with_the_one_that_was_meant() -> None:
    with pytest.raises(ArgumentError, match=r"limti: is not an argument of this tool; did you mean limit\?"):
        read(limti=5)
    with pytest.raises(ArgumentError, match="ns: is not an argument of this tool; known are query, limit"):
        read(ns=None)


def test_every_problem_is_told_at_once_and_no_value_is_repeated() -> None:
    with pytest.raises(ArgumentError) as caught:
        read_arguments(SCHEMA, {"limit": "secret words", "tags": "机密", "mode": "hush"})
    lines = str(caught.value).splitlines()
    assert len(lines) == 4
    assert not any(word in str(caught.value) for word in ("secret", "机密", "hush"))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from([*SCHEMA["properties"], "other"]), JSON))
def test_whatever_is_sent_is_read_or_refused(sent: dict[str, Any]) -> None:
    try:
        found = read_arguments(SCHEMA, sent)
    except ArgumentError:
        return
    assert found.keys() <= SCHEMA["properties"].keys()
    assert None not in found.values()
    assert read_arguments(SCHEMA, found) == found


@given(st.integers(1, 100))
def test_numbers_survive_every_form(number: int) -> None:
    assert read(limit=number) == read(limit=str(number)) == read(limit=float(number)) == {"limit": number}


@given(st.lists(st.text(min_size=1).filter(str.strip), max_size=3))
def test_lists_survive_as_json(tags: list[str]) -> None:
    assert read(tags=json.dumps(tags)) == read(tags=tags) == {"tags": tags}

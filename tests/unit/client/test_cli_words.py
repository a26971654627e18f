"""What the command line reads of a word that is typed: comparisons, lengths of time; and values as it writes them."""

import json
from datetime import timedelta

import pytest
import typer

import recalld
from recalld.cli import parse
from recalld.cli.output import plain


def test_conditions() -> None:
    typed = ["rank>=9", 'tier="pro"', "a.b!=1", '["plan","tier"]=pro', "list~花", "key", "!key", "x=null"]
    assert [(each.path, each.operator, each.value) for each in parse.conditions(typed)] == [
        (("rank",), "ge", 9),
        (("tier",), "eq", "pro"),
        (("a.b",), "ne", 1),
        (("plan", "tier"), "eq", "pro"),
        (("list",), "contains", "花"),
        (("key",), "exists", None),
        (("key",), "missing", None),
        (("x",), "is_null", None),
    ]


@pytest.mark.parametrize("typed", ["rank>>5", "rank=>5", "level<>3", "名===x"])
def test_a_comparison_that_is_none_is_not_a_value(typed: str) -> None:
    with pytest.raises(typer.BadParameter, match="two comparisons"):
        parse.conditions([typed])
    assert parse.conditions(['sign=">5"'])[0].value == ">5"


def test_plain_values_are_json() -> None:
    assert json.dumps(plain(recalld.Policy(reflect_every_turns=3)))
    assert plain(recalld.TimeRange()) == {"start": None, "end": None}


def test_a_length_of_time_is_read_or_refused() -> None:
    assert parse.duration("2w") == timedelta(weeks=2)
    assert parse.duration(None) is parse.duration("0") is None  # never
    for text in ("-1", "-1s", "1", "soon", "很久", "99999999999999", "999999999w"):
        with pytest.raises(typer.BadParameter, match=r"length of time|longer than the calendar"):
            parse.duration(text)

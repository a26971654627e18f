"""The client's tokens: never older than what it knows, whatever came in which order."""

from __future__ import annotations

from typing import Any

import grpc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld import errors
from recalld._freshness import ANY, HEADER, NOW, Freshness
from recalld.v1 import memory_service_pb2 as ms

from .conftest import Double, done


def token(position: int) -> str:
    return f"{position:016x}"


@given(st.lists(st.integers(0, 2**64 - 1), min_size=1))
def test_the_greatest_token_counts_in_whatever_order_they_come(positions: list[int]) -> None:
    known = Freshness()
    for position in positions:
        known.note(known.begin(), [(HEADER, token(position))])
    assert known.token == token(max(positions))


def test_what_was_missed_is_asked_for_until_a_later_call_tells() -> None:
    known = Freshness()
    # what was there before it began
    assert known.token == NOW
    known.note(known.begin(), [(HEADER, token(3))])
    before = known.begin()
    known.miss()
    assert known.token == NOW
    # that call began before, so it need not know
    known.note(before, [(HEADER, token(5))])
    assert known.token == NOW
    known.note(known.begin(), [(HEADER, token(7))])
    assert known.token == token(7)


def test_where_no_standby_answers_nothing_is_asked_for_twice() -> None:
    known = Freshness()
    known.miss()
    known.note(known.begin(), [("other", "x"), ("binary-bin", b"\0")])
    assert known.token == ANY
    known.note(known.begin(), None)
    assert known.token == ANY


def test_a_server_that_could_not_tell_is_asked_again() -> None:
    known = Freshness()
    known.note(known.begin(), [(HEADER, NOW)])
    assert known.token == NOW


def test_what_another_client_knows_is_taken_over() -> None:
    known, other = Freshness(), Freshness()
    known.note(known.begin(), [(HEADER, token(9))])
    other.note(other.begin(), [(HEADER, token(2))])
    other.at_least(known.token)
    other.at_least(token(3))
    assert other.token == token(9)
    other.at_least(NOW)
    assert other.token == NOW


async def test_reads_repeat_what_calls_tell(client: Any, double: Double) -> None:
    async def told(call: Any, context: grpc.aio.ServicerContext[Any, Any]) -> Any:
        context.set_trailing_metadata(((HEADER, token(258)),))
        return ms.WriteResponse()

    async def refused(call: Any, context: grpc.aio.ServicerContext[Any, Any]) -> Any:
        await context.abort(grpc.StatusCode.FAILED_PRECONDITION, "no")

    double.on("Write", told)
    for text in ("first 最先", "where no standby answers 没有备库"):
        await done(client.search(text))
    await done(client.write("a fact 事实"))
    await done(client.search("behind 之后"))
    assert [call.metadata[HEADER] for call in double.of("Search")] == [NOW, ANY, token(258)]
    double.on("Write", refused)
    with pytest.raises(errors.FailedPrecondition):
        await done(client.write("refused 被拒绝"))
    await done(client.search("after a failure 失败之后"))
    assert double.of("Search")[-1].metadata[HEADER] == NOW

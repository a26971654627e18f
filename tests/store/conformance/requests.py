"""Requests by their id: handled once, answered as often as they are asked."""

from __future__ import annotations

import asyncio

import pytest
from tests.store.things import Backend, as_agent, draft, listed, make_scope

from recalld_server.errors import RequestIdReused
from recalld_server.model import Request, Scope
from recalld_server.store.base import AnswerKnown

REQUEST = Request("Write", "请求-1", b"fingerprint")


class Requests:
    async def test_a_retry_gets_the_first_answer(self, store: Backend, scope: Scope) -> None:
        assert await store.known_answer(scope, REQUEST) is None
        async with store.unit(scope, REQUEST) as unit:
            await unit.insert(scope, [draft(scope, "一次 once")], actor="ann")
            await unit.remember_answer({"answer": {"id": 9007199254740993, "文": "好"}})
        with pytest.raises(AnswerKnown) as known:
            async with store.unit(scope, REQUEST):
                raise AssertionError("handled twice")
        assert known.value.answer == {"answer": {"id": 9007199254740993, "文": "好"}}
        assert await store.known_answer(scope, REQUEST) == known.value.answer

    async def test_another_body_under_the_same_id_is_refused(self, store: Backend, scope: Scope) -> None:
        async with store.unit(scope, REQUEST) as unit:
            await unit.remember_answer({})
        other = Request(REQUEST.method, REQUEST.request_id, b"other")
        with pytest.raises(RequestIdReused):
            await store.known_answer(scope, other)
        with pytest.raises(RequestIdReused):
            async with store.unit(scope, other):
                raise AssertionError("handled")

    async def test_ids_are_apart_by_method_agent_and_tenant(self, store: Backend, scope: Scope) -> None:
        elsewhere = await make_scope(store, tenant="other")
        for place, request in (
            (scope, REQUEST),
            (scope, Request("Update", REQUEST.request_id, b"u")),
            (as_agent(scope, "bob"), REQUEST),
            (elsewhere, REQUEST),
        ):
            assert await store.known_answer(place, request) is None
            async with store.unit(place, request) as unit:
                await unit.remember_answer({"answer": 1})

    async def test_an_error_leaves_the_id_free(self, store: Backend, scope: Scope) -> None:
        with pytest.raises(RuntimeError):
            async with store.unit(scope, REQUEST):
                raise RuntimeError
        async with store.unit(scope, REQUEST) as unit:
            await unit.remember_answer({"answer": 2})
        assert await store.known_answer(scope, REQUEST) == {"answer": 2}

    async def test_of_many_at_once_one_is_handled(self, store: Backend, scope: Scope) -> None:
        handled = 0

        async def one(number: int) -> object:
            nonlocal handled
            try:
                async with store.unit(scope, REQUEST) as unit:
                    handled += 1
                    await unit.insert(scope, [draft(scope, f"内容 {number}")], actor="ann")
                    await unit.remember_answer({"answer": number})
                    return number
            except AnswerKnown as known:
                return known.answer["answer"]

        answers = await asyncio.gather(*(one(number) for number in range(8)))
        assert handled == 1
        assert len(set(answers)) == 1
        assert len(await listed(store, scope)) == 1

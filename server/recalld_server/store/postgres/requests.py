"""Requests by their id: the first answer is kept, and given again."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast
from uuid import UUID

from recalld_server.errors import RequestIdReused
from recalld_server.model import Json, Request, Scope
from recalld_server.store.base import AnswerKnown, KnownAnswer
from recalld_server.store.postgres.queries import load
from recalld_server.store.postgres.rows import to_json
from recalld_server.store.postgres.transaction import Row, Transaction

SQL = load("requests.sql")


@dataclass(frozen=True, slots=True)
class Claim:
    """A request within its tenant and agent."""

    tenant_id: UUID
    agent_id: str
    request: Request

    @property
    def key(self) -> tuple[UUID, str, str, str]:
        return self.tenant_id, self.agent_id, self.request.method, self.request.request_id


def request_key(agent_id: str, request: Request) -> list[str]:
    """What a revision keeps, so that erasing a memory erases the answer as well."""
    return [agent_id, request.method, request.request_id]


async def known_answer(transaction: Transaction, claim: Claim) -> Mapping[str, Json] | None:
    """The stored answer. Raises RequestIdReused."""
    row = await transaction.row(SQL["find"], *claim.key)
    return None if row is None else _answer(row, claim.request)


async def take(transaction: Transaction, tenant_id: UUID, agent_id: str, request: Request | None) -> Claim | None:
    """Makes the request this transaction's; None: it has no id. Waits for another one that handles it; raises AnswerKnown,
    RequestIdReused."""
    if request is None:
        return None
    claim = Claim(tenant_id, agent_id, request)
    if await transaction.value(SQL["claim"], *claim.key, request.fingerprint):
        return claim
    row = await transaction.row(SQL["find"], *claim.key)
    assert row is not None, "the row that was in the way is held by this transaction's lock"
    raise AnswerKnown(_answer(row, request) or {})


async def remember(transaction: Transaction, claim: Claim | None, answer: Mapping[str, Json]) -> None:
    """Stores the answer that a retry gets."""
    if claim is not None:
        await transaction.row(SQL["answer"], *claim.key, to_json(answer))


async def withdraw(transaction: Transaction, claim: Claim | None) -> None:
    """Gives a request back that did nothing, so that a retry is judged anew and not taken for answered."""
    if claim is not None:
        await transaction.row(SQL["withdraw"], *claim.key)


Known = Mapping[str, Mapping[str, Json] | RequestIdReused]
"""By request_id, what was answered."""


async def known_answers(transaction: Transaction, scope: Scope, named: Sequence[Request]) -> Known:
    """See View.known_answers."""
    known: dict[str, Mapping[str, Json] | RequestIdReused] = {}
    for method, own in _by_method(named).items():
        rows = await transaction.fetch(SQL["find_all"], scope.tenant_id, scope.agent_id, method, list(own))
        for row in rows:
            name = row["request_id"]
            try:
                answer = _answer(row, own[name])
            except RequestIdReused as error:
                known[name] = error
            else:
                if answer is not None:
                    known[name] = answer
    return known


async def asked_answers(transaction: Transaction, scope: Scope, asked: Sequence[Request]) -> list[KnownAnswer]:
    """See Store.known_answers."""
    stored: dict[tuple[str, str], Row] = {}
    for method, own in _by_method(asked).items():
        rows = await transaction.fetch(SQL["find_all"], scope.tenant_id, scope.agent_id, method, list(own))
        stored.update({(method, row["request_id"]): row for row in rows})
    return [_known(stored.get((request.method, request.request_id)), request) for request in asked]


def _known(row: Row | None, request: Request) -> KnownAnswer:
    try:
        return None if row is None else _answer(row, request)
    except RequestIdReused as error:
        return error


async def claim_all(transaction: Transaction, scope: Scope, named: Sequence[Request]) -> Known:
    """See Unit.claim."""
    before: list[Request] = []
    for method, own in _by_method(named).items():
        names, prints = list(own), [each.fingerprint for each in own.values()]
        rows = await transaction.fetch(SQL["claim_all"], scope.tenant_id, scope.agent_id, method, names, prints)
        taken = {row["request_id"] for row in rows}
        before += [request for name, request in own.items() if name not in taken]
    return await known_answers(transaction, scope, before) if before else {}


async def remember_all(transaction: Transaction, scope: Scope, answers: Mapping[Request, Mapping[str, Json]]) -> None:
    """See Unit.remember_answers."""
    for method, own in _by_method(list(answers)).items():
        texts = [to_json(answers[request]) for request in own.values()]
        await transaction.row(SQL["answer_all"], scope.tenant_id, scope.agent_id, method, list(own), texts)


async def claim_answered(transaction: Transaction, scope: Scope, answers: Mapping[Request, Mapping[str, Json]]) -> None:
    """See Unit.claim_answered."""
    rows = await transaction.fetch(
        SQL["claim_answered"],
        scope.tenant_id,
        scope.agent_id,
        [request.method for request in answers],
        [request.request_id for request in answers],
        [request.fingerprint for request in answers],
        [to_json(answer) for answer in answers.values()],
    )
    taken = {(row["method"], row["request_id"]) for row in rows}
    for request in answers:
        if (request.method, request.request_id) not in taken:
            row = await transaction.row(SQL["find"], *Claim(scope.tenant_id, scope.agent_id, request).key)
            raise AnswerKnown((_answer(row, request) if row else None) or {})


def _by_method(named: Sequence[Request]) -> dict[str, dict[str, Request]]:
    result: dict[str, dict[str, Request]] = {}
    for request in named:
        result.setdefault(request.method, {})[request.request_id] = request
    return result


def _answer(row: Row, request: Request) -> Mapping[str, Json] | None:
    if row["fingerprint"] != request.fingerprint:
        raise RequestIdReused
    return None if row["answer"] is None else cast("Mapping[str, Json]", json.loads(row["answer"]))

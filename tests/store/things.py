"""What the tests of the store write: memories with true lexical forms and deterministic vectors."""

from __future__ import annotations

import hashlib
import itertools
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol
from uuid import UUID

import numpy as np

from recalld_server.model import Filter, Kind, Memory, Namespace, Policy, Scope, State, Visibility, new_id
from recalld_server.store.base import (
    Directory,
    IndexJobs,
    Lexical,
    NewMemory,
    OverdueReviews,
    ReflectionJobs,
    ReflectionSchedules,
    SearchRecords,
    SessionJobs,
    Store,
    Vector,
)
from recalld_server.text.clean import content_hash
from recalld_server.text.lexical import lexical_document
from recalld_server.text.tokens import term_id, tokens

DIMENSIONS = 32
MODEL = "test-model"
EVERYTHING = Filter(states=tuple(State))
START = datetime(2025, 3, 1, 12, 0, tzinfo=UTC)

_clock = itertools.count()


class Backend(Store, Directory, SearchRecords, OverdueReviews, Protocol):
    """What is tested."""

    def index_jobs(self) -> IndexJobs: ...

    def session_jobs(self) -> SessionJobs: ...

    def reflection_jobs(self) -> ReflectionJobs: ...

    def reflection_schedules(self) -> ReflectionSchedules: ...


def vector(seed: object) -> Vector:
    """A random unit vector, the same for the same seed."""
    digest = hashlib.sha256(str(seed).encode()).digest()
    values = np.random.default_rng(int.from_bytes(digest[:8])).normal(size=DIMENSIONS).astype(np.float32)
    return np.asarray(values / np.linalg.norm(values), np.float32)


def turned(base: Vector, cosine: float, seed: object = "turn") -> Vector:
    """A unit vector at this cosine from another."""
    aside = vector(seed)
    aside = aside - float(aside @ base) * base
    aside /= np.linalg.norm(aside)
    return np.asarray(cosine * base + np.sqrt(1 - cosine**2) * aside, np.float32)


def lexical(text: str) -> Lexical:
    document = lexical_document(text, average_length=20.0)
    return Lexical(document.terms, document.weights, document.length)


def query_terms(text: str) -> dict[int, float]:
    """Query weights, one for each token."""
    return {term_id(token): 1.0 for token in tokens(text)}


def draft(scope: Scope, text: str, *, embedding: Vector | None = None, **fields: Any) -> NewMemory:
    """A memory of the scope's agent, each a second younger than the one before."""
    moment = START + timedelta(seconds=next(_clock))
    memory = Memory(
        memory_id=new_id(),
        namespace=scope.namespace,
        content=text,
        kind=Kind.SEMANTIC,
        state=State.ACTIVE,
        visibility=Visibility.SHARED,
        agent_id=scope.agent_id,
        create_time=moment,
        update_time=moment,
        event_time=moment,
        revision=1,
    )
    memory = replace(memory, **fields)
    return NewMemory(memory, content_hash(text), lexical(text), vector(text) if embedding is None else embedding)


async def write(store: Backend, scope: Scope, *news: NewMemory) -> tuple[Memory, ...]:
    async with store.unit(scope) as unit:
        return await unit.insert(scope, news, actor=scope.agent_id)


async def write_texts(store: Backend, scope: Scope, *texts: str, **fields: Any) -> list[UUID]:
    stored = await write(store, scope, *(draft(scope, text, **fields) for text in texts))
    return [memory.memory_id for memory in stored]


async def read(store: Backend, scope: Scope, memory_id: UUID) -> Memory | None:
    async with store.view([scope]) as view:
        return (await view.get(scope, [memory_id])).get(memory_id)


async def listed(store: Backend, scope: Scope, filter: Filter | None = None, **more: Any) -> list[UUID]:
    async with store.view([scope]) as view:
        return [m.memory_id for m in await view.list(scope, filter or Filter(), limit=1000, **more)]


async def make_scope(store: Backend, name: str = "space", *, tenant: str = "acme", agent: str = "ann") -> Scope:
    tenant_id = await store.ensure_tenant(tenant)
    namespace: Namespace | None = await store.get_namespace(tenant_id, name)
    if namespace is None:
        namespace = await store.create_namespace(tenant_id, name, description="", policy=Policy())
    return Scope(tenant_id, namespace.namespace_id, name, agent)


def as_agent(scope: Scope, agent: str) -> Scope:
    return replace(scope, agent_id=agent)

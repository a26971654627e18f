"""Tenants, namespaces and keys."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest
from tests.store.things import Backend, make_scope, write_texts

from recalld_server.core.answers import from_json
from recalld_server.errors import NamespaceExists, RequestIdReused
from recalld_server.model import Actor, Key, Policy, Request, Role, Scope, Visibility, utc_now
from recalld_server.store.base import AnswerKnown, Asker

HASH = b"h" * 32


async def names(directory: Backend, scope: Scope, **options: object) -> list[str]:
    only = options.pop("only", None)
    arguments = {"limit": 100, **options}
    return [n.name for n in await directory.list_namespaces(Asker(scope.tenant_id, only=only), **arguments)]  # type: ignore[arg-type]


async def make_key(directory: Backend, scope: Scope, key_id: str, **options: object) -> Key:
    arguments: dict[str, object] = {
        "key_id": key_id,
        "secret_hash": HASH,
        "agent_id": "助手",
        "roles": frozenset({Role.READER, Role.ADMIN}),
        "namespaces": ("space",),
        "description": "for tests",
        "expire_time": None,
        **options,
    }
    return await directory.create_key(scope.tenant_id, **arguments)  # type: ignore[arg-type]


class Directories:
    async def test_a_tenant_is_made_once(self, store: Backend) -> None:
        ids = await asyncio.gather(*(store.ensure_tenant("租户") for _ in range(5)))
        assert len(set(ids)) == 1
        assert await store.ensure_tenant("other") != ids[0]

    async def test_a_namespace_comes_back_with_its_policy(self, store: Backend, scope: Scope) -> None:
        policy = Policy(default_visibility=Visibility.PRIVATE, importance_threshold=0.6, time_zone="Asia/Shanghai")
        made = await store.create_namespace(scope.tenant_id, "team/a", description="团队", policy=policy)
        assert await store.get_namespace(scope.tenant_id, "team/a") == made
        assert made.policy == policy
        assert made.policy.default_visibility is Visibility.PRIVATE
        assert (made.description, made.revision, made.memory_count) == ("团队", 1, 0)

    async def test_names_are_literal_and_belong_to_the_tenant(self, store: Backend, scope: Scope) -> None:
        for name in ("orion", "orion-labs", "orion/sub", "orion/sub/deep", "ori", "a_b", "axb"):
            await store.create_namespace(scope.tenant_id, name, description="", policy=Policy())
        with pytest.raises(NamespaceExists):
            await store.create_namespace(scope.tenant_id, "orion", description="", policy=Policy())
        for look_alike in ("ORION", "orio%", "a_", "a%b", "orion/", "ｏｒｉｏｎ"):
            assert await store.get_namespace(scope.tenant_id, look_alike) is None
        assert await names(store, scope, parent="orion") == ["orion", "orion/sub", "orion/sub/deep"]
        assert await names(store, scope, parent="a_b") == ["a_b"]
        assert await names(store, scope, parent="a%b") == []
        other = await store.ensure_tenant("other")
        assert await store.get_namespace(other, "orion") is None
        assert await store.list_namespaces(Asker(other), limit=10) == ()
        await store.create_namespace(other, "orion", description="", policy=Policy())

    async def test_namespaces_are_listed_in_pages(self, store: Backend, scope: Scope) -> None:
        for name in ("c", "a", "b", "a-1", "a.1", "a/1"):
            await store.create_namespace(scope.tenant_id, name, description="", policy=Policy())
        everything = await names(store, scope)
        assert everything == sorted(everything) == ["a", "a-1", "a.1", "a/1", "b", "c", "space"]
        paged: list[str] = []
        while page := await names(store, scope, limit=2, after=paged[-1] if paged else ""):
            paged += page
        assert paged == everything
        assert await names(store, scope, only=("b", "nope", "a")) == ["a", "b"]
        assert await names(store, scope, only=()) == []

    async def test_a_namespace_counts_its_live_memories(self, store: Backend, scope: Scope) -> None:
        await write_texts(store, scope, "一", "二 two", "三")
        namespace = await store.get_namespace(scope.tenant_id, "space")
        assert namespace is not None
        assert namespace.memory_count == 3

    async def test_creating_a_namespace_twice_by_one_request(self, store: Backend, scope: Scope) -> None:
        request = Request("CreateNamespace", "r", b"1")
        made = {"description": "", "policy": Policy(), "request": request, "actor": Actor("ann")}
        await store.create_namespace(scope.tenant_id, "once", **made)  # type: ignore[arg-type]
        with pytest.raises(AnswerKnown):
            await store.create_namespace(scope.tenant_id, "once", **made)  # type: ignore[arg-type]
        made["request"] = Request("CreateNamespace", "r", b"2")
        with pytest.raises(RequestIdReused):
            await store.create_namespace(scope.tenant_id, "twice", **made)  # type: ignore[arg-type]
        assert await store.get_namespace(scope.tenant_id, "twice") is None

    async def test_a_key_is_found_whatever_its_tenant(self, store: Backend, scope: Scope) -> None:
        expire = utc_now() + timedelta(days=1)
        key = await make_key(store, scope, "0" * 16, expire_time=expire)
        assert (key.tenant, key.agent_id, key.namespaces, key.expire_time) == ("acme", "助手", ("space",), expire)
        assert key.roles == {Role.READER, Role.ADMIN}
        assert await store.find_key("0" * 16) == (key, HASH)
        assert await store.find_key("%") is None

    async def test_keys_are_listed_newest_first_in_pages(self, store: Backend, scope: Scope) -> None:
        ids = [f"{n:016x}" for n in range(5)]
        for key_id in ids:
            await make_key(store, scope, key_id)
        other = await make_scope(store, tenant="other")
        await make_key(store, other, "f" * 16)
        found: list[str] = []
        before = None
        while page := await store.list_keys(scope.tenant_id, before=before, limit=2):
            found += [key.key_id for key in page]
            before = (page[-1].create_time, page[-1].key_id)
        assert found == ids[::-1]

    async def test_a_key_is_revoked_once_and_for_all(self, store: Backend, scope: Scope) -> None:
        await make_key(store, scope, "a" * 16)
        other = await store.ensure_tenant("other")
        assert await store.revoke_key(other, "a" * 16) is None
        revoked = await store.revoke_key(scope.tenant_id, "a" * 16)
        assert revoked is not None
        assert revoked.revoke_time is not None
        assert await store.revoke_key(scope.tenant_id, "a" * 16) == revoked
        assert await store.find_key("a" * 16) == (revoked, HASH)
        assert await store.revoke_key(scope.tenant_id, "b" * 16) is None

    async def test_a_retried_revocation_gets_the_first_answer(self, store: Backend, scope: Scope) -> None:
        key = await make_key(store, scope, "a" * 16)
        request = Request("RevokeKey", "r", b"1")
        assert await store.revoke_key(scope.tenant_id, "b" * 16, request=request, actor=Actor("ann")) is None
        revoked = await store.revoke_key(scope.tenant_id, key.key_id, request=request, actor=Actor("ann"))
        assert revoked is not None
        with pytest.raises(AnswerKnown) as known:
            await store.revoke_key(scope.tenant_id, key.key_id, request=request, actor=Actor("ann"))
        assert from_json(Key, known.value.answer) == revoked
        kept = await make_key(store, scope, "c" * 16)
        with pytest.raises(RequestIdReused):
            await store.revoke_key(
                scope.tenant_id, kept.key_id, request=Request("RevokeKey", "r", b"2"), actor=Actor("ann")
            )
        assert await store.find_key(kept.key_id) == (kept, HASH)

    async def test_the_use_of_a_key_is_noted_forwards_only(self, store: Backend, scope: Scope) -> None:
        await make_key(store, scope, "c" * 16)
        now = utc_now()
        for moment in (now, now - timedelta(hours=1)):
            await store.key_used("c" * 16, moment)
        found = await store.find_key("c" * 16)
        assert found is not None
        assert found[0].last_use_time == now

    async def test_creating_a_key_twice_by_one_request(self, store: Backend, scope: Scope) -> None:
        request = Request("CreateKey", "r", b"1")
        key = await make_key(store, scope, "d" * 16, request=request, actor=Actor("ann"))
        with pytest.raises(AnswerKnown) as known:
            await make_key(store, scope, "e" * 16, request=request, actor=Actor("ann"))
        assert from_json(Key, known.value.answer) == key
        assert await store.find_key("e" * 16) is None

"""Namespaces, grants, keys and the audit log."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from google.protobuf.field_mask_pb2 import FieldMask

from recalld._async.pager import AsyncPager
from recalld._async.transport import AsyncTransport
from recalld._calls import request_id as named
from recalld._convert.build import build, many, to_enum, to_enums
from recalld._convert.namespaces import (
    from_grant,
    from_key,
    from_namespace,
    from_new_key,
    given_rules,
    to_policy,
)
from recalld._convert.times import to_timestamp
from recalld._unset import UNSET, Unset
from recalld.enums import Role, RoleLike
from recalld.filters import OneOrMany
from recalld.types.namespaces import Grant, Key, Namespace, NewKey, Policy
from recalld.v1 import namespace_service_pb2 as sv


class AsyncNamespaces:
    """The namespaces of the tenant: `client.namespaces`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        name: str,
        *,
        description: str | None = None,
        policy: Policy | None = None,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> Namespace:
        """Makes a namespace. Needs ADMIN. Raises AlreadyExists."""
        request = build(
            sv.CreateNamespaceRequest,
            name=name,
            description=description,
            policy=to_policy(policy),
            request_id=named(request_id),
        )
        answer = await self._transport.mutate(lambda stubs: stubs.namespace.CreateNamespace, request, timeout)
        return from_namespace(answer.namespace)

    async def get(self, name: str, *, timeout: float | None = None) -> Namespace:
        """Reads a namespace and its policy. Raises NotFound."""
        request = build(sv.GetNamespaceRequest, name=name)
        answer = await self._transport.read(lambda stubs: stubs.namespace.GetNamespace, request, timeout)
        return from_namespace(answer.namespace)

    def list(
        self, *, parent: str | None = None, page_size: int | None = None, timeout: float | None = None
    ) -> AsyncPager[Namespace]:
        """Lists the namespaces that the key may read, by name; with `parent`, only that one and those below it."""
        request = build(sv.ListNamespacesRequest, parent=parent, page_size=page_size)
        return AsyncPager(
            self._transport,
            lambda stubs: stubs.namespace.ListNamespaces,
            request,
            lambda answer: map(from_namespace, answer.namespaces),
            timeout,
        )

    async def update(
        self,
        name: str,
        *,
        description: str | Unset = UNSET,
        policy: Policy | None = None,
        reset: Sequence[str] = (),
        etag: str | None = None,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> Namespace:
        """Changes the description and the rules that are given in `policy`; those named in `reset` go back to their
        defaults. Needs ADMIN. With `etag`, raises Conflict when someone else changed it."""
        said = [] if description is UNSET else ["description"]
        rules = [f"policy.{rule}" for rule in (*given_rules(policy), *many(reset))]
        request = build(
            sv.UpdateNamespaceRequest,
            name=name,
            description=None if description is UNSET else description,
            policy=to_policy(policy),
            update_mask=build(FieldMask, "update_mask", paths=[*said, *rules]),
            etag=etag,
            request_id=named(request_id),
        )
        answer = await self._transport.mutate(lambda stubs: stubs.namespace.UpdateNamespace, request, timeout)
        return from_namespace(answer.namespace)

    async def delete(
        self, name: str, *, confirm: str, request_id: str | None = None, timeout: float | None = None
    ) -> dict[str, int]:
        """Erases a namespace with all that it holds; `confirm` repeats its name. Returns what went, by kind."""
        request = build(sv.DeleteNamespaceRequest, name=name, confirm=confirm, request_id=named(request_id))
        answer = await self._transport.mutate(lambda stubs: stubs.namespace.DeleteNamespace, request, timeout)
        return dict(answer.counts)


class AsyncGrants:
    """Who else may use a namespace: `client.grants`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        namespace: str,
        role: RoleLike,
        *,
        agent_id: str | None = None,
        grantee_role: RoleLike | None = None,
        tenant: str | None = None,
        recursive: bool = False,
        expire_time: datetime | None = None,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> Grant:
        """Lets an agent, everyone with a role, or another tenant use a namespace. Needs ADMIN."""
        grant = build(
            sv.Grant,
            "grant",
            namespace=namespace,
            agent_id=agent_id,
            grantee_role=to_enum(sv.Role, Role, grantee_role, "grant.grantee_role"),
            tenant=tenant,
            role=to_enum(sv.Role, Role, role, "grant.role"),
            recursive=recursive,
            expire_time=to_timestamp(expire_time, "grant.expire_time"),
        )
        request = build(sv.CreateGrantRequest, grant=grant, request_id=named(request_id))
        answer = await self._transport.mutate(lambda stubs: stubs.namespace.CreateGrant, request, timeout)
        return from_grant(answer.grant)

    def list(self, namespace: str, *, page_size: int | None = None, timeout: float | None = None) -> AsyncPager[Grant]:
        """Lists the grants of a namespace. Needs ADMIN."""
        request = build(sv.ListGrantsRequest, namespace=namespace, page_size=page_size)
        return AsyncPager(
            self._transport,
            lambda stubs: stubs.namespace.ListGrants,
            request,
            lambda answer: map(from_grant, answer.grants),
            timeout,
        )

    async def revoke(
        self, namespace: str, grant_id: str, *, request_id: str | None = None, timeout: float | None = None
    ) -> None:
        """Ends a grant. Needs ADMIN."""
        request = build(sv.RevokeGrantRequest, namespace=namespace, grant_id=grant_id, request_id=named(request_id))
        await self._transport.mutate(lambda stubs: stubs.namespace.RevokeGrant, request, timeout)


class AsyncKeys:
    """The keys of the tenant: `client.keys`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        agent_id: str,
        roles: OneOrMany[RoleLike],
        *,
        namespaces: Sequence[str] = (),
        description: str | None = None,
        expire_time: datetime | None = None,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> NewKey:
        """Makes a key; its secret is in the answer and nowhere else. Needs ADMIN.

        `namespaces` limit where its roles apply; empty: everywhere in the tenant. Raises FailedPrecondition (SECRET_LOST)
        when the answer with the secret was lost on the way: `.metadata["key_id"]` says which key to revoke.
        """
        request = build(
            sv.CreateKeyRequest,
            agent_id=agent_id,
            roles=to_enums(sv.Role, Role, roles, "roles"),
            namespaces=many(namespaces),
            description=description,
            expire_time=to_timestamp(expire_time, "expire_time"),
            request_id=named(request_id),
        )
        return from_new_key(await self._transport.mutate(lambda stubs: stubs.namespace.CreateKey, request, timeout))

    def list(self, *, page_size: int | None = None, timeout: float | None = None) -> AsyncPager[Key]:
        """Lists the keys, newest first, without their secrets. Needs ADMIN."""
        request = build(sv.ListKeysRequest, page_size=page_size)
        return AsyncPager(
            self._transport,
            lambda stubs: stubs.namespace.ListKeys,
            request,
            lambda answer: map(from_key, answer.keys),
            timeout,
        )

    async def revoke(self, key_id: str, *, request_id: str | None = None, timeout: float | None = None) -> Key:
        """Ends a key. Needs ADMIN."""
        request = build(sv.RevokeKeyRequest, key_id=key_id, request_id=named(request_id))
        answer = await self._transport.mutate(lambda stubs: stubs.namespace.RevokeKey, request, timeout)
        return from_key(answer.key)

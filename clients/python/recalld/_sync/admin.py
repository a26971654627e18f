# Generated from recalld/_async by generate_sync.py: edit that.
"""Namespaces, grants, keys and the audit log."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from google.protobuf.field_mask_pb2 import FieldMask

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
from recalld._sync.pager import Pager
from recalld._sync.transport import Transport
from recalld._unset import UNSET, Unset
from recalld.enums import Role, RoleLike
from recalld.filters import OneOrMany
from recalld.types.namespaces import Grant, Key, Namespace, NewKey, Policy
from recalld.v1 import namespace_service_pb2 as sv


class Namespaces:
    """The namespaces of the tenant: `client.namespaces`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
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
        answer = self._transport.mutate(lambda stubs: stubs.namespace.CreateNamespace, request, timeout)
        return from_namespace(answer.namespace)

    def get(self, name: str, *, timeout: float | None = None) -> Namespace:
        """Reads a namespace and its policy. Raises NotFound."""
        request = build(sv.GetNamespaceRequest, name=name)
        answer = self._transport.read(lambda stubs: stubs.namespace.GetNamespace, request, timeout)
        return from_namespace(answer.namespace)

    def list(
        self, *, parent: str | None = None, page_size: int | None = None, timeout: float | None = None
    ) -> Pager[Namespace]:
        """Lists the namespaces that the key may read, by name; with `parent`, only that one and those below it."""
        request = build(sv.ListNamespacesRequest, parent=parent, page_size=page_size)
        return Pager(
            self._transport,
            lambda stubs: stubs.namespace.ListNamespaces,
            request,
            lambda answer: map(from_namespace, answer.namespaces),
            timeout,
        )

    def update(
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
        answer = self._transport.mutate(lambda stubs: stubs.namespace.UpdateNamespace, request, timeout)
        return from_namespace(answer.namespace)

    def delete(
        self, name: str, *, confirm: str, request_id: str | None = None, timeout: float | None = None
    ) -> dict[str, int]:
        """Erases a namespace with all that it holds; `confirm` repeats its name. Returns what went, by kind."""
        request = build(sv.DeleteNamespaceRequest, name=name, confirm=confirm, request_id=named(request_id))
        answer = self._transport.mutate(lambda stubs: stubs.namespace.DeleteNamespace, request, timeout)
        return dict(answer.counts)


class Grants:
    """Who else may use a namespace: `client.grants`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
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
        answer = self._transport.mutate(lambda stubs: stubs.namespace.CreateGrant, request, timeout)
        return from_grant(answer.grant)

    def list(self, namespace: str, *, page_size: int | None = None, timeout: float | None = None) -> Pager[Grant]:
        """Lists the grants of a namespace. Needs ADMIN."""
        request = build(sv.ListGrantsRequest, namespace=namespace, page_size=page_size)
        return Pager(
            self._transport,
            lambda stubs: stubs.namespace.ListGrants,
            request,
            lambda answer: map(from_grant, answer.grants),
            timeout,
        )

    def revoke(
        self, namespace: str, grant_id: str, *, request_id: str | None = None, timeout: float | None = None
    ) -> None:
        """Ends a grant. Needs ADMIN."""
        request = build(sv.RevokeGrantRequest, namespace=namespace, grant_id=grant_id, request_id=named(request_id))
        self._transport.mutate(lambda stubs: stubs.namespace.RevokeGrant, request, timeout)


class Keys:
    """The keys of the tenant: `client.keys`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
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
        return from_new_key(self._transport.mutate(lambda stubs: stubs.namespace.CreateKey, request, timeout))

    def list(self, *, page_size: int | None = None, timeout: float | None = None) -> Pager[Key]:
        """Lists the keys, newest first, without their secrets. Needs ADMIN."""
        request = build(sv.ListKeysRequest, page_size=page_size)
        return Pager(
            self._transport,
            lambda stubs: stubs.namespace.ListKeys,
            request,
            lambda answer: map(from_key, answer.keys),
            timeout,
        )

    def revoke(self, key_id: str, *, request_id: str | None = None, timeout: float | None = None) -> Key:
        """Ends a key. Needs ADMIN."""
        request = build(sv.RevokeKeyRequest, key_id=key_id, request_id=named(request_id))
        answer = self._transport.mutate(lambda stubs: stubs.namespace.RevokeKey, request, timeout)
        return from_key(answer.key)

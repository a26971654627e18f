"""NamespaceService: namespaces, grants, keys, the audit log, and moving memories in and out."""

from __future__ import annotations

from collections.abc import AsyncIterator

from recalld.v1 import namespace_service_pb2 as pb
from recalld_server.core.services import Core
from recalld_server.errors import RecalldError
from recalld_server.model import Role
from recalld_server.rpc import convert, moving
from recalld_server.rpc.calls import Context, call_options, paging, principal


class NamespaceServicer:
    """One method for each RPC that is served; those that are missing answer UNIMPLEMENTED."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def CreateNamespace(  # noqa: N802
        self, request: pb.CreateNamespaceRequest, context: Context
    ) -> pb.CreateNamespaceResponse:
        namespace = await self._core.namespaces.create(
            principal(),
            request.name,
            description=convert.prose(request.description),
            policy=convert.policy(request.policy),
            call=call_options(request, context),
        )
        return pb.CreateNamespaceResponse(namespace=convert.namespace(namespace))

    async def GetNamespace(  # noqa: N802
        self, request: pb.GetNamespaceRequest, context: Context
    ) -> pb.GetNamespaceResponse:
        namespace = await self._core.namespaces.get(principal(), request.name)
        return pb.GetNamespaceResponse(namespace=convert.namespace(namespace))

    async def ListNamespaces(  # noqa: N802
        self, request: pb.ListNamespacesRequest, context: Context
    ) -> pb.ListNamespacesResponse:
        page = await self._core.namespaces.list(principal(), parent=request.parent, **paging(request))
        namespaces = [convert.namespace(each) for each in page.items]
        return pb.ListNamespacesResponse(namespaces=namespaces, next_page_token=page.next_token)

    async def UpdateNamespace(  # noqa: N802
        self, request: pb.UpdateNamespaceRequest, context: Context
    ) -> pb.UpdateNamespaceResponse:
        description, rules = convert.namespace_changes(request)
        namespace = await self._core.namespaces.update(
            principal(),
            request.name,
            description=description,
            rules=rules,
            etag=request.etag,
            call=call_options(request, context),
        )
        return pb.UpdateNamespaceResponse(namespace=convert.namespace(namespace))

    async def DeleteNamespace(  # noqa: N802
        self, request: pb.DeleteNamespaceRequest, context: Context
    ) -> pb.DeleteNamespaceResponse:
        counts = await self._core.namespaces.delete(principal(), request.name, call_options(request, context))
        return pb.DeleteNamespaceResponse(counts=counts)

    async def CreateGrant(self, request: pb.CreateGrantRequest, context: Context) -> pb.CreateGrantResponse:  # noqa: N802
        new = convert.new_grant(request.grant)
        call = call_options(request, context)
        grant = await self._core.sharing.create(principal(), request.grant.namespace, new, call)
        return pb.CreateGrantResponse(grant=convert.grant(grant))

    async def ListGrants(self, request: pb.ListGrantsRequest, context: Context) -> pb.ListGrantsResponse:  # noqa: N802
        page = await self._core.sharing.list(principal(), request.namespace, **paging(request))
        return pb.ListGrantsResponse(
            grants=[convert.grant(each) for each in page.items], next_page_token=page.next_token
        )

    async def RevokeGrant(self, request: pb.RevokeGrantRequest, context: Context) -> pb.RevokeGrantResponse:  # noqa: N802
        grant_id = convert.uuid(request.grant_id, "grant_id")
        await self._core.sharing.revoke(principal(), request.namespace, grant_id, call_options(request, context))
        return pb.RevokeGrantResponse()

    async def CreateKey(self, request: pb.CreateKeyRequest, context: Context) -> pb.CreateKeyResponse:  # noqa: N802
        key, secret = await self._core.keys.create(
            principal(),
            agent_id=request.agent_id,
            roles=frozenset(Role(role) for role in request.roles),
            namespaces=tuple(request.namespaces),
            description=convert.prose(request.description),
            expire_time=convert.optional_time(request, "expire_time"),
            call=call_options(request, context),
        )
        return pb.CreateKeyResponse(key=convert.key(key), secret=secret)

    async def ListKeys(self, request: pb.ListKeysRequest, context: Context) -> pb.ListKeysResponse:  # noqa: N802
        page = await self._core.keys.list(principal(), **paging(request))
        return pb.ListKeysResponse(keys=[convert.key(each) for each in page.items], next_page_token=page.next_token)

    async def RevokeKey(self, request: pb.RevokeKeyRequest, context: Context) -> pb.RevokeKeyResponse:  # noqa: N802
        key = await self._core.keys.revoke(principal(), request.key_id, call_options(request, context))
        return pb.RevokeKeyResponse(key=convert.key(key))

    def Export(self, request: pb.ExportRequest, context: Context) -> AsyncIterator[pb.ExportResponse]:  # noqa: N802
        return moving.export(self._core.moving, principal(), request)

    def Import(  # noqa: N802
        self, requests: AsyncIterator[pb.ImportRequest | RecalldError], context: Context
    ) -> AsyncIterator[pb.ImportResponse]:
        return moving.import_(self._core.moving, principal(), requests, context)

    async def ListAuditEvents(  # noqa: N802
        self, request: pb.ListAuditEventsRequest, context: Context
    ) -> pb.ListAuditEventsResponse:
        page = await self._core.audit.list(
            principal(),
            namespace=request.namespace,
            agent_id=request.agent_id,
            span=convert.time_span(request.range, "range"),
            **paging(request),
        )
        events = [convert.audit_event(each) for each in page.items]
        return pb.ListAuditEventsResponse(events=events, next_page_token=page.next_token)

"""NamespaceService: namespaces, keys, and moving memories in and out."""

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

"""Who else may use a namespace."""

from __future__ import annotations

from uuid import UUID

from recalld_server.core import pages
from recalld_server.core.access import Access, Room
from recalld_server.core.answers import from_json
from recalld_server.core.names import LONGEST, check_tenant
from recalld_server.core.namespaces import own
from recalld_server.core.policy import Action
from recalld_server.core.types import CallOptions
from recalld_server.errors import InvalidField, NamespaceNotFound, ResourceNotFound
from recalld_server.model import Grant, Grantee, Page, Principal, utc_now
from recalld_server.store.base import AnswerKnown, Grants, NewGrant


class Sharing:
    """Makes, lists and ends the grants of a namespace; for its own tenant's ADMINs alone."""

    def __init__(self, grants: Grants, access: Access) -> None:
        self._grants = grants
        self._access = access

    async def create(self, principal: Principal, namespace: str, new: NewGrant, call: CallOptions) -> Grant:
        """Raises InvalidField; a retry with the same request gets the grant again."""
        room = await self._open(principal, namespace)
        _check(principal, room, namespace, new)
        try:
            grant = await self._grants.create_grant(
                room.scope.tenant_id, room.scope.namespace_id, new, request=call.request, actor=principal.actor
            )
        except AnswerKnown as known:
            return from_json(Grant, known.answer)
        self._access.forget()
        if grant is None:
            raise NamespaceNotFound
        return grant

    async def list(self, principal: Principal, namespace: str, *, page_size: int, page_token: str) -> Page[Grant]:
        """In the order in which they were made."""
        room = await self._open(principal, namespace)
        place = pages.decode(page_token, ("grants", namespace), (str,))
        after = pages.identity(str(place[0])) if place else None
        found = await self._grants.list_grants(
            room.scope.tenant_id, room.scope.namespace_id, after=after, limit=page_size + 1
        )
        if len(found) <= page_size:
            return Page(found)
        return Page(found[:page_size], pages.encode([str(found[page_size - 1].grant_id)], ("grants", namespace)))

    async def revoke(self, principal: Principal, namespace: str, grant_id: UUID, call: CallOptions) -> None:
        """Ends a grant: on this server at once, on others within seconds. Raises ResourceNotFound."""
        room = await self._open(principal, namespace)
        try:
            ended = await self._grants.revoke_grant(
                room.scope.tenant_id, room.scope.namespace_id, grant_id, request=call.request, actor=principal.actor
            )
        except AnswerKnown:
            return
        self._access.forget()
        if not ended:
            raise ResourceNotFound("grant")

    async def _open(self, principal: Principal, namespace: str) -> Room:
        room = await self._access.open(principal, namespace, Action.ADMINISTER)
        own(room)
        return room


def _check(principal: Principal, room: Room, namespace: str, new: NewGrant) -> None:
    if new.expire_time is not None and new.expire_time <= utc_now():
        raise InvalidField("grant.expire_time", "has passed")
    if new.recursive and not room.below:
        raise InvalidField(
            "grant.recursive", "needs ADMIN of the namespaces below as well: your own is for this one only"
        )
    if new.grantee is Grantee.TENANT:
        check_tenant(new.name, "grant.tenant")
        if new.name == principal.tenant:
            raise InvalidField("grant.tenant", "is your own: name an agent or a role of it")
        if len(f"{principal.tenant}/{namespace}") > LONGEST:
            raise InvalidField(
                "grant.namespace",
                f"could not be named by others: with its tenant it is longer than {LONGEST} characters",
            )

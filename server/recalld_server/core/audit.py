"""Who did what, when."""

from __future__ import annotations

from collections.abc import Sequence

import structlog

from recalld_server.core import pages
from recalld_server.core.access import Access, Room
from recalld_server.core.denials import Denials
from recalld_server.core.namespaces import own
from recalld_server.core.policy import Action, require
from recalld_server.errors import NamespaceNotFound, RoleRequired, StoreUnavailable
from recalld_server.model import AuditEvent, Page, Principal, TimeSpan
from recalld_server.store.base import AuditQuery, AuditRecords

log = structlog.get_logger(__name__)

OK = "OK"
DENIED = {RoleRequired: "PERMISSION_DENIED", NamespaceNotFound: "NOT_FOUND"}
"""How a call ended that its caller was denied, as its event says."""


class Audit:
    """The audit log. What changes something is noted by that change itself, in the same transaction; what only reads,
    such as an export, says so here, and so does what was denied."""

    def __init__(self, records: AuditRecords, access: Access) -> None:
        self._records = records
        self._access = access
        self._denials = Denials()

    async def note(self, room: Room, target_ids: Sequence[str] = ()) -> None:
        """Notes that the call which opened the room was carried out."""
        await self._records.note(room.scope.tenant_id, room.namespace.name, target_ids, OK, room.scope.actor)

    async def denied(self, principal: Principal, error: RoleRequired | NamespaceNotFound) -> None:
        """Notes in the log of the principal's tenant that a call of it was denied, but not each time: see Denials. The caller
        hears of the denial whether or not it could be noted."""
        outcome = DENIED[type(error)]
        if not self._denials.is_news(principal, error.namespace, outcome):
            return
        try:
            await self._records.note(principal.tenant_id, error.namespace, (), outcome, principal.actor)
        except StoreUnavailable:
            log.warning("a denied call is not in the audit log: the database is not there", method=principal.method)

    async def list(
        self,
        principal: Principal,
        *,
        namespace: str,
        agent_id: str,
        span: TimeSpan,
        page_size: int,
        page_token: str,
    ) -> Page[AuditEvent]:
        """Latest first: of one namespace, or of all where the principal's own ADMIN applies."""
        if namespace:
            room = await self._access.open(principal, namespace, Action.ADMINISTER)
            own(room)
            places: tuple[str, ...] | None = (namespace,)
        else:
            require(principal, Action.ADMINISTER)
            places = principal.namespaces or None
        asked = ("audit", namespace, agent_id, span)
        place = pages.decode(page_token, asked, (str,))
        query = AuditQuery(places, agent_id, span)
        found = await self._records.list_audit(
            principal.tenant_id, query, before=pages.identity(str(place[0])) if place else None, limit=page_size + 1
        )
        if len(found) <= page_size:
            return Page(found)
        return Page(found[:page_size], pages.encode([str(found[page_size - 1].event_id)], asked))

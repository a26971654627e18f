"""Whether a stream that has begun may still go on."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from recalld_server.core.access import Access, Room
from recalld_server.core.policy import Action
from recalld_server.core.watch.types import Caller
from recalld_server.errors import NamespaceNotFound


class Gate:
    """The checked access of one stream; what was checked is good for a short time only."""

    def __init__(
        self, access: Access, caller: Caller, namespaces: tuple[str, ...], good: float, clock: Callable[[], float]
    ) -> None:
        self._access = access
        self._caller = caller
        self._namespaces = namespaces
        self._good = good
        self._clock = clock
        self._until = 0.0
        self._rooms: dict[UUID, Room] = {}

    async def enter(self) -> tuple[UUID, dict[UUID, Room]]:
        """The caller's tenant, and the namespaces by id in the order of the request. Raises InvalidCredential,
        RoleRequired, NamespaceNotFound."""
        principal = await self._caller()
        rooms = await self._access.open_all(principal, self._namespaces, Action.READ)
        self._rooms = {room.scope.namespace_id: room for room in rooms}
        self._until = self._clock() + self._good
        return principal.tenant_id, dict(self._rooms)

    async def room(self, namespace_id: UUID) -> Room:
        """The namespace, checked anew when it is time. Raises as `enter`; NamespaceNotFound also when another one has its
        name by now."""
        await self.check()
        if namespace_id not in self._rooms:
            raise NamespaceNotFound
        return self._rooms[namespace_id]

    async def check(self) -> None:
        """Checks anew when it is time. Raises as `enter`."""
        if self._clock() >= self._until:
            await self.enter()

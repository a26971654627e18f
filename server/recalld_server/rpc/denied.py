"""Around every call whose caller is known: what it was denied is noted in the audit log."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from recalld_server.errors import NamespaceNotFound, RoleRequired
from recalld_server.rpc.calls import Context, principal
from recalld_server.rpc.interceptors import Around, Streaming, Unary

if TYPE_CHECKING:
    from recalld_server.core.audit import Audit


class Denied(Around):
    """Inside of authentication; the items of a stream that have errors of their own are noted by who answers them."""

    def __init__(self, audit: Audit) -> None:
        super().__init__()
        self._audit = audit

    def unary(self, call: Unary, method: str) -> Unary:
        async def noted(request: Any, context: Context) -> Any:
            try:
                return await call(request, context)
            except (RoleRequired, NamespaceNotFound) as error:
                await self._audit.denied(principal(), error)
                raise

        return noted

    def streaming(self, call: Streaming, method: str) -> Streaming:
        async def noted(request: Any, context: Context) -> AsyncIterator[Any]:
            try:
                async with aclosing(call(request, context)) as answers:  # type: ignore[type-var]
                    async for answer in answers:
                        yield answer
            except (RoleRequired, NamespaceNotFound) as error:
                await self._audit.denied(principal(), error)
                raise

        return noted

"""An open transaction: statements within the scopes that it was opened for."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any
from uuid import UUID

import asyncpg

from recalld_server.model import Scope
from recalld_server.store.postgres.errors import DRIVER_ERRORS, translate
from recalld_server.store.postgres.party import Party
from recalld_server.store.postgres.spans import Statement

Row = asyncpg.Record


class Transaction:
    """An open transaction. Statements raise StoreUnavailable or StoreFault, never an error of the driver.

    With several parties it sees one at a time: that of the scope that was checked last.
    """

    __slots__ = ("_barrier", "_parties", "_seen", "_wanted", "connection", "touched")

    def __init__(self, connection: Any, parties: Sequence[Party], barrier: str) -> None:
        self.connection = connection
        self._parties = parties
        self._seen = self._wanted = parties[0]
        self._barrier = barrier
        self.touched = set[UUID]()
        """Namespaces whose watchers are woken by the commit."""

    def check(self, scope: Scope) -> UUID:
        """The scope's namespace id. ValueError when the transaction was not opened for it: a fault of the caller."""
        for party in self._parties:
            if scope.namespace_id in party.namespace_ids and scope.tenant_id == party.tenant_id:
                self._wanted = party
                return scope.namespace_id
        raise ValueError("this transaction was not opened with that scope")

    async def fetch(self, sql: str, *args: object) -> list[Row]:
        await self._see()
        try:
            with Statement(sql):
                rows: list[Row] = await self.connection.fetch(sql, *args)
        except DRIVER_ERRORS as error:
            raise translate(error) from None
        return rows

    async def row(self, sql: str, *args: object) -> Row | None:
        await self._see()
        try:
            with Statement(sql):
                row: Row | None = await self.connection.fetchrow(sql, *args)
        except DRIVER_ERRORS as error:
            raise translate(error) from None
        return row

    async def value(self, sql: str, *args: object) -> Any:
        await self._see()
        try:
            with Statement(sql):
                return await self.connection.fetchval(sql, *args)
        except DRIVER_ERRORS as error:
            raise translate(error) from None

    async def _see(self) -> None:
        """Lets the transaction see the party that is wanted."""
        if self._seen is not self._wanted:
            wanted = self._wanted
            try:
                await self.connection.execute(f"SELECT {wanted.settings()}")
            except DRIVER_ERRORS as error:
                raise translate(error) from None
            self._seen = wanted

    async def wait_for_disk(self) -> None:
        """Makes sure that what was seen here cannot be lost any more, by the end of this transaction."""
        await self.value(self._barrier)

    async def explain_rows(self, sql: str, *args: object) -> int:
        """How many rows the planner expects of a query; costs a fraction of a millisecond and reads no row."""
        text = await self.value(f"EXPLAIN (FORMAT JSON) {sql}", *args)
        return int(json.loads(text)[0]["Plan"]["Plan Rows"])

"""What the database shows to whoever gets past the checks: without the settings of a scope nothing, in any table.

Tables come from the catalogue: one that is added is held to the same by itself.
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from uuid import UUID

import asyncpg
import pytest

from recalld_server.model import Scope
from recalld_server.store import base
from recalld_server.store.postgres import PostgresStore
from recalld_server.store.postgres.party import Party

TENANT, NAMESPACE, AGENT = UUID(int=1), UUID(int=2), "ann"
KEPT_BY_MIGRATIONS = {"migrations"}
"""Not the server's: its role cannot even name it."""

VALUES = {
    "uuid": "'00000000-0000-0000-0000-000000000009'",
    "text": "'文 text'",
    "bytea": r"'\x01'",
    "jsonb": "'{}'",
    "boolean": "false",
    "halfvec": "'[1,0]'",
    "sparsevec": "'{1:1}/1048576'",
    "timestamp with time zone": "now()",
    "moment": "now()",
    "date": "now()",
    "interval": "'1 day'",
}
"""A value of each type; numbers are 1, arrays empty."""
OWN = {"tenant_id": f"'{TENANT}'", "namespace_id": f"'{NAMESPACE}'", "agent_id": f"'{AGENT}'", "audience": f"'{AGENT}'"}
"""Of a row that belongs to one agent, in one namespace; PRIVATE is 1."""


@dataclass(frozen=True)
class Wall:
    """A database with one row in every table, and connections to it."""

    owner: asyncpg.Connection
    app: asyncpg.Connection
    tables: Sequence[str]

    async def seen(self, party: Party | None) -> dict[str, int]:
        """Rows of each table, as the app's role sees them with these settings."""
        async with self.app.transaction():
            if party is not None:
                await self.app.execute(f"SELECT {party.settings()}")
            return {name: await self.app.fetchval(f'SELECT count(*) FROM "{name}"') for name in self.tables}


def value(column: str, kind: str) -> str:
    if column in OWN:
        return OWN[column]
    return VALUES.get(kind, "'{}'" if kind.endswith("[]") else "1")


@pytest.fixture
async def wall(database: str) -> AsyncIterator[Wall]:
    owner = await asyncpg.connect(database)
    login = f"login_{database.rsplit('/', 1)[-1].split('?')[0][-12:]}"
    try:
        await owner.execute(f"SET search_path = recalld; CREATE ROLE {login} LOGIN NOINHERIT IN ROLE recalld_app")
        tables = [
            row["relname"]
            for row in await owner.fetch(
                "SELECT relname FROM pg_class WHERE relnamespace = 'recalld'::regnamespace AND relkind IN ('r', 'p')"
                " AND NOT relispartition ORDER BY 1"
            )
            if row["relname"] not in KEPT_BY_MIGRATIONS
        ]
        await _fill(owner, tables)
        app = await asyncpg.connect(database, user=login, server_settings={"role": "recalld_app"})
        try:
            await app.execute("SET search_path = recalld")
            yield Wall(owner, app, tables)
        finally:
            await app.close()
    finally:
        await owner.execute(f"DROP ROLE IF EXISTS {login}")
        await owner.close()


async def _fill(owner: asyncpg.Connection, tables: Sequence[str]) -> None:
    """A row in every table, whatever its constraints: they are dropped, and triggers do not fire."""
    for row in await owner.fetch(
        "SELECT conrelid::regclass::text AS relation, conname FROM pg_constraint c JOIN pg_class t ON t.oid = conrelid"
        " WHERE connamespace = 'recalld'::regnamespace AND contype IN ('c', 'f') AND conparentid = 0"
        " AND NOT t.relispartition ORDER BY contype DESC"
    ):
        await owner.execute(f'ALTER TABLE {row["relation"]} DROP CONSTRAINT "{row["conname"]}"')
    await owner.execute("SET session_replication_role = replica")
    for name in tables:
        columns = await owner.fetch(
            "SELECT attname, format_type(atttypid, NULL) AS kind FROM pg_attribute"
            " WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''"
            " AND attidentity = ''",
            f'recalld."{name}"',
        )
        names = ", ".join(f'"{column["attname"]}"' for column in columns)
        values = ", ".join(value(column["attname"], column["kind"].removeprefix("recalld.")) for column in columns)
        await owner.execute(f'INSERT INTO "{name}" ({names}) VALUES ({values})')
        assert await owner.fetchval(f'SELECT count(*) FROM "{name}"') == 1


async def test_without_a_scope_there_is_no_row_in_any_table(wall: Wall) -> None:
    assert len(wall.tables) > 20
    assert await wall.seen(None) == dict.fromkeys(wall.tables, 0)


async def test_each_row_is_there_within_its_scope(wall: Wall) -> None:
    """Else the tests beside this one would pass on empty tables."""
    tenant = await wall.seen(Party(TENANT, frozenset(), AGENT))
    namespace = await wall.seen(Party(TENANT, frozenset({NAMESPACE}), AGENT))
    assert {name for name in wall.tables if not tenant[name] and not namespace[name]} == set()


@pytest.mark.parametrize(
    "party",
    [
        Party(UUID(int=7), frozenset(), AGENT),
        Party(UUID(int=7), frozenset({UUID(int=8)}), AGENT),
        Party(None, frozenset({UUID(int=8)}), "*"),
    ],
    ids=["another tenant", "another namespace", "no tenant"],
)
async def test_another_scope_sees_nothing_of_it(wall: Wall, party: Party) -> None:
    seen = await wall.seen(party)
    # which embedding models there are is no tenant's secret
    assert {name for name, rows in seen.items() if rows} <= ({"models"} if party.tenant_id else set())


async def test_another_agent_sees_nothing_private(wall: Wall) -> None:
    private = [
        row["relname"]
        for row in await wall.owner.fetch(
            "SELECT DISTINCT relname FROM pg_class c JOIN pg_attribute a ON attrelid = c.oid"
            " WHERE relname = ANY ($1) AND (attname = 'visibility' OR attname = 'audience')",
            wall.tables,
        )
    ]
    assert {"memories", "embeddings", "revisions", "changes", "counts"} <= set(private)
    seen = await wall.seen(Party(TENANT, frozenset({NAMESPACE}), "bob"))
    assert {name: seen[name] for name in private} == dict.fromkeys(private, 0)


async def test_whoever_works_in_a_namespace_sees_no_key_no_grant_and_no_log(wall: Wall) -> None:
    seen = await wall.seen(Party(TENANT, frozenset({NAMESPACE}), "*"))
    assert {name: seen[name] for name in ("keys", "grants", "audit")} == {"keys": 0, "grants": 0, "audit": 0}


async def test_every_table_forces_row_level_security_with_a_policy_for_the_app(wall: Wall) -> None:
    bare = await wall.owner.fetch(
        "SELECT relname FROM pg_class c WHERE relnamespace = 'recalld'::regnamespace AND relkind IN ('r', 'p')"
        " AND NOT relispartition AND relname <> ALL ($1) AND NOT (relrowsecurity AND relforcerowsecurity AND EXISTS ("
        "  SELECT FROM pg_policy WHERE polrelid = c.oid AND polroles = '{0}' AND pg_get_expr(polqual, polrelid) ~ 'current_'))",
        sorted(KEPT_BY_MIGRATIONS),
    )
    assert [row["relname"] for row in bare] == []
    partitions = await wall.owner.fetch(
        "SELECT relname FROM pg_class WHERE relnamespace = 'recalld'::regnamespace AND relispartition"
        " AND relkind = 'r' AND has_table_privilege('recalld_app', oid, 'SELECT')"
    )
    assert [row["relname"] for row in partitions] == [], "a partition would be read past its parent's policy"


async def test_a_table_without_a_policy_would_be_noticed(wall: Wall) -> None:
    await wall.owner.execute("ALTER TABLE found NO FORCE ROW LEVEL SECURITY")
    with pytest.raises(AssertionError, match="found"):
        await test_every_table_forces_row_level_security_with_a_policy_for_the_app(wall)
    await wall.owner.execute("ALTER TABLE found DISABLE ROW LEVEL SECURITY")
    with pytest.raises(AssertionError):
        await test_without_a_scope_there_is_no_row_in_any_table(wall)


async def test_the_roles_of_the_server_own_nothing_and_bypass_nothing(wall: Wall) -> None:
    roles = await wall.owner.fetch("SELECT * FROM pg_roles WHERE rolname IN ('recalld_app', 'recalld_definer')")
    assert len(roles) == 2
    for role in roles:
        assert not role["rolsuper"]
        assert not role["rolbypassrls"]
        assert not role["rolcanlogin"]
    owned = await wall.owner.fetch(
        "SELECT relname FROM pg_class WHERE relowner IN ('recalld_app'::regrole, 'recalld_definer'::regrole)"
    )
    assert [row["relname"] for row in owned] == []
    others = await wall.owner.fetch(
        "SELECT proname FROM pg_proc WHERE prosecdef AND pronamespace = 'recalld'::regnamespace"
        " AND (proowner <> 'recalld_definer'::regrole OR has_function_privilege('public', oid, 'EXECUTE'))"
    )
    assert [row["proname"] for row in others] == []


ANSWERS = {"Unit.remember_answer", "View.wait_for_disk", "Unit.wait_for_disk"}
"""About the request that the unit was opened with, and about the disk: no row of anyone is touched."""


def _methods(protocol: type) -> dict[str, inspect.Signature]:
    return {
        f"{protocol.__name__}.{name}": inspect.signature(method)
        for name, method in inspect.getmembers(protocol, inspect.isfunction)
        if not name.startswith("_")
    }


def test_no_method_of_a_transaction_can_be_called_without_a_scope() -> None:
    methods = _methods(base.View) | _methods(base.Unit)
    assert len(methods) > 20
    firsts = {name: [*signature.parameters.values()][1:2] for name, signature in methods.items()}
    loose = {
        name for name, first in firsts.items() if not first or first[0].annotation not in ("Scope", "Sequence[Scope]")
    }
    assert loose == ANSWERS


def test_no_transaction_can_be_opened_without_a_scope() -> None:
    for name in ("view", "unit", "known_answer"):
        given = typing.get_type_hints(getattr(PostgresStore, name))
        first = [*inspect.signature(getattr(PostgresStore, name)).parameters][1]
        assert given[first] in (Scope, Sequence[Scope]), name

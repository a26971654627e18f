"""Tenants and their namespaces, beside the database: for operators."""

from __future__ import annotations

from uuid import UUID

import typer

from recalld_server.bootstrap import TENANT
from recalld_server.commands.common import DataDir, with_store
from recalld_server.commands.keys import OPERATOR, Tenant, known
from recalld_server.core.names import check_namespace, check_tenant
from recalld_server.model import Actor, Policy
from recalld_server.store.base import Asker
from recalld_server.store.postgres import PostgresStore

namespaces = typer.Typer(help="Namespaces. Example: recalld namespace create team/search", no_args_is_help=True)
PAGE = 1000


def add(app: typer.Typer) -> None:
    """Adds the commands about tenants themselves."""
    app.command("create")(create)
    app.command("list")(list_)


def create(name: str, data_dir: DataDir = None) -> None:
    """Makes a tenant; one that is there is left as it is. Give it a key next.

    Example: recalld tenant create acme && recalld key create --tenant acme --agent ops --role admin
    """
    check_tenant(name, "name")

    async def work(store: PostgresStore) -> UUID:
        return await store.ensure_tenant(name)

    with_store(data_dir, work)
    typer.echo(f"tenant {name}")


def list_(data_dir: DataDir = None) -> None:
    """Lists tenants by name. Example: recalld tenant list"""

    async def work(store: PostgresStore) -> tuple[str, ...]:
        return await store.list_tenants()

    for name in with_store(data_dir, work):
        typer.echo(name)


@namespaces.command("create")
def create_namespace(name: str, description: str = "", tenant: Tenant = TENANT, data_dir: DataDir = None) -> None:
    """Makes a namespace. Example: recalld namespace create team/search"""
    check_namespace(name, "name")

    async def work(store: PostgresStore) -> None:
        actor = Actor(OPERATOR, "", "CreateNamespace")
        await store.create_namespace(
            await known(store, tenant), name, description=description, policy=Policy(), actor=actor
        )

    with_store(data_dir, work)
    typer.echo(f"created {name}")


@namespaces.command("list")
def list_namespaces(tenant: Tenant = TENANT, data_dir: DataDir = None) -> None:
    """Lists namespaces by name, with those that other tenants share. Example: recalld namespace list"""

    async def work(store: PostgresStore) -> list[str]:
        asker, lines, after = Asker(await known(store, tenant)), list[str](), ""
        while True:
            page = await store.list_namespaces(asker, after=after, limit=PAGE)
            lines += [f"{each.name:40} {each.memory_count:>8,}" for each in page]
            if len(page) < PAGE:
                return lines
            after = page[-1].name

    for line in with_store(data_dir, work):
        typer.echo(line)

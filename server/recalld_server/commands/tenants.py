"""Tenants and their namespaces, beside the database: for operators."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated
from uuid import UUID

import typer

from recalld_server.bootstrap import TENANT
from recalld_server.commands.common import DataDir, with_store
from recalld_server.commands.keys import OPERATOR, Tenant, known
from recalld_server.core.names import check_namespace, check_tenant
from recalld_server.errors import RecalldError
from recalld_server.model import Actor, Limits, Policy
from recalld_server.store.base import Asker
from recalld_server.store.postgres import PostgresStore

app = typer.Typer(
    help="Tenants. Example: recalld tenant limits default --memories 100000", no_args_is_help=True, add_completion=False
)
namespaces = typer.Typer(
    help="Namespaces. Example: recalld namespace create team/search", no_args_is_help=True, add_completion=False
)
PAGE = 1000


@app.command()
def create(name: str, data_dir: DataDir = None) -> None:
    """Makes a tenant; one that is there is left as it is. Give it a key next.

    Example: recalld tenant create acme && recalld key create --tenant acme --agent ops --role admin
    """
    check_tenant(name, "name")

    async def work(store: PostgresStore) -> UUID:
        return await store.ensure_tenant(name)

    with_store(data_dir, work)
    typer.echo(f"tenant {name}")


@app.command("list")
def list_(data_dir: DataDir = None) -> None:
    """Lists tenants by name. Example: recalld tenant list"""

    async def work(store: PostgresStore) -> tuple[str, ...]:
        return await store.list_tenants()

    for name in with_store(data_dir, work):
        typer.echo(name)


@app.command()
def limits(
    name: Annotated[str, typer.Argument(help="The tenant.")],
    requests_per_second: Annotated[float | None, typer.Option(min=0.001)] = None,
    concurrent_calls: Annotated[int | None, typer.Option(min=1, help="In each server process.")] = None,
    memories: Annotated[int | None, typer.Option(min=0)] = None,
    stored_bytes: Annotated[int | None, typer.Option(min=0, help="Of their texts.")] = None,
    model_tokens_per_day: Annotated[int | None, typer.Option(min=0)] = None,
    clear: Annotated[bool, typer.Option("--clear", help="Takes all limits of its own away.")] = False,
    data_dir: DataDir = None,
) -> None:
    """Shows what a tenant may use, or sets it: what is not named here is as the server's settings (RECALLD_LIMIT_…) say.

    Running servers follow within five seconds. Example: recalld tenant limits acme --requests-per-second 50
    """
    given = Limits(requests_per_second, concurrent_calls, memories, stored_bytes, model_tokens_per_day)
    if clear and given != Limits():
        raise typer.BadParameter("--clear takes all limits away: give it alone")

    async def work(store: PostgresStore) -> Limits | None:
        quotas = store.quotas()
        if clear or given != Limits():
            await quotas.set_limits(name, given)
        return await quotas.limits_of(name)

    found = with_store(data_dir, work)
    if found is None:
        raise RecalldError(f"there is no tenant {name}")
    own = {field: value for field, value in asdict(found).items() if value is not None}
    typer.echo("\n".join(f"{field:22} {value:,.15g}" for field, value in own.items()) or "no limits of its own")


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

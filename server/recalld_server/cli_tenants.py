"""`recalld tenant`: what the operator decides about tenants."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from recalld_server.errors import RecalldError
from recalld_server.model import Limits
from recalld_server.store.postgres import PostgresStore

Work: TypeAlias = Callable[[PostgresStore], Awaitable[Limits | None]]
WithStore: TypeAlias = Callable[[Path | None, Work], Limits | None]


def tenant_commands(with_store: WithStore) -> typer.Typer:
    """The commands; `with_store` runs something on the store of a data directory."""
    cli = typer.Typer(help="Tenants. Example: recalld tenant limits default --memories 100000", no_args_is_help=True)

    @cli.callback()
    def tenant() -> None:
        """Without it typer would make the one command the whole."""

    @cli.command()
    def limits(
        name: Annotated[str, typer.Argument(help="The tenant.")],
        requests_per_second: Annotated[float | None, typer.Option(min=0.001)] = None,
        concurrent_calls: Annotated[int | None, typer.Option(min=1, help="In each server process.")] = None,
        memories: Annotated[int | None, typer.Option(min=0)] = None,
        stored_bytes: Annotated[int | None, typer.Option(min=0, help="Of their texts.")] = None,
        model_tokens_per_day: Annotated[int | None, typer.Option(min=0)] = None,
        clear: Annotated[bool, typer.Option("--clear", help="Takes all limits of its own away.")] = False,
        data_dir: Annotated[Path | None, typer.Option("--data-dir", help="Where the embedded data lives.")] = None,
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
        typer.echo("\n".join(f"{field:22} {value:,g}" for field, value in own.items()) or "no limits of its own")

    return cli

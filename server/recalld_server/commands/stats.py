"""`recalld stats`: figures beside the database, of a namespace or of every tenant."""

from __future__ import annotations

import json
from dataclasses import fields
from datetime import timedelta
from typing import Annotated, Any

import typer

from recalld_server.bootstrap import TENANT
from recalld_server.commands.common import Beside, DataDir, beside
from recalld_server.commands.keys import known
from recalld_server.core.access import Access
from recalld_server.core.stats import Figures
from recalld_server.model import EVERY_AGENT, Principal, Role, Stats, TimeSpan, utc_now


def stats(
    namespace: Annotated[str, typer.Argument(help="The namespace; without one, all of each tenant.")] = "",
    days: Annotated[int, typer.Option(min=1, max=36_500, help="For the figures that are about a time.")] = 7,
    tenant: Annotated[str | None, typer.Option(help="Of this tenant only; of the namespace: default.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object for each tenant.")] = False,
    data_dir: DataDir = None,
) -> None:
    """Prints what the service holds and how it is used, memories that are private to agents included.

    Example: recalld stats --days 30 --json
    """
    span = TimeSpan(utc_now() - timedelta(days=days), None)

    async def work(by: Beside) -> list[tuple[str, Stats]]:
        store, figures = by.store, Figures(by.store, Access(by.store), model_id=by.model_id)
        one = tenant or (TENANT if namespace else None)
        found = []
        for name in [one] if one else await store.list_tenants():
            operator = Principal(await known(store, name), name, EVERY_AGENT, frozenset({Role.ADMIN}), "")
            found.append((name, await figures.stats(operator, namespace, span)))
        return found

    for name, figures in beside(data_dir, work):
        shown = {"tenant": name, **_plain(figures)}
        if as_json:
            typer.echo(json.dumps(shown))
        else:
            for figure, value in shown.items():
                typer.echo(f"{figure:26} {value:,}" if isinstance(value, int) else f"{figure:26} {value}")


def _plain(figures: Stats) -> dict[str, Any]:
    plain = {each.name: getattr(figures, each.name) for each in fields(Stats)}
    plain["counts"] = {f"{each.kind.name}/{each.state.name}": each.count for each in figures.counts}
    plain["days"] = {f"{each.day:%Y-%m-%d}": [each.created, each.searches] for each in figures.days}
    return plain

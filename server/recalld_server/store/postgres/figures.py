"""What an operator sees of all tenants together: numbers, and no name of anybody."""

from __future__ import annotations

from collections.abc import Sequence

from recalld_server import telemetry
from recalld_server.model import Kind, State
from recalld_server.store.postgres.queries import load
from recalld_server.store.postgres.transaction import Row

SQL = load("figures.sql")


def observe(rows: Sequence[Row]) -> None:
    """Tells the metrics what `operator_figures` found."""
    memories = [
        (row["amount"], {"kind": _name(Kind, row["kind"]), "state": _name(State, row["state"])})
        for row in rows
        if row["figure"] == "memories"
    ]
    telemetry.observe("recalld.memories", memories)
    for figure in ("depth", "age", "failed"):
        values = [(row["amount"], {"queue": row["queue"]}) for row in rows if row["figure"] == figure]
        telemetry.observe(f"recalld.queue.{figure}", values)


def _name(words: type[Kind] | type[State], number: int) -> str:
    try:
        return words(number).name.lower()
    except ValueError:
        return "unknown"

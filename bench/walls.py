"""What the second wall costs a search: the same searches with row-level security and with it switched off, turn about.

The settings of the scope are made in both, since the functions of the lexical arm look at them. Example:
    python -m bench.walls
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from pathlib import Path

import asyncpg

from bench.load import machine, query, save, table
from bench.seed import seed
from recalld_server.bootstrap import TENANT
from recalld_server.core.access import Access
from recalld_server.core.search import Searches
from recalld_server.core.types import SearchQuery
from recalld_server.embedded import start_postgres, stop_postgres
from recalld_server.logs import configure_logs
from recalld_server.model import Policy, Principal, Role
from recalld_server.models.hash import HashEmbedder
from recalld_server.store.postgres import PoolOptions, PostgresStore, migrate

SIZES = (1_000, 5_000)
SPACE = "searched"
BLOCK, WARM = 25, 5
"""Searches between two switches, and those of them that only make plans again."""


async def _switch(connection: asyncpg.Connection, *, on: bool) -> None:
    tables = await connection.fetch(
        "SELECT oid::regclass::text AS name FROM pg_class"
        " WHERE relnamespace = 'recalld'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition"
    )
    state = "ENABLE" if on else "DISABLE"
    await connection.execute("; ".join(f"ALTER TABLE {each['name']} {state} ROW LEVEL SECURITY" for each in tables))


async def _turn_about(
    store: PostgresStore, connection: asyncpg.Connection, embedder: HashEmbedder, rounds: int
) -> dict[str, list[float]]:
    """Milliseconds of each search with the wall and without, in alternating blocks of the same searches."""
    who = Principal(await store.ensure_tenant(TENANT), TENANT, "bench", frozenset({Role.READER}), "")
    searches = Searches(store, Access(store), embedder)
    taken: dict[str, list[float]] = {"with": [], "without": []}
    for first in range(0, rounds, BLOCK):
        for name in taken:
            await _switch(connection, on=name == "with")
            for number in range(first, first + BLOCK):
                search = SearchQuery((SPACE,), query(number * 7), top_k=10)
                begin = time.perf_counter()
                await searches.search(who, search)
                if number - first >= WARM:
                    taken[name].append((time.perf_counter() - begin) * 1000)
    await _switch(connection, on=True)
    return taken


async def measure(folder: Path, rounds: int) -> dict[int, dict[str, float]]:
    """p50 by size and wall."""
    dsn = start_postgres(folder).dsn()
    await migrate(dsn)
    embedder = HashEmbedder()
    store = PostgresStore(dsn, PoolOptions(size=1))
    await store.start()
    connection = await asyncpg.connect(dsn, server_settings={"search_path": "recalld"})
    found: dict[int, dict[str, float]] = {}
    try:
        await store.embedding_model(embedder.id, embedder.dimensions)
        await store.create_namespace(await store.ensure_tenant(TENANT), SPACE, description="", policy=Policy())
        written = 0
        for size in SIZES:
            await seed(folder, TENANT, [SPACE], range(written, size), HashEmbedder())
            written = size
            taken = await _turn_about(store, connection, embedder, rounds)
            found[size] = {name: statistics.median(each) for name, each in taken.items()}
    finally:
        await connection.close()
        await store.close()
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=500)
    parser.add_argument("--results", type=Path, default=Path(__file__).parent / "results")
    arguments = parser.parse_args()
    configure_logs("error", "console")
    with tempfile.TemporaryDirectory(prefix="recalld-bench-", ignore_cleanup_errors=True) as directory:
        folder = Path(directory)
        folder.chmod(0o755)
        try:
            found = asyncio.run(measure(folder, arguments.rounds))
        finally:
            stop_postgres(folder)
    rows = [
        [
            f"{size:,}",
            f"{p50['with']:.2f}",
            f"{p50['without']:.2f}",
            f"{100 * (p50['with'] / p50['without'] - 1):+.1f} %",
        ]
        for size, p50 in found.items()
    ]
    print(table(["memories", "p50 with policies, ms", "p50 without, ms", "cost"], rows))
    save("walls", arguments.results, {"machine": machine(), "rounds": arguments.rounds, "p50": found})
    return 0


if __name__ == "__main__":
    sys.exit(main())

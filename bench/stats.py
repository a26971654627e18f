"""How long figures take, however many memories there are, beside the count of every row that they replace.

The rows are made by SQL, and the counters by one count of them: writing a million over the API takes hours. Example:
    python -m bench.stats                  10k and 100k memories
    python -m bench.stats --full           a million
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import asyncpg

from bench import bounds
from bench.load import Call, machine, run, save, table
from recalld import Client
from recalld_server.demo.process import serving

SIZES, FULL_SIZES = (10_000, 100_000), (10_000, 100_000, 1_000_000)
SPACE = "counted"
CHUNK = 50_000
TARGET = 50.0
"""Milliseconds."""

MEMORIES = """
INSERT INTO memories (namespace_id, memory_id, content, kind, state, visibility, agent_id, create_time, update_time,
  event_time, revision, user_id, session_id, speaker, tags, entities, tool_calls, importance, confidence, metadata,
  counterfactual, source_ids, supersedes, conflicts_with, expire_time, use_count, index_state, index_error, content_hash,
  terms, lex, words)
SELECT $1, md5('memory ' || n)::uuid, 'The memory of number ' || n || '. 第' || n || '条记忆。', 1 + n % 4,
  (ARRAY[1, 1, 1, 1, 1, 1, 2, 4, 5])[1 + n % 9], 1 + (n % 10 > 0)::int, 'agent' || n % 5, at, at, at, 1, 'user' || n % 100, '',
  '', '{}', '{}', '[]', 0.5, n % 100 / 100.0, '{}', '', '{}', '{}', '{}',
  CASE n % 20 WHEN 0 THEN now() + (n % 1000000 - 3000) * interval '1 second' END, 0, 1 + (n % 50 > 0)::int, '',
  decode(md5(n::text), 'hex'), ARRAY[n % 5000], '{}/1048576', 8
FROM (SELECT n, now() - n % 2000000 * interval '1 second' AS at FROM generate_series($2::int, $3::int - 1) AS n) AS numbered
"""
FOUND = """
INSERT INTO found SELECT namespace_id, memory_id FROM memories WHERE namespace_id = $1 AND memory_id < '80000000-0000-0000-0000-000000000000'
ON CONFLICT DO NOTHING
"""
SEARCHES = """
INSERT INTO searches (tenant_id, search_id, agent_id, namespace_ids, memory_ids, helped, milliseconds, create_time)
SELECT tenant_id, md5('search ' || n)::uuid, 'agent' || n % 5, ARRAY[namespace_id], '{}', n % 3 = 0,
  exp(2 + n % 700 / 100.0), now() - n % 600000 * interval '1 second'
FROM namespaces, generate_series($2::int, $3::int - 1) AS n WHERE namespace_id = $1
"""
COUNTERS = [
    "DELETE FROM counts WHERE namespace_id = $1",
    "DELETE FROM expiring WHERE namespace_id = $1",
    "DELETE FROM created_days WHERE namespace_id = $1",
    "DELETE FROM search_places WHERE namespace_id = $1",
    "DELETE FROM search_hours WHERE place = search_place(ARRAY[$1::uuid])",
    """INSERT INTO counts SELECT namespace_id, audience, kind, state, count(*), sum(octet_length(content)), sum(confidence),
      count(f), count(*) FILTER (WHERE state = 1 AND index_state = 1), count(*) FILTER (WHERE state = 1 AND index_state = 3)
    FROM held LEFT JOIN found f USING (namespace_id, memory_id) WHERE namespace_id = $1 GROUP BY 1, 2, 3, 4""",
    """INSERT INTO expiring SELECT namespace_id, expiry_slot(expire_time), audience, kind, count(*), sum(confidence), count(f)
    FROM held LEFT JOIN found f USING (namespace_id, memory_id)
    WHERE namespace_id = $1 AND state = 1 AND expire_time IS NOT NULL GROUP BY 1, 2, 3, 4""",
    """INSERT INTO created_days SELECT namespace_id, audience, (create_time AT TIME ZONE 'UTC')::date, count(*)
    FROM held WHERE namespace_id = $1 GROUP BY 1, 2, 3""",
    "INSERT INTO search_places SELECT tenant_id, namespace_id, search_place(ARRAY[namespace_id]) FROM namespaces"
    " WHERE namespace_id = $1",
    """INSERT INTO search_hours SELECT tenant_id, search_place(namespace_ids), date_trunc('hour', create_time, 'UTC'),
      latency_band(milliseconds), count(*), count(*) FILTER (WHERE helped)
    FROM searches WHERE namespace_ids = ARRAY[$1::uuid] GROUP BY 1, 2, 3, 4""",
]
EVERY_ROW = """
SELECT count(*), avg(confidence), sum(octet_length(content)), count(*) FILTER (WHERE f IS NULL)
FROM memories LEFT JOIN found f USING (namespace_id, memory_id)
WHERE namespace_id = $1 AND state = 1 AND (expire_time IS NULL OR expire_time > now())
"""


async def fill(data_dir: Path, first: int, last: int) -> None:
    """Makes memories of these numbers, a fifth as many searches, and counts them."""
    async with bounds.pool(data_dir, 1) as connections, connections.acquire() as connection:
        await connection.execute("SET statement_timeout = 0")
        await connection.execute(
            "CREATE TEMP VIEW held AS SELECT *, CASE visibility WHEN 2 THEN '' ELSE agent_id END AS audience FROM memories"
        )
        namespace_id = await connection.fetchval("SELECT namespace_id FROM namespaces WHERE name = $1", SPACE)
        for start in range(first, last, CHUNK):
            stop = min(start + CHUNK, last)
            await connection.execute(MEMORIES, namespace_id, start, stop, timeout=None)
            await connection.execute(SEARCHES, namespace_id, start // 5, stop // 5)
        await connection.execute(FOUND, namespace_id)
        for statement in COUNTERS:
            await connection.execute(statement, namespace_id)
        await connection.execute("VACUUM (ANALYZE)")


async def every_row(data_dir: Path, repeats: int = 5) -> tuple[float, asyncpg.Record]:
    """The fastest of some counts of every row, in milliseconds, and what it says."""
    async with bounds.pool(data_dir, 1) as connections:
        namespace_id = await connections.fetchval("SELECT namespace_id FROM namespaces WHERE name = $1", SPACE)
        times = []
        for _ in range(repeats):
            begin = time.perf_counter()
            row = await connections.fetchrow(EVERY_ROW, namespace_id)
            times.append(time.perf_counter() - begin)
    return min(times) * 1000, row


def p50_p95(call: Callable[[], object], calls: int) -> tuple[float, float]:
    """In milliseconds."""
    call()
    times = []
    for _ in range(calls):
        begin = time.perf_counter()
        call()
        times.append((time.perf_counter() - begin) * 1000)
    times.sort()
    return times[calls // 2], times[int(calls * 0.95)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="a million memories (some minutes, 3 GB)")
    parser.add_argument("--calls", type=int, default=100)
    parser.add_argument("--sizes", type=int, nargs="+", help="memories, ascending; instead of the usual")
    parser.add_argument("--results", type=Path, default=Path(__file__).parent / "results")
    arguments = parser.parse_args()
    found: dict[int, dict[str, float]] = {}
    with tempfile.TemporaryDirectory(prefix="recalld-bench-", ignore_cleanup_errors=True) as directory:
        Path(directory).chmod(0o755)
        with (
            serving(Path(directory), {"RECALLD_EMBEDDER": "hash"}) as running,
            Client(running.address, key=running.root_key, namespace=SPACE) as client,
        ):
            client.namespaces.create(SPACE)
            written = 0
            for size in arguments.sizes or (FULL_SIZES if arguments.full else SIZES):
                asyncio.run(fill(running.data_dir, written, size))
                written = size
                counted, row = asyncio.run(every_row(running.data_dir))
                own = client.stats()
                echo = run(
                    running.address, running.root_key, running.process.pid, Call("echo", SPACE), callers=1, calls=60
                )
                p50, p95 = p50_p95(client.stats, arguments.calls)
                tenant, _ = p50_p95(lambda: client.stats(all_namespaces=True), arguments.calls)
                found[size] = {"p50": p50, "p95": p95, "tenant p50": tenant, "every row": counted, "echo p50": echo.p50}
                print(f"{size:,}: {own.total:,} live to this agent, {row[0]:,} to all", file=sys.stderr, flush=True)
    rows = [[f"{size:,}", *(f"{value:.1f}" for value in each.values())] for size, each in found.items()]
    columns = [
        "memories",
        "Stats p50 ms",
        "p95 ms",
        "of the tenant, p50 ms",
        "one count of every row, ms",
        "echo p50, ms",
    ]
    print(table(columns, rows) + f"\n\ntarget: {TARGET:g} ms")
    save("stats", arguments.results, {"machine": machine(), "found": found})
    return 0


if __name__ == "__main__":
    sys.exit(main())

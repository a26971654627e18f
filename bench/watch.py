"""How soon a watcher sees what another agent writes, on the same server and on another one, and what a notification costs.

Example: python -m bench.watch
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import asyncpg

from bench.load import machine, save, table, text
from recalld import AsyncClient
from recalld_server.app import prepare
from recalld_server.demo.process import Running, serving
from recalld_server.settings import read_settings

FAST = {"RECALLD_EMBEDDER": "hash"}
WARM = 10


async def delays(writer: Running, watcher: Running, calls: int) -> dict[str, list[float]]:
    """Seconds of each write until its answer, and from there until a watcher was told; one write after the other."""
    key = writer.root_key
    seen: asyncio.Queue[tuple[str, float]] = asyncio.Queue()
    async with AsyncClient(writer.address, key=key) as writes, AsyncClient(watcher.address, key=key) as watches:
        watch = watches.watch(types="created")

        async def follow() -> None:
            async for event in watch:
                seen.put_nowait((event.memory_id, time.perf_counter()))

        following = asyncio.create_task(follow())
        while not watch.resume_token:  # noqa: ASYNC110 - set by the first message, which the client keeps to itself
            await asyncio.sleep(0.01)
        answered, told = [], []
        for number in range(calls + WARM):
            begin = time.perf_counter()
            result = await writes.write(f"{text(number)} {begin}")
            answer = time.perf_counter()
            memory_id, at = await asyncio.wait_for(seen.get(), 30)
            if memory_id != result.memory_id:
                raise SystemExit("a watcher was told of another memory than the one that was written")
            answered.append(answer - begin)
            told.append(at - answer)
        watch.close()
        await following
    return {"Write": answered[WARM:], "told after its answer": told[WARM:]}


async def commits(data_dir: Path, calls: int) -> dict[str, list[float]]:
    """Seconds of a small transaction that commits without waiting for the disk, without and with a notification."""
    connection = await asyncpg.connect(prepare(read_settings({}, data_dir=data_dir)).database_url)
    found: dict[str, list[float]] = {"bare": [], "notifying": []}
    try:
        await connection.execute("SET synchronous_commit = off; CREATE TEMPORARY TABLE t (n int)")
        for number in range(calls):
            for name, notify in (("bare", ""), ("notifying", f"NOTIFY recalld_changes, '{number:032x}'; ")):
                await connection.execute("BEGIN")
                await connection.execute(f"INSERT INTO t VALUES ({number})")
                begin = time.perf_counter()
                await connection.execute(f"{notify}COMMIT")
                found[name].append(time.perf_counter() - begin)
    finally:
        await connection.close()
    return found


def figures(times: Sequence[float]) -> dict[str, float]:
    """In milliseconds."""
    ordered = sorted(times)
    return {
        "p50": 1000 * ordered[len(ordered) // 2],
        "p95": 1000 * ordered[int(len(ordered) * 0.95)],
        "max": 1000 * ordered[-1],
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=100)
    parser.add_argument("--results", type=Path, default=Path(__file__).parent / "results")
    arguments = parser.parse_args()
    found: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory(prefix="recalld-bench-", ignore_cleanup_errors=True) as directory:
        Path(directory).chmod(0o755)
        with serving(Path(directory), FAST) as one, serving(Path(directory), FAST) as other:
            for name, watcher in (("same server", one), ("another server", other)):
                times = asyncio.run(delays(one, watcher, arguments.calls))
                found |= {f"{what}, {name}": figures(each) for what, each in times.items()}
            times = asyncio.run(commits(Path(directory), 10 * arguments.calls))
            found |= {f"commit, {what}": figures(each) for what, each in times.items()}
    rows = [[name, *(f"{each[value]:.2f}" for value in ("p50", "p95", "max"))] for name, each in found.items()]
    print(table(["", "p50 ms", "p95 ms", "max ms"], rows))
    save("watch", arguments.results, {"machine": machine(), "times": found})
    return 0


if __name__ == "__main__":
    sys.exit(main())

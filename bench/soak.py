"""Mixed load for half an hour: memory, tasks, files, latency and tables of the server must not creep. Example:
    python -m bench.soak --minutes 30
Writes, searches, contexts, updates, turns, watches and forgets go on from a few callers; every ten seconds the server is
looked at. Ends with 1 when something grew that must not: memory, open files or tasks by more than a tenth over the second
half, latency by more than half, or tables beyond what is live and what is kept of calls for a while.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import re
import sys
import tempfile
import time
import urllib.request
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import asyncpg

from bench.load import machine, memory, query, save, table
from recalld import AsyncClient, errors
from recalld_server.demo.process import Running, free_port, serving
from recalld_server.embedded import start_postgres

CALLERS = 4
LIVE = 2_000
"""Memories that are kept alive: beyond these, each write is followed by an erasure."""
TURNS = 40
"""Of a person's session, before the person is erased."""
KEPT_A_WHILE = (
    *("requests", "changes", "searches", "found", "audit", "duplicates"),
    *("forget_orders", "reflections", "reflection_insights"),
)
"""Tables of what is kept of calls for hours or days, so that they grow with each call for as long as a run takes."""
PAUSE = 0.02
"""Seconds that a caller rests between calls, so that the load is steady and not the most that goes."""


@dataclass(frozen=True, slots=True)
class Sample:
    """The server at one moment."""

    seconds: float
    rss_megabytes: float
    open_files: int
    tasks: int
    p50_milliseconds: float
    """Of all calls since the last sample."""
    calls: int
    table_megabytes: float
    """Without those that are kept a while."""
    live_rows: int


class Load:
    """What the callers do, and how long it took."""

    def __init__(self, client: AsyncClient, live: int) -> None:
        self._client = client
        self._live = live
        self._number = 0
        self._turns = 0
        self._alive: list[str] = []
        self.times: list[float] = []
        self.counts: dict[str, int] = defaultdict(int)

    async def caller(self, until: float) -> None:
        """One caller, to the end of the run."""
        verbs = [self.write] * 4 + [self.search] * 4 + [self.context, self.update] * 2 + [self.turn, self.watch]
        while time.monotonic() < until:
            verb = random.choice(verbs)
            begin = time.perf_counter()
            await verb()
            self.times.append(time.perf_counter() - begin)
            self.counts[verb.__name__] += 1
            await asyncio.sleep(PAUSE)

    async def write(self) -> None:
        self._number += 1
        self._alive.append((await self._client.write(memory(self._number))).memory_id)
        if len(self._alive) > self._live:
            await self._client.forget(self._alive.pop(0), mode="erase")

    async def search(self) -> None:
        await self._client.search(query(random.randrange(self._number + 1)), top_k=5)

    async def context(self) -> None:
        await self._client.context(query(random.randrange(self._number + 1)), max_tokens=300)

    async def update(self) -> None:
        if not self._alive:
            return
        # another caller changes or erases the same one now and then
        with suppress(errors.Conflict, errors.NotFound):
            await self._client.update(random.choice(self._alive[-100:]), tags=[f"t{random.randrange(9)}"])

    async def turn(self) -> None:
        """Now and then a person whose sessions have come to an end is erased, with all that was derived from them."""
        self._turns += 1
        person, said = divmod(self._turns, TURNS)
        await self._client.session(f"s-{person}", user_id=f"p-{person}").add(f"{query(said)} 第 {said} 句")
        if said == 0 and person > 1:
            plan = await self._client.plan_forget(user_ids=f"p-{person - 2}", mode="erase")
            # something was said or derived meanwhile: the person is met again
            with suppress(errors.FailedPrecondition):
                await plan.confirm()

    async def watch(self) -> None:
        """Until it has told of something, or is given up: all callers may watch at once, and then nobody writes."""
        with suppress(TimeoutError):
            async with asyncio.timeout(1.0):
                async for _ in self._client.watch():
                    return


def tasks(metrics: int) -> int:
    """Of the server's event loop, as it tells itself."""
    with urllib.request.urlopen(f"http://127.0.0.1:{metrics}/metrics", timeout=30) as answer:
        found = re.search(r"^recalld_loop_tasks(?:{[^}]*})? (\S+)", answer.read().decode(), re.MULTILINE)
    assert found is not None, "the server does not tell of its tasks"
    return int(float(found[1]))


async def soak(
    running: Running, metrics: int, seconds: float, every: float, live: int
) -> tuple[list[Sample], dict[str, int]]:
    """Runs the load and looks at the server every so often. `metrics`: the port of its figures."""
    samples: list[Sample] = []
    begin = time.monotonic()
    database = await asyncpg.connect(start_postgres(running.data_dir).dsn())
    async with AsyncClient(running.address, key=running.root_key, namespace="soak", timeout=120) as client:
        await client.namespaces.create("soak")
        load = Load(client, live)
        callers = [asyncio.create_task(load.caller(begin + seconds)) for _ in range(CALLERS)]
        while not all(caller.done() for caller in callers):
            await asyncio.wait(callers, timeout=every)
            times, load.times = load.times, []
            if times:
                samples.append(await look(running.process.pid, metrics, database, time.monotonic() - begin, times))
                last = samples[-1]
                print(
                    f"\r{last.seconds:6.0f} s of {seconds:.0f}: {last.rss_megabytes:.0f} MB, {last.open_files} files,"
                    f" {last.tasks} tasks, p50 {last.p50_milliseconds:.1f} ms, {last.live_rows} memories, tables {last.table_megabytes:.0f} MB ",
                    end="",
                    flush=True,
                )
        await asyncio.gather(*callers)
    await database.close()
    print()
    return samples, dict(load.counts)


def megabytes(pid: int) -> float:
    """What a process holds in memory."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


async def look(pid: int, metrics: int, database: asyncpg.Connection, seconds: float, times: list[float]) -> Sample:
    size = await database.fetchval(
        "SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c WHERE c.relnamespace = 'recalld'::regnamespace"
        " AND c.relkind = 'r' AND regexp_replace(c.relname, '_[0-9]+$', '') <> ALL ($1)",
        KEPT_A_WHILE,
    )
    rows = await database.fetchval("SELECT count(*) FROM recalld.memories")
    return Sample(
        seconds,
        megabytes(pid),
        len(os.listdir(f"/proc/{pid}/fd")),
        await asyncio.to_thread(tasks, metrics),
        median(times) * 1000,
        len(times),
        float(size) / 1e6,
        rows,
    )


def judge(samples: list[Sample]) -> list[list[str]]:
    """Rows: what, its middle value in the second and in the last quarter, their ratio, the most that is allowed."""
    quarter = max(1, len(samples) // 4)
    second, last = samples[quarter : 2 * quarter] or samples, samples[-quarter:]
    rows = []
    for name, allowed in (
        ("rss_megabytes", 1.1),
        ("open_files", 1.1),
        ("tasks", 1.1),
        ("p50_milliseconds", 1.5),
        ("table_megabytes", 1.5),
    ):
        was, now = (median(getattr(sample, name) for sample in part) for part in (second, last))
        verdict = "ok" if now <= was * allowed else "GREW"
        rows.append([name.replace("_", " "), f"{was:.1f}", f"{now:.1f}", f"{now / was:.2f}", f"{allowed}", verdict])
    return rows


def chart(samples: list[Sample], path: Path) -> None:
    """The samples over time, as a picture."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    names = ("rss_megabytes", "p50_milliseconds", "open_files", "tasks", "table_megabytes")
    figure, axes = pyplot.subplots(len(names), 1, sharex=True, figsize=(8, 8), layout="constrained")
    for axis, name in zip(axes, names, strict=True):
        axis.plot([each.seconds / 60 for each in samples], [getattr(each, name) for each in samples])
        axis.set_ylabel(name.replace("_", " "))
        axis.set_ylim(bottom=0)
    axes[-1].set_xlabel("minutes")
    figure.savefig(path)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--every", type=float, default=10, help="seconds between two looks at the server")
    parser.add_argument("--live", type=int, default=LIVE, help="memories that are kept alive")
    parser.add_argument("--results", type=Path, default=Path(__file__).parent / "results")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="recalld-soak-", ignore_cleanup_errors=True) as directory:
        Path(directory).chmod(0o755)
        metrics = free_port()
        environment = {"RECALLD_EMBEDDER": "hash", "RECALLD_METRICS_LISTEN": str(metrics)}
        with serving(Path(directory), environment) as running:
            seconds = arguments.minutes * 60
            samples, counts = asyncio.run(soak(running, metrics, seconds, arguments.every, arguments.live))
    rows = judge(samples)
    print(table(["", "second quarter", "last quarter", "ratio", "allowed", ""], rows))
    print(f"\ncalls: {', '.join(f'{count:,} {name}' for name, count in sorted(counts.items()))}")
    arguments.results.mkdir(parents=True, exist_ok=True)
    chart(samples, arguments.results / "soak.png")
    save(
        "soak", arguments.results, {"machine": machine(), "minutes": arguments.minutes, "judged": rows, "calls": counts}
    )
    return 1 if any(row[-1] == "GREW" for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())

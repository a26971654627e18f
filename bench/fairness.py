"""What one tenant notices of another that calls as fast as it can: without a limit, and with one.

The quiet tenant has one caller, the noisy one many. Its callers wait as they are told when they are refused (polite), or
call again at once (rude). Example: python -m bench.fairness
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.load import fill, load, machine, query, save, table
from recalld import AsyncClient, Client, RetryPolicy
from recalld.errors import QuotaExceeded
from recalld_server.app import prepare
from recalld_server.core.keys import mint, secret_hash
from recalld_server.demo.process import Running, serving
from recalld_server.model import Limits, Policy, Role
from recalld_server.model.limits import BURST_SECONDS
from recalld_server.settings import read_settings
from recalld_server.store.postgres import PoolOptions, PostgresStore

MEMORIES = 300
ROUNDS = 3
FOLLOWS_SECONDS = 6.0
"""After which a server knows of changed limits."""


async def tenants(running: Running, limits: Limits) -> dict[str, str]:
    """A key for each of two tenants, the noisy one with these limits."""
    endpoints = await asyncio.to_thread(prepare, read_settings({}, data_dir=running.data_dir))
    store = PostgresStore(endpoints.database_url, PoolOptions(size=1))
    await store.start()
    keys = {}
    try:
        for name in ("quiet", "noisy"):
            tenant_id = await store.ensure_tenant(name)
            if await store.get_namespace(tenant_id, "default") is None:
                await store.create_namespace(tenant_id, "default", description="", policy=Policy())
            key_id, keys[name], _ = mint()
            await store.create_key(
                tenant_id,
                key_id=key_id,
                secret_hash=secret_hash(keys[name].rpartition("_")[2]),
                agent_id=name,
                roles=frozenset({Role.ADMIN}),
                namespaces=(),
                description="",
                expire_time=None,
            )
        await store.quotas().set_limits("noisy", limits)
    finally:
        await store.close()
    return keys


@dataclass(frozen=True, slots=True)
class Switches:
    """What the noisy tenant's process is told, and what it tells."""

    go: Any
    stop: Any
    ready: Any
    answers: Any


def noise(address: str, key: str, callers: int, polite: bool, switches: Switches) -> None:
    """Searches with as many callers while it may go."""

    async def caller(client: AsyncClient) -> None:
        number = 0
        while not switches.stop.is_set():
            if not switches.go.is_set():
                await asyncio.sleep(0.02)
                continue
            number += 1
            with suppress(QuotaExceeded):
                await client.search(query(number), top_k=5)
                switches.answers.value += 1

    async def drive() -> None:
        retry = RetryPolicy(attempts=10 if polite else 1)
        async with AsyncClient(address, key=key, retry=retry, read_timeout=120) as client:
            switches.ready.set()
            await asyncio.gather(*(caller(client) for _ in range(callers)))

    asyncio.run(drive())


def searches(client: Client, calls: int) -> list[float]:
    """Seconds of each of one caller's searches, one after the other."""
    times = []
    for number in range(calls):
        start = time.perf_counter()
        client.search(query(number), top_k=5)
        times.append(time.perf_counter() - start)
    return times


def compare(running: Running, keys: dict[str, str], callers: int, calls: int, *, polite: bool) -> dict[str, Any]:
    """The quiet tenant's searches with and without the noisy one, in turns, so that both meet the same machine."""
    context = multiprocessing.get_context("spawn")
    switches = Switches(context.Event(), context.Event(), context.Event(), context.Value("l", 0))
    process = context.Process(
        target=noise, args=(running.address, keys["noisy"], callers, polite, switches), daemon=True
    )
    process.start()
    switches.ready.wait(120)
    alone, beside, noisy_seconds, answered = [], [], 0.0, 0
    with Client(running.address, key=keys["quiet"], read_timeout=120) as client:
        searches(client, 10)
        for _ in range(ROUNDS):
            alone += searches(client, calls // ROUNDS)
            switches.go.set()
            time.sleep(BURST_SECONDS + 1.0)  # what may come at once has come
            before, begin = switches.answers.value, time.perf_counter()
            beside += searches(client, calls // ROUNDS)
            noisy_seconds += time.perf_counter() - begin
            answered += switches.answers.value - before
            switches.go.clear()
            time.sleep(1.0)  # what is under way ends
    switches.stop.set()
    process.join()
    first, second = load(alone, 1.0, 0.0), load(beside, 1.0, 0.0)
    return {
        "p50 alone": first.p50,
        "p50 beside": second.p50,
        "p95 alone": first.p95,
        "p95 beside": second.p95,
        "ratio": second.p95 / first.p95,
        "others a second": answered / noisy_seconds,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=100, help="of the quiet tenant, per measurement")
    parser.add_argument("--callers", type=int, default=16, help="of the noisy tenant")
    parser.add_argument("--rate", type=float, default=5.0, help="calls a second that the noisy tenant may make")
    parser.add_argument("--results", type=Path, default=Path(__file__).parent / "results")
    arguments = parser.parse_args()
    found: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory(prefix="recalld-bench-", ignore_cleanup_errors=True) as directory:
        Path(directory).chmod(0o755)
        with serving(Path(directory), {"RECALLD_EMBEDDER": "hash"}) as running:
            keys = asyncio.run(tenants(running, Limits()))
            for key in keys.values():
                with Client(running.address, key=key) as client:
                    fill(client, "default", 0, MEMORIES)
            rate = arguments.rate
            for name, limits, polite in (
                ("no limit", Limits(), True),
                (f"{rate:g} a second, polite", Limits(requests_per_second=rate), True),
                (f"{rate:g} a second, rude", Limits(requests_per_second=rate), False),
                (f"{rate:g} a second and 1 at once, rude", Limits(rate, concurrent_calls=1), False),
            ):
                keys = asyncio.run(tenants(running, limits))
                time.sleep(FOLLOWS_SECONDS)
                found[name] = compare(running, keys, arguments.callers, arguments.calls, polite=polite)
    columns = list(next(iter(found.values())))
    rows = [[name, *(f"{each[column]:.1f}" for column in columns)] for name, each in found.items()]
    print(table(["the noisy tenant", *columns], rows))
    save("fairness", arguments.results, {"machine": machine(), "found": found})
    return 0


if __name__ == "__main__":
    sys.exit(main())

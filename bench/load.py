"""Load from client processes of their own, what it costs the server, and how the figures are shown."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import platform
import random
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from recalld import AsyncClient, Client, MemoryInput

SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "an", "or")]
WORDS = ["".join(random.Random(n).choices(SYLLABLES, k=2 + n % 2)) for n in range(4_000)]
SHARES = {"half": 2, "percent": 100, "rare": 10_000}
"""Tag: one memory in that many has it."""
TICK = os.sysconf("SC_CLK_TCK")


def text(number: int) -> str:
    """The nth text: 8 to 16 words, some common and most rare, each text another."""
    chance = random.Random(number)
    words = [WORDS[int(len(WORDS) * chance.random() ** 2)] for _ in range(chance.randint(8, 16))]
    return f"{' '.join(words).capitalize()} {number}."


def memory(number: int) -> MemoryInput:
    """The nth memory, with the tags of its share."""
    return MemoryInput(text(number), tags=[tag for tag, every in SHARES.items() if number % every == 0])


@dataclass(frozen=True, slots=True)
class Load:
    """What one kind of call showed. Times in milliseconds; `cpu` is the server process's per call, without the database's."""

    calls: int
    p50: float
    p95: float
    per_second: float
    cpu: float

    @property
    def cells(self) -> list[str]:
        return [f"{self.p50:.1f}", f"{self.p95:.1f}", f"{self.per_second:.0f}", f"{self.cpu:.1f}"]


CELLS = ["p50 ms", "p95 ms", "a second", "server CPU ms"]


@dataclass(frozen=True, slots=True)
class Call:
    """One kind of call: `verb` is "write", "search" or "echo"; `filters` are those of a search."""

    verb: str
    namespace: str
    first: int = 0
    tags: tuple[str, ...] = ()


def seconds_of_cpu(pid: int) -> float:
    """CPU seconds that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def run(address: str, key: str, pid: int, call: Call, *, callers: int, calls: int, warm: int = 20) -> Load:
    """Makes `calls` calls from `callers` callers in client processes of their own (two when there are many callers)."""
    processes = 1 if callers < 8 else 2
    context = multiprocessing.get_context("spawn")
    barrier, answers = context.Barrier(processes + 1), context.SimpleQueue()
    share = calls // processes
    workers = []
    for at in range(processes):
        mine = Call(call.verb, call.namespace, call.first + at * (share + warm), call.tags)
        arguments = (address, key, mine, callers // processes, share, warm, barrier, answers)
        workers.append(context.Process(target=_client, args=arguments, daemon=True))
    for worker in workers:
        worker.start()
    barrier.wait(120)
    cpu, begin = seconds_of_cpu(pid), time.perf_counter()
    times = [each for _ in workers for each in answers.get()]
    wall, cpu = time.perf_counter() - begin, seconds_of_cpu(pid) - cpu
    for worker in workers:
        worker.join()
    if len(times) != share * processes:
        raise SystemExit(f"{call.verb}: {share * processes - len(times)} calls failed")
    return load(times, wall, cpu)


def load(times: Sequence[float], wall: float, cpu: float) -> Load:
    """From single times in seconds, and the wall time and CPU time of them all."""
    ordered, n = sorted(times), len(times)
    return Load(n, ordered[n // 2] * 1000, ordered[int(n * 0.95)] * 1000, n / wall, cpu * 1000 / n)


def _client(
    address: str, key: str, call: Call, callers: int, calls: int, warm: int, barrier: Any, answers: Any
) -> None:
    async def drive() -> list[float]:
        async with AsyncClient(address, key=key, namespace=call.namespace, timeout=120, read_timeout=120) as client:
            verb = _verb(client, call, address)
            for number in range(warm):
                await verb(call.first + number)
            barrier.wait(120)
            return await spread(verb, range(call.first + warm, call.first + warm + calls), callers)

    try:
        times = asyncio.run(drive())
    except BaseException:  # whatever it is, the parent waits for an answer
        answers.put([])
        raise
    answers.put(times)


async def spread(verb: Callable[[int], Awaitable[object]], numbers: range, callers: int) -> list[float]:
    """Calls the verb with each number, `callers` at a time; the seconds that each took."""
    waiting: Iterator[int] = iter(numbers)
    times: list[float] = []

    async def caller() -> None:
        for number in waiting:
            begin = time.perf_counter()
            await verb(number)
            times.append(time.perf_counter() - begin)

    await asyncio.gather(*(caller() for _ in range(callers)))
    return times


def _verb(client: AsyncClient, call: Call, address: str) -> Callable[[int], Awaitable[object]]:
    if call.verb == "write":
        return lambda number: client.write(memory(number))
    if call.verb == "search":
        tags = list(call.tags)
        return lambda number: client.search(query(number), top_k=5, all_tags=tags)
    channel = grpc.aio.insecure_channel(address)
    stub: Any = health_pb2_grpc.HealthStub(channel)  # its stubs name no methods
    request = health_pb2.HealthCheckRequest()

    async def echo(number: int) -> object:
        return await stub.Check(request)

    return echo


def query(number: int) -> str:
    """Half of the words of a text."""
    return " ".join(text(number % 500).split()[::2])


def fill(client: Client, namespace: str, first: int, last: int, *, batch: int = 500) -> float:
    """Writes texts number `first` up to `last` by BatchWrite, `batch` at a time; rows a second."""
    view, begin = client.namespace(namespace), time.perf_counter()
    for start in range(first, last, batch):
        stop = min(last, start + batch)
        result = view.write_batch([memory(number) for number in range(start, stop)], timeout=600)
        failed = [item for item in result if item.result is None]
        if failed:
            raise SystemExit(f"BatchWrite: {failed[0].error}")
    return (last - first) / (time.perf_counter() - begin)


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table."""
    return "\n".join(f"| {' | '.join(row)} |" for row in [columns, ["---"] * len(columns), *rows])


def machine() -> dict[str, object]:
    """Where this runs, and how busy it is besides."""
    return {"cores": os.cpu_count(), "python": platform.python_version(), "load_before": round(os.getloadavg()[0], 1)}


def save(name: str, results: Path, figures: dict[str, object]) -> None:
    """Writes <name>.json."""
    results.mkdir(parents=True, exist_ok=True)
    (results / f"{name}.json").write_text(json.dumps(figures, indent=1) + "\n")

"""A server whose reads a standby may answer, in this process, and what can be asked of it."""

from __future__ import annotations

import asyncio
import re
import urllib.request
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from recalld import AsyncClient, RetryPolicy
from recalld_server.app import App, Endpoints
from recalld_server.core.keys import mint
from recalld_server.demo.process import free_port
from recalld_server.settings import read_settings

SERVING, NOT_SERVING = health_pb2.HealthCheckResponse.SERVING, health_pb2.HealthCheckResponse.NOT_SERVING
REPLICA = "recalld.dependency.replica"


@dataclass(frozen=True)
class Server:
    address: str
    key: str
    metrics_port: int

    def client(self, **more: Any) -> AsyncClient:
        """One that tries once: what it sees is what the server does."""
        options: dict[str, Any] = {"key": self.key, "retry": RetryPolicy(attempts=1), **more}
        return AsyncClient(self.address, **options)

    async def reads(self, result: str) -> float:
        """How many reads ended so."""
        text = await asyncio.to_thread(_fetch, f"http://127.0.0.1:{self.metrics_port}/metrics")
        found = re.search(rf'^recalld_replica_reads_total{{result="{result}"}} (\S+)', text, re.MULTILINE)
        return float(found[1]) if found else 0.0

    async def served(self, read: Callable[[], Awaitable[Any]]) -> Any:
        """What a read answers once the standby answers it."""

        async def once() -> tuple[Any] | None:
            before = await self.reads("served")
            answer = await read()
            return (answer,) if await self.reads("served") > before else None

        return (await until(once, "the standby answers"))[0]

    async def health(self, service: str, wanted: int) -> None:
        """Returns when health says so about a service."""
        async with asyncio.timeout(30), grpc.aio.insecure_channel(self.address) as channel:
            watch = health_pb2_grpc.HealthStub(channel).Watch(health_pb2.HealthCheckRequest(service=service))  # type: ignore[attr-defined]
            async for answer in watch:
                if answer.status == wanted:
                    return
        raise AssertionError(f"health never said {wanted} about {service}")


async def until(condition: Callable[[], Awaitable[Any]], what: str, seconds: float = 30.0) -> Any:
    """What the condition returns when that is true."""
    try:
        async with asyncio.timeout(seconds):
            while not (found := await condition()):  # noqa: ASYNC110 - what is waited for is in another process
                await asyncio.sleep(0.05)
            return found
    except TimeoutError:
        raise AssertionError(f"waited {seconds} s in vain: {what}") from None


@asynccontextmanager
async def replicated(database: str, folder: Path, *replicas: str, **settings: Any) -> AsyncIterator[Server]:
    port = free_port()
    options = {
        "listen": "127.0.0.1:0",
        "embedder": "hash",
        "database_url": database,
        "replica_database_url": " ".join(replicas) or None,
        "root_key_file": folder / "root.key",
        "metrics_listen": f"127.0.0.1:{port}",
        "grace_seconds": 0.5,
        # a machine that is busy with other things must not pass for a standby that is behind
        "replica_max_lag_seconds": 60.0,
    }
    key = mint()[1]
    (folder / "root.key").write_text(key)
    app = App(read_settings({}, **options | settings), Endpoints(folder, database, database, None))
    try:
        address = await app.start()
        yield Server(address, key, port)
    finally:
        await app.stop()


def _fetch(url: str) -> str:
    with urllib.request.urlopen(url, timeout=10) as answer:
        text: str = answer.read().decode()
        return text

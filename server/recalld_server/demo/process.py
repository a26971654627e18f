"""A server of one's own in a process of its own, for the demo and for end-to-end tests."""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import grpc
from grpc_health.v1 import health_pb2

START_SECONDS = 60.0
STOP_SECONDS = 20.0


class ServerError(Exception):
    """The server did not come up; the message holds the end of its log."""


@dataclass(frozen=True, slots=True)
class Running:
    """A server that answers."""

    address: str
    data_dir: Path
    process: subprocess.Popen[bytes]

    @property
    def root_key(self) -> str:
        return (self.data_dir / "root.key").read_text().strip()


PORTS = range(10_240, 32_768)
"""Below those that a system gives to outgoing connections, which would take a port between its choice and its use."""


def free_port() -> int:
    """A port of the loopback interface that nobody listens on now. Raises ServerError when none is found."""
    for port in random.sample(PORTS, 200):
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise ServerError("no port of 127.0.0.1 is free")


def start(data_dir: Path, environment: Mapping[str, str] | None = None, *, workers: int = 1) -> Running:
    """Starts `recalld serve` and waits until health says SERVING. Raises ServerError."""
    address = f"127.0.0.1:{free_port()}"
    data_dir.mkdir(parents=True, exist_ok=True)
    log_path = data_dir / "demo-server.log"
    command = [sys.executable, "-m", "recalld_server", "serve", "--data-dir", str(data_dir), "--listen", address]
    command += ["--workers", str(workers)]
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("RECALLD_")}
    with log_path.open("ab") as log:
        process = subprocess.Popen(  # noqa: S603 - our own program
            command,
            env={**inherited, **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        _wait(address, process)
    except TimeoutError as error:
        stop(process)
        tail = log_path.read_text(errors="replace")[-2000:]
        raise ServerError(f"the server did not answer within {START_SECONDS:.0f} s:\n{tail}") from error
    except ChildProcessError as error:
        raise ServerError(f"the server ended:\n{log_path.read_text(errors='replace')[-2000:]}") from error
    return Running(address, data_dir, process)


def stop(process: subprocess.Popen[bytes]) -> int:
    """Asks a server to end and waits for it; one that does not is killed. Returns its exit code."""
    process.send_signal(signal.SIGTERM)
    try:
        return process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


@contextmanager
def serving(data_dir: Path, environment: Mapping[str, str] | None = None, *, workers: int = 1) -> Iterator[Running]:
    """A server for the length of a with block."""
    running = start(data_dir, environment, workers=workers)
    try:
        yield running
    finally:
        stop(running.process)


def _wait(address: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_SECONDS
    # a channel that found nobody waits longer and longer before it looks again
    with grpc.insecure_channel(address, [("grpc.max_reconnect_backoff_ms", 500)]) as channel:
        # the stub package types no methods
        check = channel.unary_unary(
            "/grpc.health.v1.Health/Check",
            request_serializer=health_pb2.HealthCheckRequest.SerializeToString,
            response_deserializer=health_pb2.HealthCheckResponse.FromString,
        )
        while time.monotonic() < deadline:
            if process.poll() is not None:
                raise ChildProcessError
            try:
                reply = check(health_pb2.HealthCheckRequest(), timeout=1, wait_for_ready=True)
            except grpc.RpcError:
                continue
            if reply.status == health_pb2.HealthCheckResponse.SERVING:
                return
    raise TimeoutError

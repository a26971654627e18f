"""What Compose would run, without containers: the same commands and environments, on the database and the cache from wheels.

Only addresses and paths are put where this machine has them: names of services become loopback, /run/secrets becomes the
folder that `deploy/init` makes, and /data one of this test.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import asyncpg
import pytest
from redis.asyncio import Redis
from tests.deploy.test_compose import DEPLOY, SERVICES, resolved
from tests.faults.relay import Relay
from tests.mcp.bridges import http_client

from recalld_server.demo.process import free_port
from recalld_server.embedded import PostgresHandle
from recalld_server.embedded.binaries import find_valkey

NOBODY = 10001
START_SECONDS, STOP_SECONDS = 120.0, 60.0


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that every user may pass through."""
    with tempfile.TemporaryDirectory(prefix="recalld-compose-") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


class Runner:
    """Runs the commands of services as the image's user, with an environment of their own and nothing else."""

    def __init__(self, place: Path, ports: dict[str, int]) -> None:
        self.place = place
        self._ports = ports
        self.data = place / "data"
        self.data.mkdir(mode=0o700)
        self._user = _user()
        if self._user is not None:
            os.chown(self.data, self._user, self._user)
        subprocess.run([DEPLOY / "init", place], check=True, capture_output=True)
        (place / "secrets").chmod(0o755)  # a container sees the files only, wherever they are on its host
        self._running = ExitStack()

    def environment(self, service: str) -> dict[str, str]:
        given = SERVICES[service].get("environment", {})
        values = {name: self.here(resolved(value, {})) for name, value in given.items()}
        path = os.pathsep.join([str(Path(sys.executable).parent), "/usr/bin", "/bin"])
        python = {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path), "PYTHONDONTWRITEBYTECODE": "1"}
        # what the Dockerfile sets
        image = {"RECALLD_DATA_DIR": str(self.data)} if service == "recalld" else {}
        return {"PATH": path, **python, **image, **values}

    def start(self, service: str, command: list[str], environment: dict[str, str]) -> subprocess.Popen[bytes]:
        log = (self.place / f"{service}.log").open("wb")
        self._running.callback(log.close)
        process = subprocess.Popen(
            command, env=environment, cwd="/", stdout=log, stderr=log, user=self._user, group=self._user
        )
        self._running.callback(process.wait)
        self._running.callback(process.kill)
        return process

    def healthy(self, service: str, environment: dict[str, str]) -> bool:
        command = [self.here(part) for part in SERVICES[service]["healthcheck"]["test"][1:]]
        return subprocess.run(command, env=environment, capture_output=True, user=self._user).returncode == 0

    def here(self, value: str) -> str:
        """A value with the addresses and paths of this machine."""
        value = value.replace("/tmp/", f"{self.data}/").replace("/run/secrets", str(self.place / "secrets"))
        for name, port in self._ports.items():
            value = re.sub(rf"^0\.0\.0\.0:{name}$|^127\.0\.0\.1:{name}$|^--port={name}$", f"127.0.0.1:{port}", value)
        return value.replace("0.0.0.0", "127.0.0.1")

    def close(self) -> None:
        self._running.close()


def _user() -> int | None:
    """The image's user, where this machine lets it run Python."""
    if os.geteuid() != 0:
        return None
    environment = {"PYTHONPATH": os.pathsep.join(sys.path)}
    try:
        command = [sys.executable, "-c", "import recalld_server"]
        tried = subprocess.run(command, user=NOBODY, env=environment, capture_output=True)
    except PermissionError:
        return None
    return NOBODY if tried.returncode == 0 else None


async def until_healthy(
    runner: Runner, service: str, process: subprocess.Popen[bytes], environment: dict[str, str]
) -> None:
    async with asyncio.timeout(START_SECONDS):
        while not await asyncio.to_thread(runner.healthy, service, environment):
            assert process.poll() is None, (runner.place / f"{service}.log").read_text()
            await asyncio.sleep(0.2)


async def test_what_compose_runs_serves_and_stops(place: Path, postgres: PostgresHandle) -> None:
    ports = {"50051": free_port(), "9464": free_port(), "8765": free_port()}
    cache, public = free_port(), f"http://localhost:{ports['8765']}/mcp"
    runner = Runner(place, ports)
    superuser = await asyncpg.connect(postgres.dsn())
    await superuser.execute("CREATE ROLE recalld LOGIN SUPERUSER")
    await superuser.execute("CREATE DATABASE recalld OWNER recalld")
    try:
        async with Relay(postgres.socket_dir / f".s.PGSQL.{postgres.port}") as relay:
            secrets = place / "secrets"
            for name, host in (("database_url", f"127.0.0.1:{relay.port}"), ("redis_url", f"127.0.0.1:{cache}")):
                moved = re.sub(r"@[a-z]+:\d+", f"@{host}", (secrets / name).read_text())
                (secrets / name).unlink()
                (secrets / name).write_text(moved)

            # valkey: its command, with a port of this machine
            (place / "bin").mkdir()
            (place / "bin/valkey-server").symlink_to(find_valkey(None))
            command = [resolved(part, {}) for part in SERVICES["valkey"]["command"]]
            command[-1] = runner.here(command[-1]) + f" --port {cache} --dir {shlex.quote(str(runner.data))}"
            environment = {"PATH": f"{place / 'bin'}:/usr/bin:/bin"}
            valkey = runner.start("valkey", command, environment)
            password = (secrets / "redis_password").read_text()
            arguments_seen = await asyncio.to_thread(Path(f"/proc/{valkey.pid}/cmdline").read_text)
            assert password not in arguments_seen

            environment = runner.environment("recalld") | {"RECALLD_EMBEDDER": "hash"}
            server = runner.start("recalld", ["recalld", "serve"], environment)
            await until_healthy(runner, "recalld", server, environment)
            async with Redis.from_url((secrets / "redis_url").read_text()) as redis:
                assert await redis.ping()
            assert await superuser.fetchval("SELECT count(*) > 0 FROM pg_stat_activity WHERE usename = 'recalld'")

            arguments = [resolved(part, {"RECALLD_MCP_URL": public}) for part in SERVICES["mcp"]["command"]]
            arguments = [f"--port={ports['8765']}" if each == "--port=8765" else each for each in arguments]
            environment_of_mcp = runner.environment("mcp") | {"RECALLD_ADDR": f"127.0.0.1:{ports['50051']}"}
            bridge = runner.start("mcp", ["recalld-mcp", *arguments], environment_of_mcp)
            await until_healthy(runner, "mcp", bridge, environment_of_mcp)

            key = (runner.data / "root.key").read_text().strip()
            async with http_client(public, key) as ide:
                await ide.call_tool("memory_write", {"content": "the kettle is blue 水壶是蓝色的"})
                found = await ide.call_tool("memory_search", {"query": "水壶 kettle"})
                assert "水壶是蓝色的" in json.dumps(found.structured_content, ensure_ascii=False)

            for process in (bridge, server, valkey):
                process.terminate()
            for process in (bridge, server, valkey):
                assert await asyncio.to_thread(process.wait, STOP_SECONDS) in (0, -15)
        log = (place / "recalld.log").read_text()
        assert key not in log
        assert password not in log
        assert "Traceback" not in log
        for line in log.splitlines():
            assert line.startswith("root key") or json.loads(line)["level"] in ("info", "warning")
    finally:
        runner.close()
        await superuser.execute("DROP DATABASE recalld WITH (FORCE)")
        await superuser.execute("DROP ROLE recalld")
        await superuser.close()

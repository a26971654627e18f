"""A server starts with what is there: without a model that is down, without Redis; and says in one line what is wrong."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.faults.leftovers import Ledger
from tests.faults.model_server import ModelServer
from tests.faults.test_database_away import NOT_SERVING, SERVING, health

import recalld
from recalld import AsyncClient, errors
from recalld_server.app import App, Endpoints
from recalld_server.cli import main
from recalld_server.demo import process
from recalld_server.embedded import start_postgres
from recalld_server.settings import Settings, read_settings


@pytest.fixture
def model() -> Iterator[ModelServer]:
    server = ModelServer()
    server.start()
    yield server
    server.stop()


def remote(model: ModelServer, **settings: object) -> Settings:
    options = {"listen": "127.0.0.1:0", "embedder": "openai", "embedding_url": model.url, "embedding_model": "words"}
    return read_settings({}, **options | settings)


async def test_a_model_that_is_down_at_the_start_is_done_without_until_it_is_back(
    database: str, model: ModelServer, tmp_path: Path
) -> None:
    endpoints = Endpoints(tmp_path, database, database, None)
    app = App(remote(model), endpoints)
    address = await app.start()
    key = (tmp_path / "root.key").read_text().strip()
    async with AsyncClient(address, key=key) as client:
        await client.write("Lin drinks oolong tea 林乔喝乌龙茶")
    await app.stop()

    model.stop()
    app = App(remote(model), endpoints)
    async with asyncio.timeout(60):
        address = await app.start()
        async with AsyncClient(address, key=key) as client:
            await health(address, "recalld.dependency.model", NOT_SERVING)
            await health(address, "", SERVING)
            found = await client.search("乌龙茶 oolong")
            assert found[0].content == "Lin drinks oolong tea 林乔喝乌龙茶"
            assert found.degraded_stages == ("vector",)
            model.start()
            await health(address, "recalld.dependency.model", SERVING)
            await client.write("Omar drinks coffee 奥马尔喝咖啡")
            assert not (await client.search("what does Omar drink")).degraded_stages
        await app.stop()


async def test_a_first_start_without_a_model_needs_only_the_length_of_its_vectors(
    database: str, model: ModelServer, tmp_path: Path
) -> None:
    model.stop()
    app = App(remote(model, embedding_dimensions=384), Endpoints(tmp_path, database, database, None))
    async with asyncio.timeout(60):
        address = await app.start()
        key = (tmp_path / "root.key").read_text().strip()
        async with AsyncClient(address, key=key, retry=recalld.RetryPolicy(attempts=1)) as client:
            with pytest.raises(errors.Unavailable):
                await client.write("too early 太早")
            model.start()
            await health(address, "recalld.dependency.model", SERVING)
            await client.write("now it is there 现在好了")
    await app.stop()


def test_a_server_that_waits_for_its_model_can_be_stopped(model: ModelServer, folder: Path) -> None:
    model.stop()
    environment = os.environ | {
        "RECALLD_EMBEDDER": "openai",
        "RECALLD_EMBEDDING_MODEL": "words",
        "RECALLD_EMBEDDING_URL": model.url,
    }
    command = [sys.executable, "-m", "recalld_server", "serve", "--data-dir", str(folder), "--listen", "127.0.0.1:0"]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        lines = iter(server.stderr.readline, "")
        assert any("RECALLD_EMBEDDING_DIMENSIONS" in line for line in lines)
        server.terminate()
        rest = server.stderr.read()
        assert server.wait(30) == 0
    assert "Traceback" not in rest


@pytest.fixture
def folder() -> Iterator[Path]:
    """A data directory that the database's account can reach."""
    path = Path(tempfile.mkdtemp(prefix="recalld-start-"))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path, ignore_errors=True)


def taken() -> socket.socket:
    return socket.create_server(("127.0.0.1", 0))


@pytest.mark.parametrize(
    ("environment", "says"),
    [
        ({"RECALLD_LISTN": "127.0.0.1:1"}, "RECALLD_LISTEN"),
        ({"RECALLD_WORKERS": "many"}, "RECALLD_WORKERS"),
        ({"RECALLD_LISTEN": "0.0.0.0:50051"}, "loopback"),
        ({"RECALLD_DATABASE_URL": "postgresql://u:hunter2@127.0.0.1:1/x"}, "does not answer"),
        ({"RECALLD_DATABASE_URL": "mysql://u:hunter2@127.0.0.1:1/x"}, "postgresql://"),
        ({"RECALLD_DATABASE_URL_FILE": "/not/there"}, "RECALLD_DATABASE_URL_FILE"),
        ({"RECALLD_OTLP_ENDPOINT": "collector:4317"}, "http://"),
        ({"RECALLD_METRICS_LISTEN": "everywhere"}, "HOST:PORT"),
        ({"RECALLD_EMBEDDER": "openai"}, "RECALLD_EMBEDDER"),
    ],
)
def test_what_is_wrong_with_the_settings_is_one_clear_line(
    environment: dict[str, str], says: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for name in [name for name in os.environ if name.startswith("RECALLD_")]:
        monkeypatch.delenv(name)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "argv", ["recalld", "serve"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1
    said = capfd.readouterr().err
    assert len(said.strip().splitlines()) == 1, said
    assert says in said
    assert "hunter2" not in said


def test_an_address_that_is_taken_is_one_clear_line(folder: Path) -> None:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("RECALLD_")}
    with taken() as api:
        listen = f"127.0.0.1:{api.getsockname()[1]}"
        ended = subprocess.run(
            [sys.executable, "-m", "recalld_server", "serve", "--data-dir", str(folder), "--listen", listen],
            env=inherited | {"RECALLD_EMBEDDER": "hash", "RECALLD_LOG_LEVEL": "error"},
            capture_output=True,
            text=True,
            timeout=60,
        )
    assert ended.returncode == 1
    last = ended.stderr.strip().splitlines()[-1]
    assert last.startswith("recalld: RECALLD_LISTEN")
    assert "Traceback" not in ended.stderr


def test_sigterm_under_load_loses_no_acknowledged_write(folder: Path) -> None:
    environment = {"RECALLD_EMBEDDER": "hash"}
    ledger = Ledger()

    async def load(address: str, key: str, server: subprocess.Popen[bytes]) -> None:
        async def writer(number: int) -> None:
            async with AsyncClient(address, key=key, retry=recalld.RetryPolicy(attempts=1)) as client:
                for step in range(1000):
                    text = f"fact {number}-{step} 事实 {number * 7919 + step}"
                    try:
                        await ledger.keep(text, client.write(text))
                    except errors.RecalldError:
                        return
                    if len(ledger.acknowledged) == 30:
                        server.send_signal(signal.SIGTERM)

        async with asyncio.timeout(60):
            await asyncio.gather(*(writer(number) for number in range(4)))

    with process.serving(folder, environment) as running:
        asyncio.run(load(running.address, running.root_key, running.process))
        assert running.process.wait(30) == 0
    assert len(ledger.acknowledged) >= 30
    with process.serving(folder, environment):
        asyncio.run(ledger.holds(start_postgres(folder).dsn()))


def test_a_server_that_is_process_one_stops_when_it_is_told_to(folder: Path) -> None:
    unshare = shutil.which("unshare")
    if unshare is None or subprocess.run([unshare, "--pid", "--fork", "--mount-proc", "true"]).returncode:
        pytest.skip("this machine lets nobody make a process namespace")
    address = f"127.0.0.1:{process.free_port()}"
    command = [unshare, "--pid", "--fork", "--mount-proc", "--kill-child=KILL", sys.executable, "-m", "recalld_server"]
    command += ["serve", "--data-dir", str(folder), "--listen", address]
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("RECALLD_")}
    with subprocess.Popen(command, env=inherited | {"RECALLD_EMBEDDER": "hash"}, stderr=subprocess.PIPE) as outer:
        try:
            process._wait(address, outer)
            children = Path(f"/proc/{outer.pid}/task/{outer.pid}/children").read_text().split()
            os.kill(int(children[0]), signal.SIGTERM)
            assert outer.wait(30) == 0
        finally:
            outer.kill()

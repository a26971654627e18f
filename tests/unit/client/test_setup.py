"""Where the client finds its server and its key, and what it will not do with them."""

import asyncio
import os
import subprocess
import warnings
from pathlib import Path
from typing import Any

import grpc
import pytest

from recalld import AsyncClient, Client, config, errors
from recalld._channel import channel_options
from recalld._target import parse

from .conftest import KEY, Double, Host


def test_arguments_go_before_the_environment_and_that_before_the_file(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text('addr = "file:1"\nkey = "rk_file"\nnamespace = "file"\ntls = true\n')
    file.chmod(0o600)
    environment = {"RECALLD_NAMESPACE": "env", "RECALLD_KEY": "rk_env", "RECALLD_TLS": "no", "RECALLD_ADDR": " "}
    settings = config.load({"key": "rk_arg", "addr": None}, file, environment)
    assert settings == config.Settings(addr="file:1", key="rk_arg", namespace="env", tls=False)
    assert config.load({}, None, {"XDG_CONFIG_HOME": str(tmp_path / "none")}) == config.Settings()
    (tmp_path / "recalld").mkdir()
    file.rename(tmp_path / "recalld" / "config.toml")
    assert config.load({}, None, {"XDG_CONFIG_HOME": str(tmp_path)}).namespace == "file"


def test_a_key_can_come_from_a_file_of_its_own(tmp_path: Path) -> None:
    secret = tmp_path / "root.key"
    secret.write_text("rk_filed\n")
    assert config.load({}, None, {"RECALLD_KEY_FILE": str(secret), "XDG_CONFIG_HOME": str(tmp_path)}).key == "rk_filed"
    # A key that is given further up hides a key file further down.
    file = tmp_path / "config.toml"
    file.write_text(f'key_file = "{tmp_path}/missing"\n')
    assert config.load({"key": "rk_arg"}, file, {}).key == "rk_arg"
    with pytest.raises(errors.ConfigurationError, match="key_file"):
        config.load({}, file, {})


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("adress = 'x'", "adress is not known"),
        ("addr = 5", "addr takes a text"),
        ("tls = 'yes'", "tls takes true or false"),
        ("key = rk_secret", "is not valid TOML"),
    ],
)
def test_a_wrong_file_is_refused_by_name(tmp_path: Path, text: str, complaint: str) -> None:
    file = tmp_path / "config.toml"
    file.write_text(text)
    with pytest.raises(errors.ConfigurationError, match=complaint) as caught:
        config.load({}, file, {})
    assert "secret" not in str(caught.value)
    assert str(file) in str(caught.value)


def test_a_key_that_others_can_read_is_pointed_out(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text('key = "rk_x"')
    file.chmod(0o644)
    with pytest.warns(UserWarning, match="chmod 600"):
        config.load({}, file, {})
    file.chmod(0o600)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        config.load({}, file, {})


@pytest.mark.parametrize(
    ("addr", "uri", "loopback"),
    [
        ("127.0.0.1:50051", "127.0.0.1:50051", True),
        ("localhost", "dns:///localhost:50051", True),
        ("[::1]:9", "[::1]:9", True),
        ("::1", "[::1]:50051", True),
        ("unix:/run/recalld.sock", "unix:/run/recalld.sock", True),
        ("ipv4:127.0.0.1:1,127.0.0.2:2", "ipv4:127.0.0.1:1,127.0.0.2:2", True),
        ("ipv4:127.0.0.1:1,10.0.0.1:2", "ipv4:127.0.0.1:1,10.0.0.1:2", False),
        ("memory.example:443", "dns:///memory.example:443", False),
        ("dns:///memory.example:443", "dns:///memory.example:443", False),
        ("10.0.0.1", "10.0.0.1:50051", False),
        ("localhost.example:1", "dns:///localhost.example:1", False),
        ("127.0.0.1.example:1", "dns:///127.0.0.1.example:1", False),
    ],
)
def test_addresses(addr: str, uri: str, loopback: bool) -> None:
    target = parse(addr)
    assert (target.uri, target.loopback) == (uri, loopback)


@pytest.mark.parametrize(
    "addr", ["", "https://memory.example", "a b", "host:0", "host:70000", "host:port", "u@h:1", "[::1"]
)
def test_addresses_that_are_none(addr: str) -> None:
    with pytest.raises(errors.ConfigurationError, match="addr"):
        parse(addr)


@pytest.mark.parametrize("kind", [Client, AsyncClient])
def test_nothing_goes_in_the_clear_over_a_network(kind: Any) -> None:
    with pytest.raises(errors.ConfigurationError, match="in the clear"):
        kind("memory.example:50051", key=KEY)
    kind("memory.example:50051", key=KEY, insecure=True)
    kind("memory.example:50051", key=KEY, tls=True)
    for files in ({"ca_file": "x"}, {"tls": True, "cert_file": "x"}, {"tls": True, "ca_file": "/no/such/file"}):
        with pytest.raises(errors.ConfigurationError):
            kind("memory.example:50051", key=KEY, **files)


def test_channels_are_set_up_on_purpose() -> None:
    options = dict(channel_options(parse("memory.example:1")))
    assert options["grpc.keepalive_time_ms"] >= 10_000
    assert options["grpc.max_receive_message_length"] == options["grpc.max_send_message_length"] == 16 * 2**20
    assert "round_robin" in options["grpc.service_config"]
    assert "timeout" not in options["grpc.service_config"]
    assert "grpc.enable_http_proxy" not in options
    assert dict(channel_options(parse("localhost:1")))["grpc.enable_http_proxy"] == 0


async def test_settings_come_from_the_environment(double: Double, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECALLD_ADDR", f"127.0.0.1:{double.port}")
    monkeypatch.setenv("RECALLD_KEY", KEY)
    monkeypatch.setenv("RECALLD_NAMESPACE", "team")
    with Client() as memory:
        memory.write("Alice is allergic to peanuts.")
    call = double.of("Write")[0]
    assert (call.request.namespace, call.metadata["authorization"]) == ("team", f"Bearer {KEY}")


def test_a_forked_process_opens_a_channel_of_its_own(double: Double) -> None:
    with Client(f"127.0.0.1:{double.port}", key=KEY) as client:
        client.write("parent")
        before = client._transport.stubs
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                client.write("child")
                code = 0 if client._transport.stubs is not before else 2
            finally:
                os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
        client.write("parent again")
        assert client._transport.stubs is before
    assert [call.request.memory.content for call in double.of("Write")] == ["parent", "child", "parent again"]


def test_an_asyncio_client_stays_on_its_loop(double: Double) -> None:
    client = AsyncClient(f"127.0.0.1:{double.port}", key=KEY)

    async def use() -> None:
        await client.write("x")

    with asyncio.Runner() as runner:
        runner.run(use())
        with asyncio.Runner() as other, pytest.raises(errors.WrongLoop, match="another event loop"):
            other.run(use())
        runner.run(client.close())


async def test_a_closed_client_says_so(double: Double) -> None:
    client = Client(f"127.0.0.1:{double.port}", key=KEY)
    client.write("x")
    client.close()
    client.close()
    with pytest.raises(errors.ConfigurationError, match="closed"):
        client.write("x")
    asynchronous = AsyncClient(f"127.0.0.1:{double.port}", key=KEY)
    await asynchronous.close()
    with pytest.raises(errors.ConfigurationError, match="closed"):
        await asynchronous.write("x")


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """ca.pem, server.pem, server.key, client.pem, client.key."""
    directory = tmp_path_factory.mktemp("certificates")
    new = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]

    def make(*options: str) -> None:
        subprocess.run([*new, *options], cwd=directory, check=True, capture_output=True)

    make("-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=test ca")
    for name in ("server", "client"):
        signed = [
            "-CA",
            "ca.pem",
            "-CAkey",
            "ca.key",
            "-subj",
            f"/CN={name}",
            "-addext",
            "subjectAltName=DNS:localhost",
        ]
        make("-keyout", f"{name}.key", "-out", f"{name}.pem", *signed)
    return directory


def test_tls_in_both_directions(host: Host, certificates: Path) -> None:
    def data(name: str) -> bytes:
        return (certificates / name).read_bytes()

    credentials = grpc.ssl_server_credentials(
        [(data("server.key"), data("server.pem"))], root_certificates=data("ca.pem"), require_client_auth=True
    )
    double = Double()
    server = host.start(double, "localhost:0", credentials)
    address = f"localhost:{double.port}"
    with Client(
        address,
        key=KEY,
        tls=True,
        ca_file=certificates / "ca.pem",
        cert_file=certificates / "client.pem",
        cert_key_file=certificates / "client.key",
    ) as client:
        client.write("x")
    assert double.of("Write")[0].metadata["authorization"] == f"Bearer {KEY}"
    with (
        Client(address, key=KEY, tls=True, ca_file=certificates / "ca.pem") as client,
        pytest.raises(errors.Unavailable),
    ):
        client.write("x", timeout=1)
    with Client(address, key=KEY) as client, pytest.raises(errors.Unavailable):
        client.write("x", timeout=1)
    host.stop(server)


async def test_the_current_trace_goes_along(double: Double) -> None:
    from opentelemetry.sdk.trace import TracerProvider

    tracer = TracerProvider().get_tracer("test")
    async with AsyncClient(f"127.0.0.1:{double.port}", key=KEY) as client:
        await client.write("x")
        with tracer.start_as_current_span("agent") as span:
            await client.write("x")
            trace = f"{span.get_span_context().trace_id:032x}"
    without, with_trace = double.of("Write")
    assert "traceparent" not in without.metadata
    assert trace in with_trace.metadata["traceparent"]

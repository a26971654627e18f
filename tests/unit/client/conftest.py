"""A real grpc.aio server whose services do what a test says, and both front ends of the client."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import grpc
import pytest
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from google.rpc import status_pb2
from typer.testing import CliRunner

from recalld import AsyncClient, Client, RetryPolicy
from recalld.cli.app import app
from recalld.v1 import (
    memory_pb2,
    memory_service_pb2,
    namespace_service_pb2,
    review_service_pb2,
    session_service_pb2,
    watch_service_pb2,
)

KEY = "rk_abc_verysecret"
ID = "0197b2a0-0000-7000-8000-000000000001"
MODULES = (memory_service_pb2, session_service_pb2, namespace_service_pb2, review_service_pb2, watch_service_pb2)
METHODS = {
    f"/{service.full_name}/{method.name}": method
    for module in MODULES
    for service in module.DESCRIPTOR.services_by_name.values()
    for method in service.methods
}


@dataclass
class Call:
    """What the server saw of one call."""

    method: str
    requests: list[Any] = field(default_factory=list)
    metadata: dict[str, Any] = field(default_factory=dict)
    remaining: float | None = None
    cancelled: threading.Event = field(default_factory=threading.Event)

    @property
    def request(self) -> Any:
        return self.requests[0]


class Double(grpc.GenericRpcHandler):
    """Every RPC of the contract. It answers with an empty message unless the test gave `on(method, …)` something else.

    A handler takes (call, context) and returns a message, or is an async generator of messages; it may abort.
    """

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.port = 0
        self._handlers: dict[str, Callable[..., Any]] = {}

    def on(self, method: str, handler: Callable[..., Any]) -> None:
        self._handlers[method] = handler

    def of(self, method: str) -> list[Call]:
        return [call for call in self.calls if call.method == method]

    def service(self, details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler[Any, Any] | None:
        method = METHODS.get(details.method)
        if method is None:
            return None
        answer_type = GetMessageClass(method.output_type)

        async def begin(requests: Any, context: grpc.aio.ServicerContext[Any, Any]) -> Call:
            call = Call(
                method.name, metadata=dict(context.invocation_metadata() or ()), remaining=context.time_remaining()
            )
            self.calls.append(call)
            if not method.client_streaming:
                call.requests.append(requests)
            return call

        async def unary(requests: Any, context: grpc.aio.ServicerContext[Any, Any]) -> Message:
            call = await begin(requests, context)
            handler = self._handlers.get(method.name)
            return answer_type() if handler is None else await handler(call, context)

        async def stream(requests: Any, context: grpc.aio.ServicerContext[Any, Any]) -> AsyncIterator[Message]:
            call = await begin(requests, context)
            context.add_done_callback(lambda _: call.cancelled.set())  # type: ignore[arg-type]
            handler = self._handlers.get(method.name)
            if handler is not None:
                arguments = (call, context, requests) if method.client_streaming else (call, context)
                async for message in handler(*arguments):
                    yield message
            elif method.client_streaming:
                async for request in requests:
                    call.requests.append(request)
                    yield answer_type(sequence=request.sequence)

        codec = GetMessageClass(method.input_type).FromString, answer_type.SerializeToString
        if method.client_streaming:
            return grpc.stream_stream_rpc_method_handler(stream, *codec)
        if method.server_streaming:
            return grpc.unary_stream_rpc_method_handler(stream, *codec)
        return grpc.unary_unary_rpc_method_handler(unary, *codec)


class Host:
    """Runs servers on an event loop of their own, since the blocking client blocks the test's."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self._thread.start()

    def run(self, work: Awaitable[Any]) -> Any:
        async def wrapped() -> Any:
            return await work

        return asyncio.run_coroutine_threadsafe(wrapped(), self.loop).result(20)

    def start(self, double: Double, address: str, credentials: grpc.ServerCredentials | None = None) -> Any:
        async def begin() -> grpc.aio.Server:
            server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
            server.add_generic_rpc_handlers((double,))
            if credentials is None:
                double.port = server.add_insecure_port(address)
            else:
                double.port = server.add_secure_port(address, credentials)
            await server.start()
            return server

        return self.run(begin())

    def stop(self, server: Any) -> None:
        self.run(server.stop(0))

    def close(self) -> None:
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(10)
        self.loop.close()


@pytest.fixture(scope="session")
def host() -> Iterator[Host]:
    host = Host()
    yield host
    host.close()


@pytest.fixture
def double(host: Host) -> Iterator[Double]:
    double = Double()
    server = host.start(double, "127.0.0.1:0")
    yield double
    host.stop(server)


@pytest.fixture(autouse=True)
def _nothing_from_outside(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    for name in ("ADDR", "KEY", "KEY_FILE", "NAMESPACE", "TLS", "CA_FILE", "CERT_FILE", "CERT_KEY_FILE", "INSECURE"):
        monkeypatch.delenv(f"RECALLD_{name}", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "no-config"))


QUICK = RetryPolicy(attempts=4, initial=0.001, maximum=0.01)


@pytest.fixture(params=[Client, AsyncClient], ids=["blocking", "asyncio"])
async def client(request: pytest.FixtureRequest, double: Double) -> AsyncIterator[Any]:
    """Either front end; `done` and `each` below make one test serve both."""
    client = request.param(f"127.0.0.1:{double.port}", key=KEY, retry=QUICK)
    yield client
    await done(client.close())


@pytest.fixture
def run(double: Double, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The command line as a person calls it: `run("search", "tea", input="…")` has exit_code, stdout and stderr."""
    monkeypatch.setenv("RECALLD_ADDR", f"127.0.0.1:{double.port}")
    monkeypatch.setenv("RECALLD_KEY", KEY)
    return lambda *arguments, input=None: CliRunner().invoke(app, list(arguments), input=input)


async def done(value: Any) -> Any:
    """The result of a call of either front end."""
    return await value if inspect.isawaitable(value) else value


async def each(source: Any) -> list[Any]:
    """Everything that an iterator of either front end gives."""
    found: list[Any] = []
    await collect(source, found)
    return found


async def collect(source: Any, found: list[Any]) -> None:
    """As `each`, into a list that keeps what came before an exception."""
    if hasattr(source, "__aiter__"):
        async for item in source:
            found.append(item)
    else:
        for item in source:
            found.append(item)


def status(code: grpc.StatusCode, message: str, *details: Message) -> tuple[grpc.StatusCode, str, tuple[Any, ...]]:
    """The arguments of `context.abort` with these details."""
    packed = []
    for detail in details:
        box = AnyMessage()
        box.Pack(detail)
        packed.append(box)
    rich = status_pb2.Status(code=code.value[0], message=message, details=packed)
    return code, message, (("grpc-status-details-bin", rich.SerializeToString()),)


def answer(message: Any) -> Any:
    async def handler(call: Any, context: Any) -> Any:
        return message

    return handler


def memory(content: str) -> memory_pb2.Memory:
    found = memory_pb2.Memory(
        memory_id=ID,
        namespace="default",
        content=content,
        kind=memory_pb2.MEMORY_KIND_EPISODIC,
        state=memory_pb2.MEMORY_STATE_ACTIVE,
        revision=1,
    )
    found.event_time.FromJsonString("2025-03-01T09:30:00Z")
    return found

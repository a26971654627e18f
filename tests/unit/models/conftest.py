"""The real local model, loaded once, and a real HTTP server to put in the place of a provider."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from recalld_server.models.local import LocalEmbedder


@pytest.fixture(scope="session")
def cache_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("encoder")


@pytest.fixture(scope="session")
def local(cache_dir: Path) -> Iterator[LocalEmbedder]:
    embedder = LocalEmbedder(cache_dir, threads=2)
    yield embedder
    asyncio.run(embedder.close())


@dataclass(frozen=True, slots=True)
class Call:
    """What the provider was asked."""

    path: str
    body: dict[str, Any]
    headers: dict[str, str]


@dataclass(slots=True)
class Answer:
    """What it answers: JSON, or text as it is."""

    payload: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Provider:
    """A model server on loopback whose answers the test decides."""

    url: str = ""
    answer: Callable[[Call], Answer] = lambda call: Answer(status=500)
    calls: list[Call] = field(default_factory=list)
    asked: threading.Event = field(default_factory=threading.Event)
    released: threading.Event = field(default_factory=threading.Event)


@pytest.fixture
def provider() -> Iterator[Provider]:
    state = Provider()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            call = Call(self.path, json.loads(body), dict(self.headers.items()))
            state.calls.append(call)
            state.asked.set()
            answer = state.answer(call)
            data = answer.payload if isinstance(answer.payload, str) else json.dumps(answer.payload)
            self.send_response(answer.status)
            for name, value in {**answer.headers, "Content-Length": str(len(data.encode()))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data.encode())

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    state.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield state
    state.released.set()
    server.shutdown()
    server.server_close()
    thread.join()

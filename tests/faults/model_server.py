"""A model server on loopback that speaks the OpenAI API, and that a test can break and mend."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np

from recalld_server.models.hash import DIMENSIONS, HashEmbedder

Answer = tuple[int, Any]
"""HTTP status, and what is sent as JSON."""


def vectors(texts: Sequence[str]) -> Answer:
    """What a model that is well answers."""
    model = HashEmbedder()
    numbers = [np.asarray(model._vector(text), float).tolist() for text in texts]
    return 200, {"data": [{"index": at, "embedding": each} for at, each in enumerate(numbers)]}


def zeros(texts: Sequence[str]) -> Answer:
    return 200, {"data": [{"index": at, "embedding": [0.0] * DIMENSIONS} for at in range(len(texts))]}


def not_finite(texts: Sequence[str]) -> Answer:
    return 200, {"data": [{"index": at, "embedding": [float("nan")] * DIMENSIONS} for at in range(len(texts))]}


def too_short(texts: Sequence[str]) -> Answer:
    return 200, {"data": [{"index": at, "embedding": [1.0] * (DIMENSIONS - 1)} for at in range(len(texts))]}


def too_few(texts: Sequence[str]) -> Answer:
    return 200, {"data": vectors(texts)[1]["data"][1:]}


def reordered(texts: Sequence[str]) -> Answer:
    """As right as any other answer: each says which text it is of."""
    status, answer = vectors(texts)
    return status, {"data": answer["data"][::-1]}


@dataclass
class ModelServer:
    """Running from `start` to `stop`, always on the same port."""

    answer: Callable[[Sequence[str]], Answer] = vectors
    port: int = 0
    _server: ThreadingHTTPServer | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        model = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                status, payload = model.answer(body["input"])
                data = json.dumps(payload).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                """Tests are quiet."""

        self._server = ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def stop(self) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

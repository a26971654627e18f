"""A chat server on loopback that speaks the OpenAI API and answers what a test has scripted."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Script = Callable[[dict[str, Any]], "str | tuple[int, Any]"]
"""From the request's body to the text of the answer, or to an HTTP status and what is sent as JSON."""


def insight(content: str = "I prefer window seats.", *sources: str, **more: Any) -> dict[str, Any]:
    """A proposal in good form."""
    return {
        "action": "keep",
        "category": "preference",
        "content": content,
        "confidence": 0.9,
        "importance": 0.6,
        "source_ids": list(sources) or ["s1"],
        "entities": [],
        "counterfactual": "",
        **more,
    }


def answer(*insights: dict[str, Any]) -> str:
    return json.dumps({"insights": insights}, ensure_ascii=False)


@dataclass
class ChatServer:
    """Running from `start` to `stop`, always on the same port. `asked` holds the bodies of all requests."""

    script: Script = lambda _: answer()
    port: int = 0
    finish_reason: str = "stop"
    asked: list[dict[str, Any]] = field(default_factory=list)
    _server: ThreadingHTTPServer | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def replies(self, *texts: str) -> None:
        """These in turn, the last one for ever."""
        left = list(texts)
        self.script = lambda _: left.pop(0) if len(left) > 1 else left[0]

    def start(self) -> None:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                server.asked.append(body)
                result = server.script(body)
                status, payload = result if isinstance(result, tuple) else (200, server._completion(result))
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

    def _completion(self, text: str) -> dict[str, Any]:
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": self.finish_reason}
        return {"choices": [choice], "usage": {"prompt_tokens": 70, "completion_tokens": 30, "total_tokens": 100}}

    def stop(self) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

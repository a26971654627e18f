"""Embeddings from any server that speaks the OpenAI API (`POST {base_url}/embeddings`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from recalld_server import telemetry
from recalld_server.models.base import ModelSetupError
from recalld_server.models.remote_embedder import RemoteEmbedder, ordered

WINDOW_BYTES: Final = 6_000
"""About 2,000 tokens of Chinese and fewer of English, which the usual models take."""


class OpenAIEmbedder(RemoteEmbedder):
    """A model of an OpenAI-compatible server."""

    kind = "openai"
    window_bytes = WINDOW_BYTES

    _shorten = False

    async def _probe(self, deadline: float | None) -> int:
        """Most servers refuse `dimensions`, some models need it to give shorter vectors: asked for only where it helps."""
        try:
            return await super()._probe(deadline)
        except ModelSetupError:
            if self._wanted is None or self._shorten:
                raise
            self._shorten = True
            return await super()._probe(deadline)

    async def _request(self, inputs: Sequence[str], timeout: float | None) -> list[object]:
        body: dict[str, Any] = {"model": self._model, "input": list(inputs), "encoding_format": "float"}
        if self._shorten:
            body["dimensions"] = self._wanted
        answer = await self._remote.post("/embeddings", body, timeout)
        usage = answer.get("usage") if isinstance(answer, dict) else None
        read = usage.get("prompt_tokens") if isinstance(usage, dict) else None
        if isinstance(read, int):
            telemetry.count_tokens("embeddings", self.id, input=read)
        return ordered(answer.get("data") if isinstance(answer, dict) else None, len(inputs))

"""Embeddings from Hugging Face Text Embeddings Inference (`POST {base_url}/embed`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from recalld_server.errors import ModelUnavailable
from recalld_server.models.remote_embedder import RemoteEmbedder

WINDOW_BYTES: Final = 1_400
"""About 500 tokens of Chinese and fewer of English: most of the models that TEI serves take 512."""


class TEIEmbedder(RemoteEmbedder):
    """The model that a TEI server holds; `model` names it in the id, the server holds only one."""

    kind = "tei"
    window_bytes = WINDOW_BYTES

    async def _request(self, inputs: Sequence[str], timeout: float | None) -> list[object]:
        answer = await self._remote.post("/embed", {"inputs": list(inputs), "truncate": True}, timeout)
        if not isinstance(answer, list) or len(answer) != len(inputs):
            count = len(answer) if isinstance(answer, list) else 0
            raise ModelUnavailable(f"the model gave {count} vectors for {len(inputs)} texts")
        return answer

"""An embedding model whose use is counted against the tenant whose call is at work."""

from __future__ import annotations

from collections.abc import Sequence

from recalld_server.core.limits.fairness import Fairness
from recalld_server.core.limits.tenant import TENANT
from recalld_server.models.base import Embedder, EmbeddingBatch
from recalld_server.text.budget import estimate_tokens


class MeteredEmbedder:
    """An Embedder around another one. Asking for vectors also raises QuotaExceeded."""

    def __init__(self, embedder: Embedder, fairness: Fairness) -> None:
        self._embedder = embedder
        self._fairness = fairness

    @property
    def id(self) -> str:
        return self._embedder.id

    @property
    def dimensions(self) -> int:
        return self._embedder.dimensions

    @property
    def knows_dimensions(self) -> bool:
        return self._embedder.knows_dimensions

    def expect(self, dimensions: int) -> None:
        self._embedder.expect(dimensions)

    async def embed_passages(self, texts: Sequence[str], *, timeout: float | None = None) -> EmbeddingBatch:
        await self._count(texts)
        return await self._embedder.embed_passages(texts, timeout=timeout)

    async def embed_queries(self, texts: Sequence[str], *, timeout: float | None = None) -> EmbeddingBatch:
        await self._count(texts)
        return await self._embedder.embed_queries(texts, timeout=timeout)

    async def start(self) -> None:
        await self._embedder.start()

    async def close(self) -> None:
        await self._embedder.close()

    async def _count(self, texts: Sequence[str]) -> None:
        tenant_id = TENANT.get()
        if tenant_id is not None:
            await self._fairness.model(tenant_id, sum(estimate_tokens(text) for text in texts))

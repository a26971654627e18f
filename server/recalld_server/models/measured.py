"""Models whose calls are traced and counted: which model, how long, whether it failed; never with what texts."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from opentelemetry.trace import Span

from recalld_server import telemetry
from recalld_server.errors import ModelUnavailable
from recalld_server.models.base import Embedder, EmbeddingBatch, Reranker
from recalld_server.telemetry.conventions import (
    GEN_AI_INPUT_TOKENS,
    GEN_AI_MODEL,
    GEN_AI_OPERATION,
    GEN_AI_OUTPUT_TOKENS,
    GEN_AI_PROVIDER,
)

FAILURES = 3
"""Calls in a row that failed, after which a model counts as away."""
PROBE = "Is the model there?"
PING_SECONDS = 1.5


@contextmanager
def model_call(operation: str, model: str, provider: str = "") -> Iterator[Span]:
    """Around one call of a model. `operation` as in OpenTelemetry's conventions: embeddings, chat, rerank."""
    attributes = {GEN_AI_OPERATION: operation, GEN_AI_MODEL: model}
    if provider:
        attributes[GEN_AI_PROVIDER] = provider
    begin, error = time.perf_counter(), ""
    try:
        with telemetry.span(f"{operation} {model}", attributes, kind=telemetry.SpanKind.CLIENT) as span:
            yield span
    except BaseException as failure:  # whatever ends the call, cancellation too, is counted and goes on
        error = telemetry.reason_of(failure)
        raise
    finally:
        telemetry.record_model(operation, model, time.perf_counter() - begin, error)


def count_tokens(span: Span, operation: str, model: str, read: int, written: int = 0) -> None:
    """Keeps with a call's span, and counts, what it cost."""
    span.set_attribute(GEN_AI_INPUT_TOKENS, read)
    span.set_attribute(GEN_AI_OUTPUT_TOKENS, written)
    telemetry.count_tokens(operation, model, input=read, output=written)


class MeasuredEmbedder:
    """An Embedder around another one."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._failures = 0
        self.id = embedder.id

    @property
    def dimensions(self) -> int:
        return self._embedder.dimensions

    async def embed_passages(self, texts: Sequence[str], *, timeout: float | None = None) -> EmbeddingBatch:
        with self._call(texts) as span:
            return _counted(span, await self._embedder.embed_passages(texts, timeout=timeout))

    async def embed_queries(self, texts: Sequence[str], *, timeout: float | None = None) -> EmbeddingBatch:
        with self._call(texts) as span:
            return _counted(span, await self._embedder.embed_queries(texts, timeout=timeout))

    @property
    def knows_dimensions(self) -> bool:
        return self._embedder.knows_dimensions

    def expect(self, dimensions: int) -> None:
        self._embedder.expect(dimensions)

    @property
    def available(self) -> bool:
        """Whether the model answered lately."""
        return self._failures < FAILURES

    async def ping(self) -> None:
        """Asks the model for a sign of life. Raises ModelUnavailable."""
        await self.embed_queries([PROBE], timeout=PING_SECONDS)

    async def start(self) -> None:
        try:
            await self._embedder.start()
        except ModelUnavailable:
            self._failures = FAILURES
            raise

    async def close(self) -> None:
        await self._embedder.close()

    @contextmanager
    def _call(self, texts: Sequence[str]) -> Iterator[Span]:
        with model_call("embeddings", self.id, self.id.partition(":")[0]) as span:
            span.set_attribute("recalld.texts", len(texts))
            try:
                yield span
            except ModelUnavailable:
                self._failures += 1
                raise
            self._failures = 0


def _counted(span: Span, batch: EmbeddingBatch) -> EmbeddingBatch:
    refused = sum(error is not None for error in batch.errors)
    if refused:
        span.set_attribute("recalld.texts_refused", refused)
    return batch


class MeasuredReranker:
    """A Reranker around another one."""

    def __init__(self, reranker: Reranker, model: str) -> None:
        self._reranker = reranker
        self._model = model

    async def rerank(self, query: str, texts: Sequence[str], *, timeout: float) -> list[float]:
        with model_call("rerank", self._model) as span:
            span.set_attribute("recalld.texts", len(texts))
            return await self._reranker.rerank(query, texts, timeout=timeout)

    async def close(self) -> None:
        await self._reranker.close()

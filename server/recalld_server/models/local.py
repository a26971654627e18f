"""The local embedder: multilingual-e5-small from a wheel, on the CPU, without a network."""

from __future__ import annotations

import asyncio
import hashlib
import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from recalld_server.errors import ModelUnavailable
from recalld_server.models import e5_graph, e5_tokens
from recalld_server.models.base import EmbeddingBatch, Vector
from recalld_server.models.centring import Centring
from recalld_server.models.e5_encoder import Encoder
from recalld_server.models.e5_weights import WEIGHTS_SHA256
from recalld_server.models.vectors import checked, usable
from recalld_server.models.workers import BlankText, Workers

DIMENSIONS: Final = 384
QUERY_PREFIX: Final = "query: "
PASSAGE_PREFIX: Final = "passage: "
MOST_THREADS: Final = 4


class LocalEmbedder:
    """multilingual-e5-small, int8, centred by language.

    Texts of more than one window (256 tokens) get the mean of their windows' vectors.
    """

    dimensions: int = DIMENSIONS

    def __init__(self, cache_dir: Path, *, threads: int | None = None) -> None:
        """`cache_dir` keeps the encoder's file (22 MB). `threads`: as many as there are CPUs, at most 4, by default."""
        self._cache_dir = cache_dir
        self._threads = threads or min(MOST_THREADS, len(os.sched_getaffinity(0)))
        self._centring = Centring.shipped()
        self._starting = threading.Lock()
        self._workers: Workers | None = None
        self.id = f"local:multilingual-e5-small-int8:c1-{_digest(self._centring)}"

    @property
    def knows_dimensions(self) -> bool:
        return True

    def expect(self, dimensions: int) -> None:
        """The length is known from the beginning."""

    async def start(self) -> None:
        await asyncio.shield(asyncio.wrap_future(self._running().ready))

    async def close(self) -> None:
        workers, self._workers = self._workers, None
        if workers is not None:
            await asyncio.to_thread(workers.close)

    async def embed_passages(self, texts: Sequence[str], *, timeout: float | None = None) -> EmbeddingBatch:
        return await self._embed(texts, PASSAGE_PREFIX, timeout, query=False)

    async def embed_queries(self, texts: Sequence[str], *, timeout: float | None = None) -> EmbeddingBatch:
        return await self._embed(texts, QUERY_PREFIX, timeout, query=True)

    async def _embed(self, texts: Sequence[str], prefix: str, timeout: float | None, *, query: bool) -> EmbeddingBatch:
        cleaned = [usable(text) for text in texts]
        try:
            async with asyncio.timeout(timeout):
                await self.start()
                workers = self._running()
                futures = [asyncio.wrap_future(workers.submit(text, prefix, query=query)) for text in cleaned]
                # A call that is cancelled or out of time cancels its texts, and the workers pass over them.
                outcomes = await asyncio.gather(*futures, return_exceptions=True)
        except TimeoutError as error:
            raise ModelUnavailable("the local embedding model did not answer within the time left") from error
        if any(isinstance(outcome, asyncio.CancelledError) for outcome in outcomes):
            raise ModelUnavailable("the local embedding model is being stopped")
        return checked([_outcome(outcome) for outcome in outcomes], DIMENSIONS)

    def _running(self) -> Workers:
        """The workers of this process: threads do not live through a fork, so a child starts its own."""
        with self._starting:
            if self._workers is None or not self._workers.usable():
                self._workers = Workers(lambda: _Centred(self._cache_dir, self._centring), self._threads)
            return self._workers


class _Centred(Encoder):
    """The encoder, with the language's mean taken out of each text's vector."""

    def __init__(self, cache_dir: Path, centring: Centring) -> None:
        super().__init__(cache_dir)
        self._centring = centring

    def finish(self, text: str, mean: Vector) -> Vector:
        return self._centring.apply(text, mean)


def _outcome(outcome: Vector | BaseException) -> Vector | str:
    if isinstance(outcome, BlankText):
        return str(outcome)
    if isinstance(outcome, BaseException):
        return f"the local embedding model failed: {type(outcome).__name__}"
    return outcome


def _digest(centring: Centring) -> str:
    """Of all that makes the vectors what they are, beyond the name of the model."""
    parts = (
        WEIGHTS_SHA256,
        e5_graph.GRAPH_VERSION,
        (e5_tokens.WINDOW, e5_tokens.OVERLAP, e5_tokens.MAX_WINDOWS),
        (QUERY_PREFIX, PASSAGE_PREFIX),
        centring.digest,
    )
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:8]

"""What embedders behind HTTP share: cleaning, windows, batches, isolation of a refused text, checks."""

from __future__ import annotations

import asyncio
import itertools
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Final

import numpy as np

from recalld_server.errors import ModelUnavailable
from recalld_server.models.base import EmbeddingBatch, ModelSetupError, Vector
from recalld_server.models.remote import TIMEOUT_SECONDS, Refused, Remote
from recalld_server.models.vectors import BLANK, checked, usable

BATCH_TEXTS: Final = 32
BATCH_BYTES: Final = 100_000
CONCURRENT_REQUESTS: Final = 4
OVERLAP: Final = 8
"""A window shares one part in this many with the one before."""

_PROBE: Final = "How long are the vectors of this model?"


class RemoteEmbedder(ABC):
    """Texts of more than one window get the mean of their windows' vectors."""

    kind: ClassVar[str]
    window_bytes: ClassVar[int]

    def __init__(
        self,
        *,
        model: str,
        base_url: str,
        api_key: str | None = None,
        dimensions: int | None = None,
        query_prefix: str = "",
        passage_prefix: str = "",
        timeout: float = TIMEOUT_SECONDS,
    ) -> None:
        """`dimensions` None: as many as the model gives, known after `start`. The prefixes are what the model wants in
        front of each text ("query: " and "passage: " for E5). `timeout`: seconds for a request whose caller sets no limit.
        Raises ModelSetupError."""
        self._remote = Remote(base_url, api_key, timeout)
        self._model = model
        self._wanted = dimensions
        self._dimensions = dimensions
        self._query_prefix = query_prefix
        self._passage_prefix = passage_prefix
        self._slots = asyncio.Semaphore(CONCURRENT_REQUESTS)
        self._started = False
        parts = [self.kind, model, *([str(dimensions)] if dimensions else [])]
        if query_prefix or passage_prefix:
            parts.append(f"{query_prefix!r}+{passage_prefix!r}")
        self.id = ":".join(parts)

    @property
    def dimensions(self) -> int:
        if self._dimensions is None:
            raise ModelSetupError("the length of the vectors is known after start(), or set it")
        return self._dimensions

    @property
    def knows_dimensions(self) -> bool:
        return self._dimensions is not None

    def expect(self, dimensions: int) -> None:
        if self._dimensions is None:
            self._wanted = self._dimensions = dimensions

    async def start(self) -> None:
        """Asks for one vector. Raises ModelUnavailable, and ModelSetupError when it has not the configured length."""
        await self._start(None)

    async def close(self) -> None:
        await self._remote.close()

    async def embed_passages(self, texts: Sequence[str], *, timeout: float | None = None) -> EmbeddingBatch:
        return await self._embed(texts, self._passage_prefix, timeout)

    async def embed_queries(self, texts: Sequence[str], *, timeout: float | None = None) -> EmbeddingBatch:
        return await self._embed(texts, self._query_prefix, timeout)

    @abstractmethod
    async def _request(self, inputs: Sequence[str], timeout: float | None) -> list[object]:
        """The numbers for each input, in order, unchecked. Raises Refused, ModelUnavailable."""

    async def _start(self, deadline: float | None) -> None:
        if not self._started:
            self._dimensions = await self._probe(deadline)
            self._started = True

    async def _probe(self, deadline: float | None) -> int:
        """The length of the model's vectors."""
        try:
            (numbers,) = await self._request([_PROBE], remaining(deadline))
        except Refused as error:
            raise ModelSetupError(f"{error}, though it is harmless: check the model's name and dimensions") from error
        length = len(numbers) if isinstance(numbers, list) else 0
        if length < 1 or self._wanted not in (None, length):
            raise ModelSetupError(f"the model gives vectors of length {length}, {self._wanted} is configured")
        return length

    async def _embed(self, texts: Sequence[str], prefix: str, timeout: float | None) -> EmbeddingBatch:
        deadline = None if timeout is None else asyncio.get_running_loop().time() + timeout
        await self._start(deadline)
        windows = [[prefix + part for part in split(usable(text), self.window_bytes)] for text in texts]
        requests = batches([window for parts in windows for window in parts])
        tasks = [asyncio.ensure_future(self._isolated(request, deadline)) for request in requests]
        try:
            answers = itertools.chain.from_iterable(await asyncio.gather(*tasks))
        finally:
            for task in tasks:
                task.cancel()
        return checked([self._join(list(itertools.islice(answers, len(parts)))) for parts in windows], self.dimensions)

    async def _isolated(self, inputs: Sequence[str], deadline: float | None) -> list[object]:
        """The answers to one request; a refused one is halved until the text at fault stands alone with its error."""
        try:
            async with asyncio.timeout(remaining(deadline)):
                await self._slots.acquire()
        except TimeoutError as error:
            raise ModelUnavailable("the model is busy and did not get to this call in time") from error
        try:
            return await self._request(inputs, remaining(deadline))
        except Refused as error:
            if len(inputs) == 1:
                return [str(error)]
        finally:
            self._slots.release()
        half = len(inputs) // 2
        return [*await self._isolated(inputs[:half], deadline), *await self._isolated(inputs[half:], deadline)]

    def _join(self, answers: Sequence[object]) -> object:
        """The answer for a text from those for its windows: an error of one is the text's."""
        if not answers:
            return BLANK
        batch = checked(answers, self.dimensions)
        for error in batch.errors:
            if error is not None:
                return error
        vectors: list[Vector] = [vector for vector in batch.vectors if vector is not None]
        return np.mean(vectors, axis=0)


def remaining(deadline: float | None) -> float | None:
    """Seconds until a time of the running loop; None when there is none."""
    return None if deadline is None else max(0.0, deadline - asyncio.get_running_loop().time())


def ordered(entries: object, count: int) -> list[object]:
    """The vectors of an answer of {index, embedding} entries by index. Raises ModelUnavailable when any is missing."""
    found: dict[int, object] = {}
    for entry in entries if isinstance(entries, list) else []:
        if isinstance(entry, dict) and isinstance(entry.get("index"), int):
            found[entry["index"]] = entry.get("embedding")
    if sorted(found) != list(range(count)):
        raise ModelUnavailable(f"the model gave {len(found)} vectors for {count} texts")
    return [found[index] for index in range(count)]


def split(text: str, size: int) -> list[str]:
    """Windows of at most `size` UTF-8 bytes, none for a blank text. A window overlaps with the one before."""
    if not text:
        return []
    data = text.encode()
    if len(data) <= size:
        return [text]
    step = size - size // OVERLAP
    starts = range(0, len(data) - size // OVERLAP, step)
    return [part for start in starts if (part := data[start : start + size].decode(errors="ignore").strip())]


def batches(inputs: Sequence[str]) -> list[list[str]]:
    """Cut into requests that a server takes."""
    result: list[list[str]] = []
    size = 0
    for text in inputs:
        size += len(text.encode())
        if not result or len(result[-1]) == BATCH_TEXTS or size > BATCH_BYTES:
            result.append([])
            size = len(text.encode())
        result[-1].append(text)
    return result

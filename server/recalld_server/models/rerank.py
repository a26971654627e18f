"""Rerankers behind a `/rerank` endpoint."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

from recalld_server.errors import ModelUnavailable
from recalld_server.models.base import ModelSetupError, Reranker
from recalld_server.models.remote import Refused, Remote
from recalld_server.models.vectors import usable

RerankerKind = Literal["none", "tei", "cohere"]


class HttpReranker:
    """TEI ("tei") takes `texts` and answers a list of {index, score}. The others ("cohere": Cohere, Jina, vLLM, Infinity)
    take `documents` and answer {results: [{index, relevance_score}]}."""

    def __init__(
        self, kind: Literal["tei", "cohere"], *, base_url: str, model: str = "", api_key: str | None = None
    ) -> None:
        """Calls `{base_url}/rerank`. Raises ModelSetupError."""
        if kind == "cohere" and not model:
            raise ModelSetupError("the reranker needs the name of its model")
        self._kind = kind
        self._model = model
        self._remote = Remote(base_url, api_key)

    async def rerank(self, query: str, texts: Sequence[str], *, timeout: float) -> list[float]:
        """One score per text, higher is better. Raises ModelUnavailable, also when the endpoint refuses the texts."""
        if not texts:
            return []
        try:
            answer = await self._remote.post("/rerank", self._body(usable(query), [usable(t) for t in texts]), timeout)
        except Refused as error:
            raise ModelUnavailable(f"the reranker refuses the texts ({error})") from error
        return _scores(answer, len(texts))

    async def close(self) -> None:
        await self._remote.close()

    def _body(self, query: str, texts: list[str]) -> dict[str, Any]:
        if self._kind == "tei":
            return {"query": query, "texts": texts, "truncate": True}
        return {"model": self._model, "query": query, "documents": texts, "top_n": len(texts)}


def make_reranker(
    kind: RerankerKind, *, base_url: str = "", model: str = "", api_key: str | None = None
) -> Reranker | None:
    """The configured reranker; None for "none". Raises ModelSetupError."""
    match kind:
        case "none":
            return None
        case "tei" | "cohere":
            return HttpReranker(kind, base_url=base_url, model=model, api_key=api_key)
        case _:
            raise ModelSetupError(f"there is no reranker {kind!r}: use none, tei or cohere")


def _scores(answer: Any, count: int) -> list[float]:
    """Scores by index, from either form of answer. Raises ModelUnavailable when one is missing or is no number."""
    entries = answer.get("results") if isinstance(answer, dict) else answer
    found: dict[int, float] = {}
    for entry in entries if isinstance(entries, list) else []:
        if not isinstance(entry, dict):
            continue
        score = entry.get("relevance_score", entry.get("score"))
        if isinstance(entry.get("index"), int) and isinstance(score, int | float) and math.isfinite(score):
            found[entry["index"]] = float(score)
    if sorted(found) != list(range(count)):
        raise ModelUnavailable(f"the reranker gave {len(found)} scores for {count} texts")
    return [found[index] for index in range(count)]

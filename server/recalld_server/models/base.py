"""What the rules may ask of a model, and how a model's numbers are to be read."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from recalld_server.model import Json

Vector = npt.NDArray[np.float32]


class ModelSetupError(Exception):
    """A model cannot be used as it is configured; the message says what to install or to change."""


@dataclass(frozen=True, slots=True)
class EmbeddingBatch:
    """One entry per text, in the order of the texts: a float32 vector of the embedder's length with norm 1, or an error.

    An error says what is wrong without quoting the text.
    """

    vectors: tuple[Vector | None, ...]
    errors: tuple[str | None, ...]


class Embedder(Protocol):
    """Turns text into vectors whose dot product is a cosine.

    `id` names everything that changes the vectors: two embedders with one id give the same vectors.
    """

    @property
    def id(self) -> str: ...

    @property
    def dimensions(self) -> int: ...

    async def embed_passages(self, texts: Sequence[str], *, timeout: float | None = None) -> EmbeddingBatch:
        """Vectors of texts that are stored. `timeout` in seconds; None: the embedder's own limit.

        A text that cannot be embedded has an error and does not sink the others. Raises ModelUnavailable when the
        model as a whole does not answer, or not in time.
        """
        ...

    async def embed_queries(self, texts: Sequence[str], *, timeout: float | None = None) -> EmbeddingBatch:
        """Vectors of texts that are searched for; as `embed_passages`, and served before it."""
        ...

    @property
    def knows_dimensions(self) -> bool:
        """Whether `dimensions` can be told now."""
        ...

    def expect(self, dimensions: int) -> None:
        """Takes it that the vectors will be this long, for a model that does not answer yet. One that then gives others is
        not used. Nothing happens where the length is known."""
        ...

    async def start(self) -> None:
        """Load the model. Raises ModelSetupError, ModelUnavailable. Once started, starting again does nothing."""
        ...

    async def close(self) -> None:
        """Give back threads and connections; waiting calls raise ModelUnavailable."""
        ...


class Reranker(Protocol):
    """Judges how well each text answers a query."""

    async def rerank(self, query: str, texts: Sequence[str], *, timeout: float) -> list[float]:
        """One score per text in the order of the texts, higher is better. Raises ModelUnavailable."""
        ...

    async def close(self) -> None:
        """Give back connections."""
        ...


@dataclass(frozen=True, slots=True)
class ChatReply:
    """What a chat model wrote, as it is, and what it cost, as the model counts or estimated; `cut_off`: it ran into its
    limit, or was stopped."""

    text: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cut_off: bool = False

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens


class ChatRefused(Exception):
    """The chat model answers, but will not take this input. The message says so without quoting it."""


class ChatModel(Protocol):
    """Answers a question with JSON."""

    @property
    def id(self) -> str: ...

    async def complete(
        self, system: str, user: str, schema: Mapping[str, Json], *, max_tokens: int, timeout: float | None = None
    ) -> ChatReply:
        """The reply, which should be JSON by the schema and may be anything. `max_tokens`: of the answer. `timeout` in
        seconds; None: the model's own limit. Raises ChatRefused, ModelUnavailable."""
        ...

    async def close(self) -> None:
        """Give back connections."""
        ...


@dataclass(frozen=True, slots=True)
class Calibration:
    """How to read a model's cosines, measured by `bench/calibrate.py`.

    duplicate_line: between two passages, above it they probably say the same, unless they give another value, number or
    negation of one thing: that no cosine can tell (measured up to .985), so it must be read from the texts.
    conflict_line: between two passages, from it on they may be about the same thing with another value.
    score_floor, score_ceiling: query to passage, what an unrelated and what a fitting passage gets.
    """

    model_id: str
    duplicate_line: float
    conflict_line: float
    score_floor: float
    score_ceiling: float

    def __post_init__(self) -> None:
        if not -1 <= self.conflict_line <= self.duplicate_line <= 1:
            raise ValueError(f"calibration of {self.model_id}: -1 ≤ conflict_line ≤ duplicate_line ≤ 1 is needed")
        if not -1 <= self.score_floor < self.score_ceiling <= 1:
            raise ValueError(f"calibration of {self.model_id}: -1 ≤ score_floor < score_ceiling ≤ 1 is needed")

    def score(self, cosine: float) -> float:
        """The cosine on a scale from 0 (as an unrelated passage) to 1 (as a fitting one)."""
        share = (cosine - self.score_floor) / (self.score_ceiling - self.score_floor)
        return min(1.0, max(0.0, share))


def uncalibrated(model_id: str) -> Calibration:
    """Careful lines for a model that nobody has measured: little counts as a duplicate, much is looked at."""
    return Calibration(model_id, duplicate_line=0.95, conflict_line=0.8, score_floor=0.0, score_ceiling=1.0)


def load_calibration(model_id: str, directory: Path | None = None) -> Calibration:
    """The calibration of exactly this model: from `directory` (an operator's own), then from those that are shipped.

    Gives `uncalibrated` lines when there is none. Raises ModelSetupError when a file is no calibration.
    """
    shipped = resources.files("recalld_server.models") / "calibration"
    for place in ([directory] if directory is not None else []) + [shipped]:
        for file in sorted(place.iterdir(), key=lambda entry: entry.name):
            if not file.name.endswith(".json"):
                continue
            try:
                calibration = Calibration(**json.loads(file.read_text(encoding="utf-8")))
            except (ValueError, TypeError) as error:
                raise ModelSetupError(f"{file.name} is no calibration: {error}; make it with calibrate.py") from error
            if calibration.model_id == model_id:
                return calibration
    return uncalibrated(model_id)

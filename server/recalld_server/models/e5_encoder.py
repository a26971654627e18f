"""The encoder: its file in the cache directory, and the session that runs it."""

from __future__ import annotations

import fcntl
import importlib
import os
from pathlib import Path
from typing import Any, Final, Protocol

from recalld_server.models import e5_graph
from recalld_server.models.base import ModelSetupError, Vector
from recalld_server.models.e5_tokens import Tokenizer
from recalld_server.models.e5_weights import WEIGHTS_SHA256, Weights, find_weights
from recalld_server.models.vectors import unit

FILE_NAME: Final = f"e5-small-int8-{WEIGHTS_SHA256[:12]}-{e5_graph.GRAPH_VERSION}.onnx"


class _Session(Protocol):
    """What is used of onnxruntime.InferenceSession."""

    def run(self, outputs: list[str], inputs: dict[str, Any]) -> list[Any]: ...


class Encoder:
    """Windows of a text and the vector of a window. Threads may share it; it starts none."""

    def __init__(self, cache_dir: Path) -> None:
        """Load it, after building its file when the cache holds none. Takes about a second. Raises ModelSetupError."""
        self._weights = Weights(find_weights())
        self._session = _open(encoder_file(cache_dir, self._weights))
        self._tokenizer = Tokenizer(self._weights.vocabulary)
        self.dimensions: int = self._weights.width

    def windows(self, text: str, prefix: str) -> list[list[int]]:
        """Token ids of each window; none for a blank text."""
        return self._tokenizer.windows(text, prefix)

    def encode(self, window: list[int]) -> Vector:
        """The model's vector of one window: (dimensions,), norm 1."""
        (pooled,) = self._session.run([e5_graph.OUTPUT], {e5_graph.INPUT: self._weights.embed(window)})
        return unit(pooled[0])


def encoder_file(cache_dir: Path, weights: Weights) -> Path:
    """The encoder's file, built at most once however many processes ask: the first builds, the others wait.

    Raises ModelSetupError when the directory cannot be written.
    """
    path = cache_dir / FILE_NAME
    if path.exists():
        return path
    try:
        cache_dir.mkdir(parents=True, exist_ok=True)
        with path.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not path.exists():
                _write(path, e5_graph.build(weights))
    except OSError as error:
        raise ModelSetupError(f"the encoder's file cannot be written to {cache_dir}: {error.strerror}") from error
    return path


def _write(path: Path, data: bytes) -> None:
    """All or nothing: a process that is killed here leaves no half file under the final name."""
    unfinished = path.with_suffix(".tmp")
    with unfinished.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)


def _open(path: Path) -> _Session:
    try:
        onnxruntime = importlib.import_module("onnxruntime")
    except ImportError as error:
        raise ModelSetupError(
            "onnxruntime is not installed: pip install 'recalld-server[embedded]', or configure another embedder"
        ) from error
    options = onnxruntime.SessionOptions()
    # No threads of its own: `run` works on the caller's, so the callers' number bounds the load.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        session: _Session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's errors have no common base
        raise ModelSetupError(f"{path} is damaged: delete it, it is built again at the next start") from error
    return session

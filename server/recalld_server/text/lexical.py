"""BM25 split in two: the half stored with a memory, and the half that depends on the namespace (idf)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from recalld_server.text.tokens import term_id, tokens_and_length

_K1: Final = 0.9
_B: Final = 0.4
_USUAL_LENGTH: Final = 10.0
"""Words of a short statement. A text is measured by the geometric mean of this and the namespace's mean: where memories are
long, length is held against them less, where they are short, more (measured)."""
_UNIT_TERMS: Final = 6
"""Terms that make up the lexical unit: a question is met when it is met whole, a dialogue when its rarest words are."""
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
    """The stored half of BM25, tf·(k1+1) / (tf + k1·(1 − b + b·length/usual)), for each term of `text`.

    `average_length` is the namespace's mean `length` in words; 0 means that nothing is known yet. `usual` is the
    geometric mean of it and 10. Of a text with more than `MAX_TERMS` terms the most frequent are kept. ValueError if it is
    negative or not finite.
    """
    if not 0 <= average_length < math.inf:
        raise ValueError("average_length must be a finite number of words, 0 or more")
    found, length = tokens_and_length(text)
    usual = math.sqrt(_USUAL_LENGTH * (average_length or _USUAL_LENGTH))
    norm = _K1 * (1 - _B + _B * length / max(usual, 1.0))
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


def lexical_unit(weights: Iterable[float]) -> float:
    """What a memory of average length scores that holds each of a query's rarest terms once, from query weight x idf of
    each of its terms (one that no memory holds included)."""
    return sum(sorted(weights, reverse=True)[:_UNIT_TERMS])

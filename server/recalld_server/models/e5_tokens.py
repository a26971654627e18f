"""The unigram tokenizer of multilingual-e5-small (a SentencePiece model), and the windows of a long text.

Written here because the usual tokenizer library takes 200 MB and a second and a half for this vocabulary.
"""

from __future__ import annotations

import unicodedata
from typing import Final

from recalld_server.models.e5_weights import Vocabulary

WINDOW: Final = 256
"""Tokens of one window, with its begin and end mark and the prefix. What fits in one is embedded whole."""
OVERLAP: Final = 32
"""Tokens that a window shares with the one before."""
MAX_WINDOWS: Final = 16
"""Of a text with more windows (over about 3,600 tokens) this many are taken, evenly spread from its start to its end."""

_SPACE: Final = "\u2581"
_UNKNOWN_PENALTY: Final = 10.0


class Tokenizer:
    """Text to token ids. Threads may share it."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._characters = vocabulary.characters
        self._scores = vocabulary.scores
        self._begin, self._end, self._unknown = vocabulary.begin, vocabulary.end, vocabulary.unknown
        self._unknown_score = min(vocabulary.scores) - _UNKNOWN_PENALTY
        self._ids: dict[str, int] = {}
        self._known: dict[int, list[int]] = {}
        # Length of the longest piece that starts with these two characters: most places need few look-ups.
        self._longest: dict[str, int] = {}
        for number, piece in enumerate(vocabulary.pieces):
            if piece.startswith("<") and piece.endswith(">") and len(piece) > 2:
                continue  # a mark such as "</s>" is no text: a memory that spells it out must not act as one
            self._ids[piece] = number
            start = piece[:2]
            if len(piece) > self._longest.get(start, 1):
                self._longest[start] = len(piece)

    def windows(self, text: str, prefix: str) -> list[list[int]]:
        """The encoder's inputs for `text`, each with `prefix` in front; none when the text is blank."""
        tokens = self.tokens(text)
        if not tokens:
            return []
        before = [self._begin, *self.tokens(prefix)]
        size = WINDOW - len(before) - 1
        return [[*before, *part, self._end] for part in split(tokens, size, OVERLAP, MAX_WINDOWS)]

    def tokens(self, text: str) -> list[int]:
        """Token ids without marks."""
        normal = unicodedata.normalize("NFC", text).translate(self._characters)
        return [token for word in normal.split() for token in self._word(_SPACE + word)]

    def _word(self, word: str) -> list[int]:
        """The tokens of one word. Only words of the vocabulary are remembered: a cache must not keep what users write."""
        known = self._ids.get(word)
        if known is None:
            return self._cut(word)
        if known not in self._known:
            self._known[known] = self._cut(word)
        return self._known[known]

    def _cut(self, word: str) -> list[int]:
        """The most probable cut of a word into pieces (Viterbi); what no piece covers is one unknown token."""
        ids, scores, longest = self._ids, self._scores, self._longest
        size = len(word)
        best = [float("-inf")] * (size + 1)
        best[0] = 0.0
        came_from = [0] * (size + 1)
        token_at = [self._unknown] * (size + 1)
        for start in range(size):
            here = best[start]
            single = False
            for stop in range(start + 1, start + 1 + min(longest.get(word[start : start + 2], 1), size - start)):
                token = ids.get(word[start:stop])
                if token is None:
                    continue
                single = single or stop == start + 1
                score = here + scores[token]
                if score > best[stop]:
                    best[stop], came_from[stop], token_at[stop] = score, start, token
            if not single and here + self._unknown_score > best[start + 1]:
                best[start + 1] = here + self._unknown_score
                came_from[start + 1], token_at[start + 1] = start, self._unknown
        result: list[int] = []
        at = size
        while at > 0:
            if token_at[at] != self._unknown or not result or result[-1] != self._unknown:
                result.append(token_at[at])
            at = came_from[at]
        return result[::-1]


def split(tokens: list[int], size: int, overlap: int, most: int) -> list[list[int]]:
    """Cut into parts of at most `size` that overlap by at least `overlap`; at most `most`, from the start to the end."""
    if len(tokens) <= size:
        return [tokens]
    last = len(tokens) - size
    parts = min(most, -(-last // (size - overlap)) + 1)
    # Evenly spread, so that the last part is as full as the others.
    starts = [round(last * part / (parts - 1)) for part in range(parts)]
    return [tokens[start : start + size] for start in starts]

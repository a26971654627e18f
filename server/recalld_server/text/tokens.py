"""The lexical arm's tokens: what a text is indexed by, and what a query asks for.

Both sides are cut alike:

- Words: NFKC, case folded. ASCII words are stemmed by Snowball's English rules, cached; all others are left alone. A
  Latin word with accents stands beside its plain form (`café`, `cafe`).
- Identifiers, paths, hosts and numbers stand whole *and* in their parts: `PAY-1423`, `ERR_OSSL_EVP_UNSUPPORTED`,
  `src/app/main.py` (also `main.py`), `getUserName`, `kube.local:8080`, `C++`, `node18`.
- Chinese, Japanese and Korean: single characters and pairs of neighbours, traditional characters as simplified ones.
  Thai, Lao, Khmer and Burmese: the run and its pairs.
- Emoji: the sequence, without skin tone, and its members.
- English stop words only as pairs (`the who`, `to be`), which contain a space. They are what a query of nothing but
  stop words has to hold on to; every other query drops them. A text of isolated stop words keeps them.
"""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache
from itertools import repeat
from typing import Final

from py_rust_stemmers import SnowballStemmer

from recalld_server.text import scripts
from recalld_server.text.normalise import normalise
from recalld_server.text.simplified import SIMPLIFIED
from recalld_server.text.stop_words import ENGLISH

TERM_SPACE: Final = 1 << 20
"""The number of term ids: the dimension of the stored sparse vector."""

# Query side. Term counts saturate at K3, older turns of a dialogue count less, names more, lone CJK characters less.
_K3: Final = 8.0
_TURN_DECAY: Final = 0.9
_NAME_WEIGHT: Final = 1.5
_SINGLE_CHARACTER_WEIGHT: Final = 0.2

_CACHE_SIZE: Final = 1 << 15
_CACHED_LENGTH: Final = 64
_MOST_HUMPS: Final = 8

_JOINED: Final = r"(?:(?:://|::|[.\-'’/:@\\]|(?<=[0-9]),(?=[0-9]{3}(?![0-9]))){word})*(?:\+\+|\#(?!\w))?"
_LETTERS: Final = rf"[^\W{scripts.CJK}{scripts.UNSPACED}]+"
_WORD: Final = rf"{_LETTERS}(?:[{scripts.MARKS}\u200c\u200d]+(?:{_LETTERS})?)*"
_EMOJI: Final = rf"[{scripts.PICTOGRAPHS}][{scripts.EMOJI_MODIFIERS}]*"
_ASCII_PIECE: Final = re.compile(r"\w+" + _JOINED.replace("{word}", r"\w+"), re.ASCII)
# The first alternative is the fourth in little: most words of a mixed text are plain and closed by a space.
_PIECE: Final = re.compile(
    rf"[A-Za-z0-9_]+(?=[\s;!?)]|,(?![0-9]))|([{scripts.CJK}]+)|([{scripts.UNSPACED}]+)"
    rf"|([{scripts.REGIONAL}]{{2}}|{_EMOJI}(?:\u200d{_EMOJI})*)"
    rf"|({_WORD}{_JOINED.replace('{word}', _WORD)})"
)
_CJK_RUN, _UNSPACED_RUN, _EMOJI_RUN, _WORD_RUN = 1, 2, 3, 4
_CJK_TOKENS_PER_WORD: Final = 3
_MODIFIER: Final = re.compile(f"[{scripts.EMOJI_MODIFIERS}]+")
_CJK_CHARACTER: Final = re.compile(f"[{scripts.CJK}]")

_SEGMENTS: Final = re.compile(r"[/:@\\]+")
_PARTS: Final = re.compile(r"[._\-'+#]+")
_LETTERS_AND_FIGURES: Final = re.compile(r"([a-z]+)(\d+)|(\d+)([a-z]+)")
_HUMPS: Final = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})")

_SPEAKER: Final = re.compile(r"<[^>]*>\s*[:：]\s*")
# The look-behinds stand after the capital, so that the search can skip to the next capital.
_NAMES: Final = re.compile(r"[A-Z](?<!\w[A-Z])(?<!^[A-Z])(?<![.?!]\s[A-Z])[\w'\-]+(?: [A-Z][\w'\-]+)*")

_stemmer: Final = SnowballStemmer("english")


def tokens(text: str) -> list[str]:
    """Every token of `text` in reading order, with repetitions; empty only when it has no letter, digit or emoji."""
    return tokens_and_length(text)[0]


def tokens_and_length(text: str) -> tuple[list[str], int]:
    """The tokens of `text` and its length in words.

    Every CJK character stands in one single and two pairs, so three such tokens count as one word. Pairs of stop words
    do not count: they only repeat what was left out.
    """
    out: list[str] = []
    stops: list[str] = []
    pairs = cjk = 0
    after_stop = False
    for run, piece in _pieces(text):
        if run == _CJK_RUN:
            out += piece
            out += map(str.__add__, piece, piece[1:])
            cjk += 2 * len(piece) - 1
        elif run == _UNSPACED_RUN:
            out.append(piece)
            out += map(str.__add__, piece, piece[1:])
        elif run == _EMOJI_RUN:
            out += _emoji_tokens(piece)
        elif found := _word_tokens(piece) if len(piece) <= _CACHED_LENGTH else _cut_word(piece):
            out += found
        else:
            stop = piece.casefold()
            if after_stop:
                out.append(f"{stops[-1]} {stop}")
                pairs += 1
            stops.append(stop)
            after_stop = True
            continue
        after_stop = False
    found_all = out or stops
    length = len(found_all) - pairs - cjk + round(cjk / _CJK_TOKENS_PER_WORD)
    return found_all, max(length, 1) if found_all else 0


def query_weights(text: str) -> dict[str, float]:
    """What a query asks for: token -> weight > 0, to be multiplied with the token's idf.

    Lines are the turns of a dialogue, the last one counting most (a leading `<speaker>:` is left out). Capitalised
    words inside a sentence count as names. Pairs of stop words are dropped unless they are part of a name or there is
    nothing else to go by.
    """
    counts: defaultdict[str, float] = defaultdict(float)
    names: set[str] = set()
    for age, turn in enumerate(reversed(turns(text))):
        weight = _TURN_DECAY**age
        for token in tokens(turn):
            counts[token] += weight
        for name in _NAMES.finditer(turn):
            names.update(tokens(name[0]))
    telling = {token for token in counts if token in names or not _is_stop(token)} or counts.keys()
    return {
        token: _saturated(count) * (_NAME_WEIGHT if token in names else 1.0) * _size_weight(token)
        for token, count in counts.items()
        if count > 0 and token in telling
    }


def turns(text: str) -> list[str]:
    """The lines of a query that are not blank, oldest first, without a leading `<speaker>:`."""
    stripped = (_SPEAKER.sub("", line, count=1).strip() if line.startswith("<") else line for line in _lines(text))
    return [turn for turn in stripped if turn]


@lru_cache(maxsize=_CACHE_SIZE)
def term_id(token: str) -> int:
    """The stored number of a token, 0 <= id < `TERM_SPACE`.

    The top twenty bits of CRC-32 of the UTF-8 bytes times 2654435761 (Fibonacci hashing). Stored rows hold these
    numbers, so the function can never change.
    """
    return (zlib.crc32(token.encode("utf-8", "surrogatepass")) * 2_654_435_761 & 0xFFFF_FFFF) >> 12


def _pieces(text: str) -> Iterable[tuple[int, str]]:
    """The runs of `text` that tokens are cut from, each with its kind."""
    if text.isascii():
        return zip(repeat(_WORD_RUN), _ASCII_PIECE.findall(text))
    plain = normalise("NFKC", text).translate(SIMPLIFIED)
    return ((match.lastindex or _WORD_RUN, match[0]) for match in _PIECE.finditer(plain))


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n")]


def _is_stop(token: str) -> bool:
    return " " in token or token in ENGLISH


def _saturated(count: float) -> float:
    return count * (_K3 + 1) / (count + _K3)


def _size_weight(token: str) -> float:
    return _SINGLE_CHARACTER_WEIGHT if len(token) == 1 and _CJK_CHARACTER.match(token) else 1.0


def _cut_word(piece: str) -> tuple[str, ...]:
    """The tokens of one word or identifier; empty for a stop word."""
    if piece.endswith(("'s", "’s", "'S")):
        piece = piece[:-2]
    word = piece.casefold().replace("’", "'").replace(",", "")
    if word in ENGLISH:
        return ()
    if word.isalpha():
        return (*_forms(word), *_humps(piece))
    out = [word]
    segments = [segment for segment in _SEGMENTS.split(piece) if segment]
    for segment in segments:
        if len(segments) > 1 and segment.casefold() not in ENGLISH:
            out.append(segment.casefold())
        parts = [part for part in _PARTS.split(segment) if part]
        for part in parts:
            lower = part.casefold().replace(",", "")
            if lower not in ENGLISH and lower != out[-1]:
                out += _forms(lower)
            out += _humps(part) or _halves(lower)
    return tuple(out)


_word_tokens = lru_cache(maxsize=_CACHE_SIZE)(_cut_word)


def _forms(word: str) -> list[str]:
    """A word as it is indexed: stemmed when it is ASCII, else itself and, for Latin, its form without accents."""
    if word.isascii():
        return [str(_stemmer.stem_word(word)) if word.isalpha() else word]
    plain = "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))
    return [word, *_forms(plain)] if plain.isascii() and plain != word else [word]


def _humps(piece: str) -> list[str]:
    """The words inside a camelCase name; none for an ordinary word, or for what is more likely encoded data."""
    if len(piece) > _CACHED_LENGTH or piece.isupper() or piece[1:] == piece[1:].lower():
        return []
    humps = [hump.casefold() for hump in _HUMPS.split(piece)]
    if not 1 < len(humps) <= _MOST_HUMPS:
        return []
    return [form for hump in humps if hump not in ENGLISH for form in _forms(hump)]


def _halves(word: str) -> list[str]:
    """Letters and figures that are written as one, `node18` or `10gb`; none for what mixes them more than once."""
    match = _LETTERS_AND_FIGURES.fullmatch(word)
    if match is None or len(word) > _CACHED_LENGTH:
        return []
    return [form for half in match.groups() if half for form in _forms(half)]


def _emoji_tokens(sequence: str) -> list[str]:
    # A tone or tag without its pictograph stands for itself.
    bare = _MODIFIER.sub("", sequence).strip("\u200d") or sequence
    members = [member for member in bare.split("\u200d") if member]
    return [bare, *members] if len(members) > 1 else [bare]

"""The form in which a memory's text is stored, compared and shortened."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from typing import Final

from recalld_server.text import graphemes
from recalld_server.text.normalise import normalise

_DROPPED: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff]+")
_SURROGATES: Final = re.compile("[\ud800-\udfff]+")
# Nothing is drawn for these, though Unicode calls them letters, marks or symbols: Hangul fillers, the Braille blank, the
# grapheme joiner, Khmer inherent vowels and the variation selectors.
_INVISIBLE: Final = frozenset(
    [
        *"\u115f\u1160\u3164\uffa0\u2800\u034f\u17b4\u17b5\u180b\u180c\u180d\u180f",
        *map(chr, range(0xFE00, 0xFE10)),
        *map(chr, range(0xE0100, 0xE01F0)),
    ]
)
_BLANK_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cn", "Cs", "Zl", "Zp", "Zs"})

# NFKC would make 10⁵ into 105, H₂O into H2O, ½ into 1⁄2 and ① into 1: other numbers, so other facts.
_KEPT_FORMS: Final = ("<super>", "<sub>", "<fraction>", "<circle>")
_WORD: Final = re.compile(r"\S+")
_FULL_STOPS: Final = ".。!"


def clean(text: str) -> str:
    """`text` as it is stored: NFC, line ends as LF, without control characters and lone surrogates.

    Of the C0 controls only tab and newline stay; a lone CR is an old line end and becomes LF. Everything else (code
    fences, joiners, right-to-left marks, spaces) is kept as it was. Idempotent.
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = _DROPPED.sub("", text)
    return text if text.isascii() else normalise("NFC", text)


def is_blank(text: str) -> bool:
    """Whether a reader would see nothing: white space of any script, zero-width and format-only text are blank."""
    return all(_is_invisible(character) for character in text)


def content_hash(text: str) -> bytes:
    """32 bytes that are equal for texts that are the same apart from how they were typed.

    Folded, and nothing else:

    - compatibility forms (NFKC: full-width letters, ligatures), but not super- and subscripts, fractions and circled
      numbers;
    - the case of ordinary words (`tea`, `Tea`, `TEA`), but not of words with digits, underscores or capitals inside,
      which are identifiers, units and secrets as often as not (`aB3x`, `iPhone`, `MAX_size`);
    - runs of white space, to one space, and white space at both ends;
    - full stops and exclamation marks at the end, when they close a word (`1.5 V.` is `1.5 V`; `git add .` stays).

    Numbers, negations, question marks, operators (`C`, `C++`, `C#`) and inner punctuation (`1.5`, `15`) all count.
    """
    folded = " ".join(_fold_case(word) for word in _WORD.findall(_compatible(text)))
    body = folded.rstrip(_FULL_STOPS)
    if body and (body[-1].isalnum() or body[-1] in "\"'”’」』》)）]"):
        folded = body
    return hashlib.sha256(folded.encode("utf-8", "surrogatepass")).digest()


def snippet(text: str, limit: int) -> str:
    """The beginning of `text`, at most `limit` code points long, ending between two characters as a reader sees them.

    A prefix of the text (lone surrogates apart, which are left out); empty when not even one character fits. No mark
    is added: whoever shows it compares the lengths.
    """
    return graphemes.cut(_SURROGATES.sub("", text), limit)


def _is_invisible(character: str) -> bool:
    return character.isspace() or character in _INVISIBLE or unicodedata.category(character) in _BLANK_CATEGORIES


def _compatible(text: str) -> str:
    if text.isascii() or unicodedata.is_normalized("NFKC", text):
        return text
    folded = [
        character
        if character.isascii() or unicodedata.decomposition(character).startswith(_KEPT_FORMS)
        else unicodedata.normalize("NFKC", character)
        for character in text
    ]
    return normalise("NFC", "".join(folded))


def _fold_case(word: str) -> str:
    if word.islower():
        return word
    plain = not any(character.isdigit() or character == "_" for character in word)
    if plain and (word.isupper() or word[1:] == word[1:].lower()):
        return word.casefold()
    return word

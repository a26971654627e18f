"""Which language a text is in, as far as the product has to know: headings, cue tables, the embedder's centring."""

from __future__ import annotations

import re
from typing import Final, Literal

from recalld_server.text import scripts
from recalld_server.text.stop_words import ENGLISH

Language = Literal["en", "zh", "other"]

_HAN: Final = re.compile(f"[{scripts.HAN}]")
_KANA_OR_HANGUL: Final = re.compile(f"[{scripts.KANA}{scripts.HANGUL}]")
_LATIN_WORD: Final = re.compile(r"[A-Za-z\u00c0-\u024f]+")
_ASCII_WORD: Final = re.compile(r"[A-Za-z]+")
_CHINESE_SHARE: Final = 0.25
# Function words that are common in French, German, Spanish, Italian, Portuguese and Dutch and are no English words.
_FOREIGN: Final = frozenset(
    """
    le les des une est sont dans pour avec je nous vous pas qui que sur mais
    der das und ist nicht ein eine ich wir sie mit auf für von zu im den dem auch
    el los las del una unos es son por para con yo nosotros muy como pero está
    il gli della di che sono per una noi non più anche
    os um uma não são com eu você mas dos
    het een niet ik wij van zijn maar ook
    """.split()  # noqa: SIM905 - words read better in lines than in quotes
)


def language(text: str) -> Language:
    """The language of `text`: Chinese, English, or neither.

    Han characters beside English words still make a Chinese text when they carry a quarter of it ("把 timeout 改成 30
    秒"). Kana or Hangul make it "other", as do other scripts and Latin text with more function words of another
    European language than English ones. Text without letters is "other".
    """
    han = len(_HAN.findall(text))
    others = len(_KANA_OR_HANGUL.findall(text))
    if others and others * 4 >= han:
        return "other"
    if han and han_share(text) >= _CHINESE_SHARE:
        return "zh"
    words = [word.lower() for word in _LATIN_WORD.findall(text)]
    letters = sum(map(len, words))
    if not letters or sum(character.isalpha() for character in text) - han > 2 * letters:
        return "other"
    english = sum(word in ENGLISH for word in words)
    foreign = sum(word in _FOREIGN for word in words)
    return "other" if foreign > english else "en"


def han_share(text: str) -> float:
    """How much of the text is Chinese, 0 to 1: Han characters against Latin words, a word counting as two characters.

    The weight of the Chinese mean in per-language centring of embeddings.
    """
    han = len(_HAN.findall(text))
    return han / max(1, han + 2 * len(_ASCII_WORD.findall(text)))

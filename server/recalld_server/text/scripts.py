"""The scripts that tokens are made of, as ranges for a regular expression's character class."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

HAN: Final = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
KANA: Final = "\u3041-\u3096\u3099-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
HANGUL: Final = "\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3"
BOPOMOFO: Final = "\u3105-\u312f"
CJK: Final = HAN + KANA + HANGUL + BOPOMOFO

# Thai, Lao, Myanmar and Khmer are written without spaces too; their vowels and tones are marks, not letters.
UNSPACED: Final = "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ede\u1000-\u109f\u1780-\u17d3"

REGIONAL: Final = "\U0001f1e6-\U0001f1ff"
PICTOGRAPHS: Final = "\u231a-\u23ff\u25aa-\u27bf\u2934-\u2b55\U0001f000-\U0001f1e5\U0001f200-\U0001faff"
# What follows a pictograph inside one emoji: the emoji style, a keycap, a skin tone, a tag.
EMOJI_MODIFIERS: Final = "\ufe0f\u20e3\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f"

_SPACED_AND_MARKED: Final = range(0x0300, 0x1E00)


def _marks() -> str:
    """Combining marks of the scripts that write words with them (accents, Arabic, Hebrew, the Indic scripts)."""
    apart = re.compile(f"[{CJK}{UNSPACED}]")
    marks = (chr(code) for code in _SPACED_AND_MARKED if unicodedata.category(chr(code)).startswith("M"))
    return "".join(mark for mark in marks if not apart.match(mark))


MARKS: Final = _marks()

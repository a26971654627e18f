"""Unicode normal forms in linear time."""

from __future__ import annotations

import unicodedata
from typing import Final, Literal

Form = Literal["NFC", "NFKC"]

# Combining marks that decompose into several, or into one of another class, would come out of order again.
_DECOMPOSED_MARKS: Final[dict[Form, dict[int, str]]] = {
    "NFC": {0x0344: "\u0308\u0301", 0x0F73: "\u0f71\u0f72", 0x0F75: "\u0f71\u0f74", 0x0F81: "\u0f71\u0f80"},
    "NFKC": {
        0x0344: "\u0308\u0301",
        0x0F73: "\u0f71\u0f72",
        0x0F75: "\u0f71\u0f74",
        0x0F81: "\u0f71\u0f80",
        0xFF9E: "\u3099",
        0xFF9F: "\u309a",
    },
}


def normalise(form: Form, text: str) -> str:
    """`text` in the normal form named.

    The same result as `unicodedata.normalize`, whose time grows with the square of a run of combining marks.
    """
    if unicodedata.is_normalized(form, text):
        return text
    return unicodedata.normalize(form, _order_marks(text.translate(_DECOMPOSED_MARKS[form])))


def _order_marks(text: str) -> str:
    """Each run of combining marks in canonical order: a stable sort by combining class is what the standard asks."""
    out: list[str] = []
    marks: list[str] = []
    for character in text:
        if unicodedata.combining(character):
            marks.append(character)
            continue
        if marks:
            out.extend(sorted(marks, key=unicodedata.combining))
            marks.clear()
        out.append(character)
    out.extend(sorted(marks, key=unicodedata.combining))
    return "".join(out)

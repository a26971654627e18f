"""What in a text is its speaker's own word, and what is quoted, dictated or given to be worked on."""

from __future__ import annotations

import re
from typing import Final

from recalld_server.core.distill.cues import hands_over
from recalld_server.text.simplified import SIMPLIFIED

_PAIRS: Final = ('"', '"'), ("“", "”"), ("「", "」"), ("『", "』"), ("《", "》")
_QUOTED: Final = re.compile("|".join(rf"{a}[^{a}{b}]{{2,4000}}{b}" for a, b in _PAIRS))
_QUOTED_LINE: Final = re.compile(r"(?m)^[ \t]{0,8}>.*$")
_BEFORE_COLON: Final = re.compile(r"(?:^|(?<=[.!?。！？\n]))([^.!?。！？:：\n]{1,80})[:：]")
_LETTER: Final = re.compile(r"[^\W\d_]")
_NOBODY: Final = "x"


def own_words(text: str) -> str:
    """The text, of the same length, with each letter that is somebody else's made unreadable. A name in quotation marks is
    hidden as well; whoever reads for cues needs none. Time grows with the length of the text."""
    text = _QUOTED_LINE.sub(_hidden, _QUOTED.sub(_hidden, text))
    parts: list[str] = []
    at = 0
    for found in _BEFORE_COLON.finditer(text):
        scope = hands_over(found[1].translate(SIMPLIFIED))
        if scope and found.end() >= at:
            line_end = text.find("\n", found.end())
            end = len(text) if scope == "text" or line_end < 0 else line_end
            parts += text[at : found.end()], _LETTER.sub(_NOBODY, text[found.end() : end])
            at = end
    return "".join((*parts, text[at:]))


def _hidden(found: re.Match[str]) -> str:
    return _LETTER.sub(_NOBODY, found[0])

"""One spelling for what is one text: width, script, apostrophes, contractions."""

from __future__ import annotations

import re
import unicodedata

from recalld_server.text.normalise import normalise as normal_form
from recalld_server.text.simplified import SIMPLIFIED

# 10⁵ is not 105 and ½ is not 1/2 of anything: these forms keep their own characters.
_KEPT_FORMS = ("<super>", "<sub>", "<fraction>", "<circle>")
_CONTRACTIONS = tuple(
    (re.compile(pattern, re.IGNORECASE), replacement)
    for pattern, replacement in (
        (r"\bcan't\b", "can not"),
        (r"\bwon't\b", "will not"),
        (r"\b(is|are|was|were|do|does|did|has|have|had|would|could|should|must|need)n't\b", r"\1 not"),
        (r"\bi'm\b", "I am"),
        (r"\b(it|that|he|she|what|where|who|there|here)'s\b", r"\1 is"),
        (r"\b(\w+)'re\b", r"\1 are"),
        (r"\b(\w+)'ve\b", r"\1 have"),
        (r"\b(\w+)'ll\b", r"\1 will"),
        (r"\b(\w+)'d\b", r"\1 would"),
        (r"\blet's\b", "let us"),
    )
)
_WITHOUT_APOSTROPHE = (
    (
        "nt",
        re.compile(
            r"\b(ca|wo|is|are|was|were|do|does|did|has|have|had|would|could|should|must|need)nt\b", re.IGNORECASE
        ),
        r"\1n't",
    ),
    ("cannot", re.compile(r"\bcannot\b", re.IGNORECASE), "can not"),
    (".m", re.compile(r"\b([ap])\.m\b\.?", re.IGNORECASE), r"\1m"),
)
_PLAIN = SIMPLIFIED | dict.fromkeys(map(ord, "\u2018\u2019\u02bc`´"), "'")
_SPACES = re.compile(r"[^\S\n]+")


def normalise(text: str) -> str:
    """Return `text` with plain letters, simplified characters, spaces of one kind and contractions written out."""
    if not text.isascii():
        kept = unicodedata.is_normalized("NFKC", text)
        text = (text if kept else _compatible(text)).translate(_PLAIN)
    for mark, pattern, replacement in _WITHOUT_APOSTROPHE:
        if mark in text:
            text = pattern.sub(replacement, text)
    if "'" in text:
        for pattern, replacement in _CONTRACTIONS:
            text = pattern.sub(replacement, text)
    return _SPACES.sub(" ", text).strip()


def _compatible(text: str) -> str:
    folded = (
        c if c.isascii() or unicodedata.decomposition(c).startswith(_KEPT_FORMS) else unicodedata.normalize("NFKC", c)
        for c in text
    )
    return normal_form("NFC", "".join(folded))

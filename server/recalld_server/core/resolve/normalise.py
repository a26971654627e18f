"""One spelling for what is one text: width, case, script, contractions."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from importlib.resources import files

_CONTRACTIONS = (
    (re.compile(r"[\u2018\u2019\u02bc`´]"), "'"),
    (re.compile(r"\bcan't\b|\bcannot\b", re.I), "can not"),
    (re.compile(r"\bwon't\b", re.I), "will not"),
    (re.compile(r"\bshan't\b", re.I), "shall not"),
    (re.compile(r"\b(is|are|was|were|do|does|did|has|have|had|would|could|should|must|need)n't\b", re.I), r"\1 not"),
    (re.compile(r"\bi'm\b", re.I), "I am"),
    (re.compile(r"\b(it|that|he|she|what|where|who|there|here)'s\b", re.I), r"\1 is"),
    (re.compile(r"\b(\w+)'re\b", re.I), r"\1 are"),
    (re.compile(r"\b(\w+)'ve\b", re.I), r"\1 have"),
    (re.compile(r"\b(\w+)'ll\b", re.I), r"\1 will"),
    (re.compile(r"\b(\w+)'d\b", re.I), r"\1 would"),
    (re.compile(r"\blet's\b", re.I), "let us"),
    (re.compile(r"\b([ap])\.m\.?", re.I), r"\1m"),
)
_SPACES = re.compile(r"\s+")
_FOLD = re.compile(r"[\W_]+")


@cache
def _simplified() -> dict[int, str]:
    lines = files(__package__).joinpath("data/traditional.txt").read_text("utf-8").split("\n")
    pairs = [pair for line in lines if not line.startswith("#") for pair in line.split()]
    return {ord(pair[0]): pair[1] for pair in pairs}


def normalise(text: str) -> str:
    """Return `text` in NFKC with simplified characters, plain apostrophes and contractions written out; case is kept."""
    text = unicodedata.normalize("NFKC", text).translate(_simplified())
    for pattern, replacement in _CONTRACTIONS:
        text = pattern.sub(replacement, text)
    return _SPACES.sub(" ", text).strip()


def fold(normalised: str) -> str:
    """Return what is left of a normalised text without case, spaces and punctuation; equal means the same statement."""
    return _FOLD.sub("", normalised.casefold())

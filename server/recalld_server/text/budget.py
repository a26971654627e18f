"""An estimate of how many tokens a text is for a language model, without any model's tokenizer.

A token is about four characters of Latin script and about two thirds of a CJK character (checked against byte-pair
tokenizers of current models, which differ by a fifth among themselves): the estimate leans to the high side, so that a
budget holds.
"""

from __future__ import annotations


def estimate_tokens(text: str) -> int:
    """Tokens of the text, at least 1 for a text that is not empty."""
    wide = 0 if text.isascii() else sum(character >= "\u2e80" for character in text)
    return (wide * 5 + (len(text) - wide) * 2 + 5) // 6 if text else 0

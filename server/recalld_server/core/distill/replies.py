"""Reads the JSON in what a chat model answers, however it is wrapped; what stands inside strings is never altered."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from typing import Any, Final

LONGEST: Final = 400_000
"""Characters that are read."""
_DEEPEST: Final = 40

# Strings of either kind, and the signs that matter outside them. An unclosed string ends the search.
_PIECE: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]]', re.DOTALL)
_LOOSE_PIECE: Final = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|[{}\[\]]", re.DOTALL)
_COMMA: Final = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', re.DOTALL)


class UnreadableReply(Exception):
    """There is no JSON in it; the message says what is wrong without quoting it."""


def read_json(text: str) -> list[Any]:
    """The objects and lists of a reply in order, each as Python values. Reads what stands in a Markdown fence or between
    remarks, with commas too many, or with single quotes. Raises UnreadableReply when there is none, or one is cut off."""
    text = text[:LONGEST].lstrip("\ufeff").strip()
    if not text:
        raise UnreadableReply("it is empty")
    found, cut_off = [], False
    for pattern in (_PIECE, _LOOSE_PIECE):
        for part in _balanced(text, pattern):
            if part is None:
                cut_off = True
                continue
            value = _value(part)
            if isinstance(value, dict | list):
                found.append(value)
        if found:
            break
    if cut_off and found:
        # a remark with a bracket in it is no harm; a list that goes on after what was read is
        raise UnreadableReply("it is cut off")
    if not found:
        raise UnreadableReply("it is cut off" if cut_off else "it holds no JSON")
    return found


def _balanced(text: str, pattern: re.Pattern[str]) -> Iterator[str | None]:
    """The outermost bracketed parts; None for one that does not end."""
    depth, start = 0, 0
    for match in pattern.finditer(text):
        sign = match[0]
        if sign in "{[":
            if depth == 0:
                start = match.start()
            depth += 1
        elif sign in "}]" and depth:
            depth -= 1
            if depth == 0:
                yield text[start : match.end()]
    if depth:
        yield None


def _value(part: str) -> Any:
    for form in (part, _COMMA.sub(lambda match: match[1] or "", part)):
        try:
            return json.loads(form, parse_constant=_refuse, strict=False)
        except (ValueError, RecursionError):
            continue
    if sum(part.count(sign) for sign in "{[") > _DEEPEST * 50:
        return None
    try:
        return ast.literal_eval(part)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None


def _refuse(name: str) -> None:
    raise ValueError(name)

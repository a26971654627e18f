"""The words that options take, so that the shell can complete them.

Options that can be repeated take the enums themselves, since typer knows no lists of literals; `words` keeps
"unspecified" out of their help.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Literal, TypeAlias

import typer

KindChoice: TypeAlias = Literal["working", "episodic", "semantic", "procedural"]
VisibilityChoice: TypeAlias = Literal["private", "shared"]
TimeModeChoice: TypeAlias = Literal["boost", "filter", "ignore"]
ForgetChoice: TypeAlias = Literal["archive", "forget", "erase"]
ReviewStateChoice: TypeAlias = Literal["open", "resolved", "expired"]
DecisionChoice: TypeAlias = Literal["approve", "edit", "reject", "keep_both", "choose"]


def words(kind: type[StrEnum], help: str, *, without: tuple[str, ...] = ()) -> Any:
    """An option that takes words of this enum and can be repeated."""
    shown = "|".join(each.value for each in kind if each.value not in ("unspecified", *without))
    return typer.Option(help=f"{help} Can be repeated.", metavar=f"[{shown}]")

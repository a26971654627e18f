"""The words that options take, so that the shell can complete them.

Options that can be repeated take the enums themselves, since typer knows no lists of literals; `words` keeps
"unspecified" out of them.
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
    known = [each.value for each in kind if each.value not in ("unspecified", *without)]

    def read(word: str) -> StrEnum:
        if word not in known:
            raise typer.BadParameter(f"{word!r} is not one of {', '.join(known)}")
        return kind(word)

    def complete(begun: str) -> list[str]:
        return [word for word in known if word.startswith(begun)]

    return typer.Option(
        help=f"{help} Can be repeated.", metavar=f"[{'|'.join(known)}]", parser=read, autocompletion=complete
    )

"""Dialogues as queries: one turn a line, with or without who said it."""

from __future__ import annotations


def turns(text: str) -> list[str]:
    """The turns of a dialogue, oldest first, without the names in angle brackets before them; a text of one line is one."""
    found = []
    for line in text.split("\n"):
        said = line.strip()
        if said.startswith("<") and ">" in said:
            said = said.partition(">")[2].lstrip().removeprefix(":").removeprefix("：").strip()
        if said.strip('"“”'):
            found.append(said.strip('"“”') if "\n" in text else said)
    return found


def last_turn(text: str) -> str:
    """The latest turn of a dialogue; the text itself when it is no dialogue."""
    if "\n" not in text.strip():
        return text
    found = turns(text)
    return found[-1] if found else text

"""What makes a memory findable: its lexical form and its vectors.

A turn of a conversation often says little by itself ("Yes, in March."), so its vector is a blend of the turn and of the
turn with the one before it. Two views that disagree make the blend shorter, and by that it counts less in a search. The
text alone has a vector of its own, by which duplicates are known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

import numpy as np

from recalld_server.model import Memory
from recalld_server.store.base import Lexical, NewMemory, Vector
from recalld_server.text.lexical import lexical_document

CONTEXT_WEIGHT = 0.7
"""Share of the view with the turn before, for a turn of at most CONTEXT_WORDS words; longer turns need less."""
CONTEXT_WORDS = 25
CONTEXT_GAP = timedelta(hours=1)
CONTEXT_CHARACTERS = 400


@dataclass(frozen=True, slots=True)
class Previous:
    """The turn before: who said what."""

    speaker: str
    content: str


def passage(memory: Memory) -> str:
    """The text of the first view: who said it, and what."""
    return f"{memory.speaker}: {memory.content}" if memory.speaker else memory.content


def passage_in_context(memory: Memory, before: Previous) -> str:
    """The text of the second view: the end of the turn before, then this one."""
    return f"{before.content[-CONTEXT_CHARACTERS:]}\n{passage(memory)}"


def previous(memory: Memory, before: Memory | None) -> Previous | None:
    """The turn before, where it is one of the same conversation: somebody speaks in both, at most an hour apart."""
    if before is None or not memory.speaker or not before.speaker:
        return None
    if memory.event_time - before.event_time > CONTEXT_GAP:
        return None
    return Previous(before.speaker, before.content)


def lexical(memory: Memory, average_length: float) -> Lexical:
    """The lexical form of what is said and by whom."""
    document = lexical_document(passage(memory), average_length=average_length)
    return Lexical(document.terms, document.weights, document.length)


def blend(text: Vector, context: Vector | None, words: int) -> Vector:
    """One vector of both views (norm 1 each); its norm is at most 1, and less the more they disagree."""
    if context is None:
        return text
    weight = CONTEXT_WEIGHT * min(1.0, CONTEXT_WORDS / max(1, words))
    return np.asarray((1.0 - weight) * text + weight * context, np.float32)


def indexed(
    memory: Memory, content_hash: bytes, average_length: float, text: Vector | None, context: Vector | None
) -> NewMemory:
    """The memory with all that makes it findable; without vectors it waits for them."""
    form = lexical(memory, average_length)
    if text is None:
        return NewMemory(memory, content_hash, form, None)
    if context is None:
        return NewMemory(memory, content_hash, form, text)
    return NewMemory(memory, content_hash, form, blend(text, context, form.length), text)


def texts_to_embed(memories: Sequence[Memory], before: Sequence[Previous | None]) -> list[str]:
    """The first views of all, then the second views of those that have one, so that one batch embeds them."""
    contexts = [passage_in_context(m, p) for m, p in zip(memories, before, strict=True) if p is not None]
    return [passage(memory) for memory in memories] + contexts

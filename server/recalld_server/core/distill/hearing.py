"""Listens to a conversation sentence by sentence: who may say what, what was taken back, what is not to be kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from recalld_server.core.distill import tools
from recalld_server.core.distill.cluster import numbers
from recalld_server.core.distill.cues import Cue, is_negated, is_withheld, only_withholds, points_back, read, takes_back
from recalld_server.core.distill.own_words import own_words
from recalld_server.core.distill.secrets import holds_secret
from recalld_server.core.distill.types import Category, Role, Source
from recalld_server.core.importance import is_chatter
from recalld_server.text.entities import extract_entities
from recalld_server.text.sentences import LONGEST, sentences
from recalld_server.text.tokens import tokens

_ALIKE: Final = 0.5
"""Share of the words of a statement that are in the one that corrects it."""


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence of a source; `cue` None: worth keeping only if it recurs."""

    text: str
    source: Source
    cue: Cue | None

    @property
    def key(self) -> tuple[object, ...]:
        """What must be equal in two sentences that say the same: no cosine tells two places or two figures apart."""
        category = self.cue.category if self.cue else None
        return category, is_negated(self.text), numbers(self.text), frozenset(extract_entities(self.text))


def heard(sources: Sequence[Source], categories: frozenset[Category], skipped: Counter[str]) -> list[Said]:
    """The sentences that may be worth keeping, oldest first, of sources in the order of time."""
    with_failure = {source.session_id for source in sources if tools.failed([source])}
    said: list[Said] = []
    turns = _Turns(said, skipped)
    for source in sources:
        if turns.withholds(source):
            continue
        for text, own, with_name in _sentences(source.content):
            cue = read(own)
            if cue is not None and points_back(own):
                # alone nobody could tell who is meant
                text, cue = (with_name, cue) if 0 < len(with_name) <= LONGEST else (text, cue.doubted())
            if cue is not None and not _may_say(source, cue, source.session_id in with_failure):
                skipped["not_said_by_the_person"] += 1
            elif cue is not None and holds_secret(text):
                skipped["secret"] += 1
            elif cue is not None and cue.category in categories:
                each = Said(text, source, cue)
                turns.spoke(source, own, each)
                said.append(each)
            elif cue is None and is_chatter(text) and not takes_back(own):
                skipped["chatter"] += 1
            else:
                turns.spoke(source, own, None)
                if cue is None and Category.PATTERN in categories and _may_recur(text, source):
                    said.append(Said(text, source, None))
                else:
                    skipped["no_cue"] += 1
    return said


class _Turns:
    """What each session's person said last, for the words that point back at it."""

    def __init__(self, said: list[Said], skipped: Counter[str]) -> None:
        self._said = said
        self._skipped = skipped
        self._last: dict[str, tuple[Source, Said | None]] = {}

    def withholds(self, source: Source) -> bool:
        """Whether the person asks for a turn not to be kept; one that only asks means the one before."""
        if source.role is not Role.PERSON or source.kind is not None:
            return False
        own = [own for _, own, _ in _sentences(source.content)]
        if not any(map(is_withheld, own)):
            return False
        self._skipped["not_to_be_kept"] += 1
        before = self._last.pop(source.session_id, None)
        if before is not None and all(is_chatter(each) or only_withholds(each) for each in own):
            self._take_back(*(each for each in self._said if each.source is before[0]))
        return True

    def spoke(self, source: Source, own: str, said: Said | None) -> None:
        """Hears a sentence; one that takes back the sentence before takes it out of what was said."""
        if source.role is not Role.PERSON or source.kind is not None:
            return
        before = self._last.get(source.session_id, (source, None))[1]
        if before is not None and takes_back(own) and (said is None or _says_anew(before, said)):
            self._take_back(before)
        self._last[source.session_id] = source, said

    def _take_back(self, *told: Said) -> None:
        for each in told:
            self._said.remove(each)
            self._skipped["taken_back"] += 1


def _says_anew(before: Said, said: Said) -> bool:
    """Whether a sentence says another thing of what one before spoke of."""
    old, new = set(tokens(before.text)), set(tokens(said.text))
    same = before.cue is not None and said.cue is not None and before.cue.category is said.cue.category
    return same and len(old & new) >= _ALIKE * len(old)


def _sentences(text: str) -> Iterator[tuple[str, str, str]]:
    """Each sentence, what in it is the speaker's own, and the sentence with the last one before it that names whom it is about;
    that is empty where none does."""
    own, at, naming = own_words(text), 0, ""
    for sentence in sentences(text):
        start = text.index(sentence, at)
        gap, at = " " if start > at else "", start + len(sentence)
        if points_back(own[start:at]):
            yield sentence, own[start:at], naming and naming + gap + sentence
        else:
            naming = sentence
            yield sentence, own[start:at], ""


def _may_say(source: Source, cue: Cue, tool_failed: bool) -> bool:
    if source.role is Role.PERSON:
        return True
    return source.role is Role.ASSISTANT and cue.category is Category.LESSON and tool_failed


def _may_recur(text: str, source: Source) -> bool:
    if source.kind is None or source.role is not Role.PERSON:
        return False
    return len(text) <= LONGEST and not text.endswith(("?", "？")) and not holds_secret(text)

"""What a namespace should hold, by the documented rules, in memory. Knows exact duplicates only: its texts are strangers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from recalld import Kind, State

HIDDEN = (State.FORGOTTEN, State.EXPIRED)
TARGET = {"archive": State.ARCHIVED, "forget": State.FORGOTTEN}


class Refused(Exception):
    """A call that must fail; the reason is that of the error."""


@dataclass(frozen=True)
class Held:
    """A memory at one of its revisions."""

    memory_id: str
    owner: str
    private: bool
    content: str
    kind: Kind
    user_id: str = ""
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    importance: float = 0.5
    state: State = State.ACTIVE
    revision: int = 1
    action: str = "write"
    actor: str = ""
    uses: int = 0

    @property
    def place(self) -> tuple[object, ...]:
        """Two live memories with the same place say the same."""
        words = self.content.casefold().rstrip(".。!！").split()
        return " ".join(words), self.kind == Kind.EPISODIC, self.user_id, self.owner if self.private else None

    def seen_by(self, agent: str) -> bool:
        return not self.private or self.owner == agent


class Reference:
    """The memories of one namespace, oldest first, each with its revisions, oldest first."""

    def __init__(self) -> None:
        self.history: dict[str, list[Held]] = {}
        self.erased: dict[str, None] = {}

    def now(self) -> list[Held]:
        return [revisions[-1] for revisions in self.history.values()]

    def twin(self, held: Held) -> Held | None:
        """Another live memory that says the same."""
        same = (each for each in self.now() if each.state == State.ACTIVE and each.place == held.place)
        return next((each for each in same if each.memory_id != held.memory_id), None)

    def visible(self, agent: str, memory_id: str) -> Held:
        revisions = self.history.get(memory_id)
        if revisions is None or not revisions[-1].seen_by(agent):
            raise Refused("MEMORY_NOT_FOUND")
        return revisions[-1]

    def get(self, agent: str, memory_id: str) -> Held:
        held = self.visible(agent, memory_id)
        if held.state in HIDDEN:
            raise Refused("MEMORY_NOT_FOUND")
        return held

    def listed(self, agent: str, states: Sequence[State] = (), **equal: Any) -> list[Held]:
        """Newest first."""
        return as_listed(self.now(), agent, states, **equal)

    def write(self, drafts: Sequence[Held]) -> list[Held | None]:
        """For each draft the live memory that says it already; None: there is none, and it is to be stored."""
        found: list[Held | None] = []
        stored: list[Held] = []
        for draft in drafts:
            twin = self.twin(draft) or next((each for each in stored if each.place == draft.place), None)
            found.append(twin)
            if twin is None:
                stored.append(draft)
        return found

    def store(self, held: Held) -> None:
        self.history.setdefault(held.memory_id, []).append(held)

    def use(self, memory_ids: Iterable[str]) -> None:
        for memory_id in set(memory_ids):
            self.history[memory_id][-1] = replace(
                self.history[memory_id][-1], uses=self.history[memory_id][-1].uses + 1
            )

    def update(self, agent: str, memory_id: str, changes: Mapping[str, Any], revision: int | None) -> Held:
        held = self._at(agent, memory_id, revision)
        if held.state != State.ACTIVE:
            raise Refused("WRONG_STATE")
        return self._next(held, agent, "update", **changes)

    def restore(self, agent: str, memory_id: str, wanted: int | None, revision: int | None) -> Held:
        held = self._at(agent, memory_id, revision)
        for then in reversed(self.history[memory_id]):
            if then.revision == wanted or (wanted is None and then.state == State.ACTIVE):
                return self._next(replace(then, uses=held.uses), agent, "restore", state=State.ACTIVE)
        raise Refused("INVALID_FIELD")

    def forget(self, agent: str, memory_ids: Sequence[str], mode: str) -> list[str]:
        """The ids that went."""
        present = [each for each in memory_ids if each in self.history and self.history[each][-1].seen_by(agent)]
        if not present:
            raise Refused("MEMORY_NOT_FOUND")
        if mode == "erase":
            for memory_id in present:
                del self.history[memory_id]
            self.erased |= dict.fromkeys(present)
            return present
        return [each for each in present if self._forget(agent, self.history[each][-1], mode)]

    def _forget(self, agent: str, held: Held, mode: str) -> bool:
        goes = held.state not in (TARGET[mode], State.FORGOTTEN)
        if goes:
            self._next(held, agent, mode, state=TARGET[mode])
        return goes

    def _at(self, agent: str, memory_id: str, revision: int | None) -> Held:
        held = self.visible(agent, memory_id)
        if revision not in (None, held.revision):
            raise Refused("ETAG_MISMATCH")
        return held

    def _next(self, held: Held, actor: str, action: str, **changes: Any) -> Held:
        latest = self.history[held.memory_id][-1].revision
        new = replace(held, **changes, revision=latest + 1, action=action, actor=actor)
        if new.state == State.ACTIVE and self.twin(new) is not None:
            raise Refused("MEMORY_EXISTS")
        self.store(new)
        return new


@dataclass(frozen=True)
class Moment:
    """What was there at an instant."""

    time: datetime
    held: tuple[Held, ...]


def as_listed(held: Sequence[Held], agent: str, states: Sequence[State] = (), **equal: Any) -> list[Held]:
    """Those that List gives, newest first."""
    wanted = states or [State.ACTIVE]
    seen = [each for each in held if each.seen_by(agent) and each.state in wanted]
    return [each for each in reversed(seen) if all(getattr(each, name) == value for name, value in equal.items())]

"""A chat history in a session: what the chat adapters have in common.

Turns are never destroyed, so what a framework takes back is hidden, by variables of the session: `history_cleared` (the
sequence up to which it was cleared) and `history_taken_back` (ids of turns). What is hidden stays readable for other
agents of the session, and a look back sees it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from recalld._sync.client import NamespaceView
from recalld.errors import Conflict, InvalidArgument, NotFound
from recalld.types.sessions import SessionView, Turn, TurnInput

CLEARED = "history_cleared"
TAKEN_BACK = "history_taken_back"
MOST_TURNS = 1000
"""What one read of a session gives at most; a longer history shows its latest part."""
TURNS_PER_CALL = 200
STRUCTURED = "application/json"
"""Speaker of a turn whose content is a framework's message as JSON, because text alone would not bring it back."""


class History:
    """The visible turns of one session."""

    def __init__(self, view: NamespaceView, session_id: str, user_id: str | None = None) -> None:
        """Makes no call. Raises InvalidArgument for an empty session id."""
        if not session_id:
            raise InvalidArgument.of("session_id", "must not be empty")
        self._session = view.session(session_id, user_id=user_id)

    def add(self, turns: Sequence[TurnInput]) -> None:
        """Adds turns in order; they are durable when this returns."""
        for start in range(0, len(turns), TURNS_PER_CALL):
            self._session.add_turns(turns[start : start + TURNS_PER_CALL])

    def latest(self, limit: int | None = None) -> list[Turn]:
        """The latest turns, oldest first; none of a session that does not exist yet."""
        if limit is not None and limit <= 0:
            return []
        view = self._read(limit)
        turns = _visible(view)
        return turns if limit is None else turns[-limit:]

    def pop(self) -> Turn | None:
        """Takes the latest turn back and returns it; None when there is none."""
        while True:
            view = self._read(1)
            turns = _visible(view)
            if not turns:
                return None
            taken = [*_taken_back(view), turns[-1].turn_id]
            if self._set(view, {TAKEN_BACK: taken}):
                return turns[-1]

    def clear(self) -> None:
        """Takes everything back."""
        while True:
            view = self._read(0)
            if view is None or self._set(view, {CLEARED: view.session.turn_count, TAKEN_BACK: None}):
                return

    def _read(self, limit: int | None) -> SessionView | None:
        try:
            if limit is None:
                return self._session.get(max_turns=MOST_TURNS)
            view = self._session.get(max_turns=limit)
            hidden = len(_taken_back(view))
            return view if not (limit and hidden) else self._session.get(max_turns=min(limit + hidden, MOST_TURNS))
        except NotFound as error:
            if error.reason != "RESOURCE_NOT_FOUND":
                raise
            return None

    def _set(self, view: SessionView | None, variables: dict[str, Any]) -> bool:
        """False when another agent changed the session in the meantime."""
        assert view is not None
        try:
            self._session.set_variables(variables, etag=view.session.etag)
        except Conflict:
            return False
        return True


def _taken_back(view: SessionView | None) -> list[str]:
    value = view.session.variables.get(TAKEN_BACK) if view else None
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def _visible(view: SessionView | None) -> list[Turn]:
    if view is None:
        return []
    cleared = view.session.variables.get(CLEARED)
    first = cleared if isinstance(cleared, int | float) else 0
    hidden = set(_taken_back(view))
    return [turn for turn in view.turns if turn.sequence > first and turn.turn_id not in hidden]

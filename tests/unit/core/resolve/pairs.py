"""What the rules make of two statements that are near each other."""

from __future__ import annotations

from uuid import UUID

from recalld_server.core.resolve import Lines, Neighbour, RulesResolver, Statement, Verdict

LINES = Lines(duplicate=0.848, conflict=0.404)
NEW, DUPLICATE, SUPERSEDES, CONFLICT = Verdict.NEW, Verdict.DUPLICATE, Verdict.SUPERSEDES, Verdict.CONFLICT


def verdict(old: str, new: str, similarity: float = 0.75) -> Verdict:
    """On the new one, where the old one is known."""
    neighbour = Neighbour(UUID(int=1), Statement(old, None, "semantic"), similarity)
    return RulesResolver().decision(Statement(new, None, "semantic"), neighbour, LINES)[0]

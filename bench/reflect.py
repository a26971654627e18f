"""How well the rules distil the labelled sessions: precision and recall for each half and language.

    python -m bench.reflect                  with hashed vectors
    python -m bench.reflect --model local    with the local embedding model
    python -m bench.reflect --misses         also shows what the tuning half gets wrong; the held-back half stays unseen

The held-back half was written before the rules; look at its figures, never at its sessions, when changing them.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

from recalld_server.core.distill import Category, Insight, Role, RulesDistiller, Source
from recalld_server.core.resolve import Lines, RulesResolver
from recalld_server.model import ToolCall, ToolStatus
from recalld_server.models.base import load_calibration
from recalld_server.models.factory import make_embedder

SESSIONS = Path(__file__).parent.parent / "tests" / "data" / "reflect_sessions.jsonl"
HALVES = ("tuning", "held")
LANGUAGES = ("all", "en", "zh")
CATEGORIES = frozenset({Category.PREFERENCE, Category.FACT, Category.LESSON, Category.PATTERN})
_ROLES = {"user": Role.PERSON, "assistant": Role.ASSISTANT, "tool": Role.TOOL}
_BEGIN = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What must be kept: any of the categories, and every word (each with its alternatives) in the text."""

    categories: frozenset[str]
    says: tuple[tuple[str, ...], ...]

    def meets(self, insight: Insight) -> bool:
        text = insight.content.lower()
        return str(insight.category) in self.categories and all(
            any(word in text for word in words) for words in self.says
        )


@dataclass(frozen=True, slots=True)
class Session:
    """A session and what must be kept of it, may be, and must never be."""

    id: str
    language: str
    half: str
    sources: tuple[Source, ...]
    keep: tuple[Wanted, ...]
    may: tuple[Wanted, ...]
    never: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Figure:
    """Counts over the sessions of a half in a language. `forbidden`: kept though it must never be."""

    half: str
    language: str
    kept: int
    right: int
    wanted: int
    found: int
    forbidden: int

    @property
    def precision(self) -> float:
        """Share of what was kept that is worth it; 1 when nothing was kept."""
        return self.right / self.kept if self.kept else 1.0

    @property
    def recall(self) -> float:
        """Share of what must be kept that was; 1 when there is none."""
        return self.found / self.wanted if self.wanted else 1.0


def load(path: Path = SESSIONS) -> list[Session]:
    """The labelled sessions."""
    return [_session(json.loads(line)) for line in path.read_text("utf-8").splitlines() if line]


def _session(raw: dict[str, object]) -> Session:
    turns: Sequence[dict[str, object]] = raw["turns"]  # type: ignore[assignment]
    everything = frozenset(str(category) for category in Category)
    return Session(
        str(raw["id"]),
        str(raw["language"]),
        str(raw["half"]),
        tuple(_source(str(raw["id"]), place, turn) for place, turn in enumerate(turns)),
        tuple(_wanted(frozenset(each["category"].split("|")), each["says"]) for each in raw["keep"]),  # type: ignore[attr-defined]
        tuple(_wanted(everything, says) for says in raw["may"]),  # type: ignore[attr-defined]
        tuple(raw["never"]),  # type: ignore[arg-type]
    )


def _wanted(categories: frozenset[str], says: Sequence[str]) -> Wanted:
    return Wanted(categories, tuple(tuple(word.lower().split("|")) for word in says))


def _source(session: str, place: int, turn: dict[str, object]) -> Source:
    calls = tuple(
        ToolCall(call["tool"], ToolStatus[call["status"].upper()], call["arguments"], call["error"])
        for call in turn.get("tool_calls", ())  # type: ignore[attr-defined]
    )
    role, time = _ROLES[str(turn["role"])], _BEGIN + timedelta(minutes=place)
    return Source(UUID(int=place + 1), role, str(turn["content"]), time, session_id=session, tool_calls=calls)


def counted(sessions: Sequence[Session], kept: Sequence[Sequence[Insight]], half: str, language: str) -> Figure:
    """The figures of one half in one language ("all": in both)."""
    chosen = [
        (session, insights)
        for session, insights in zip(sessions, kept, strict=True)
        if session.half == half and language in ("all", session.language)
    ]
    return Figure(
        half,
        language,
        kept=sum(len(insights) for _, insights in chosen),
        right=sum(sum(_right(session, insight) for insight in insights) for session, insights in chosen),
        wanted=sum(len(session.keep) for session, _ in chosen),
        found=sum(sum(any(map(w.meets, insights)) for w in session.keep) for session, insights in chosen),
        forbidden=sum(sum(is_forbidden(session, insight) for insight in insights) for session, insights in chosen),
    )


def is_forbidden(session: Session, insight: Insight) -> bool:
    """Whether it must never be kept: greetings, small talk, an assistant's guesses."""
    return not _right(session, insight) and any(word.lower() in insight.content.lower() for word in session.never)


def _right(session: Session, insight: Insight) -> bool:
    return any(each.meets(insight) for each in (*session.keep, *session.may))


async def distilled(sessions: Sequence[Session], model: str, cache: Path) -> list[tuple[Insight, ...]]:
    """What the rules keep of each session, with the vectors of "hash" or of the "local" model."""
    embedder = make_embedder(model, cache_dir=cache)
    await embedder.start()
    try:
        calibration = load_calibration(embedder.id)
        rules = RulesDistiller(embedder, RulesResolver(), Lines(calibration.duplicate_line, calibration.conflict_line))
        return [(await rules.distill(session.sources, CATEGORIES)).insights for session in sessions]
    finally:
        await embedder.close()


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="bench.reflect", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--model", choices=("hash", "local"), default="hash")
    parser.add_argument("--misses", action="store_true", help="show what the tuning half gets wrong")
    options = parser.parse_args(arguments)
    sessions = load()
    cache = Path(tempfile.gettempdir()) / "recalld-bench-models"
    kept = asyncio.run(distilled(sessions, options.model, cache))
    print(f"{'half':8}{'language':10}{'kept':>6}{'precision':>11}{'recall':>8}{'forbidden':>11}")
    for half in HALVES:
        for language in LANGUAGES:
            f = counted(sessions, kept, half, language)
            print(f"{half:8}{language:10}{f.kept:6}{f.precision:11.2f}{f.recall:8.2f}{f.forbidden:11}")
    if options.misses:
        _show(sessions, kept)
    return 0


def _show(sessions: Sequence[Session], kept: Sequence[Sequence[Insight]]) -> None:
    for session, insights in zip(sessions, kept, strict=True):
        if session.half != "tuning":
            continue
        for each in insights:
            if not _right(session, each):
                print(f"- wrong   {session.id}: {each.category} {each.confidence:.2f} {each.content}")
        for wanted in session.keep:
            if not any(map(wanted.meets, insights)):
                print(f"- missed  {session.id}: {'|'.join(sorted(wanted.categories))} {wanted.says}")


if __name__ == "__main__":
    sys.exit(main())

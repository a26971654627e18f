"""How well the write-time resolver decides on the labelled pairs, per verdict, split and language.

    python bench/resolve.py              embed with the configured local model and report
    python bench/resolve.py --cached     report with the similarities that are committed beside the pairs
    python bench/resolve.py --write      embed, report and commit-to-be: rewrite the similarities
    python bench/resolve.py --set everyday   the pairs of everyday talk instead of those the rules grew up with

The held-back half was written before the rules; look at its figures, never at its pairs, when changing them.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from uuid import UUID

import numpy as np

from recalld_server.core.resolve import Lines, Neighbour, RulesResolver, Statement, Verdict

DATA = Path(__file__).parent.parent / "tests" / "data"
SETS = ("resolver", "everyday")
SPLITS = ("tune", "held")
LANGUAGES = ("all", "en", "zh", "mixed")
DEPTHS = (1, 3, 5, 8, 10, 20)
_OLD = UUID(int=1)


@dataclass(frozen=True, slots=True)
class Pair:
    """An old and a new statement and what the new one is to the old one."""

    id: str
    lang: str
    split: str
    old: Statement
    new: Statement
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Measured:
    """The cosines of the pairs by their ids, with the model that they are from and its lines."""

    model: str
    lines: Lines
    cosines: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Figure:
    """Counts of one verdict in one split and language, and what follows from them."""

    split: str
    lang: str
    verdict: str
    right: int
    wrong: int
    missed: int

    @property
    def precision(self) -> float:
        """Share of the answers with this verdict that are right; 1 when there are none."""
        return self.right / max(1, self.right + self.wrong) if self.right + self.wrong else 1.0

    @property
    def recall(self) -> float:
        """Share of the pairs with this verdict that are found; 1 when there are none."""
        return self.right / (self.right + self.missed) if self.right + self.missed else 1.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


def load_pairs(name: str = "resolver") -> list[Pair]:
    """Read a set of labelled pairs."""
    lines = (DATA / f"{name}_pairs.jsonl").read_text("utf-8").splitlines()
    return [_pair(json.loads(line)) for line in lines]


def _pair(row: Mapping[str, str]) -> Pair:
    old = Statement(row["old"], _time(row.get("old_time")), row["kind"])
    new = Statement(row["new"], _time(row.get("new_time")), row["kind"])
    return Pair(row["id"], row["lang"], row["split"], old, new, Verdict(row["verdict"]))


def _time(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def load_measured(name: str = "resolver") -> Measured:
    """Read the committed similarities of a set."""
    stored = json.loads(_similarities(name).read_text("utf-8"))
    return Measured(stored["model"], Lines(stored["duplicate_line"], stored["conflict_line"]), stored["cosines"])


def _similarities(name: str) -> Path:
    return DATA / f"{name}_similarities.json"


async def verdicts(pairs: Sequence[Pair], measured: Measured) -> list[Verdict]:
    """Return the resolver's verdict on each pair, the old statement being the only neighbour."""
    resolver = RulesResolver()
    found = []
    for pair in pairs:
        neighbour = Neighbour(_OLD, pair.old, measured.cosines[pair.id])
        found.append((await resolver.resolve(pair.new, [neighbour], measured.lines)).verdict)
    return found


def figures(pairs: Sequence[Pair], found: Sequence[Verdict]) -> list[Figure]:
    """Return the figures of every split, language and verdict."""
    out = []
    for split in SPLITS:
        for lang in LANGUAGES:
            rows = [(p.verdict, v) for p, v in zip(pairs, found, strict=True) if p.split == split]
            if lang != "all":
                both = zip(pairs, found, strict=True)
                rows = [(p.verdict, v) for p, v in both if p.split == split and p.lang == lang]
            for verdict in Verdict:
                right = sum(label is verdict and answer is verdict for label, answer in rows)
                wrong = sum(label is not verdict and answer is verdict for label, answer in rows)
                missed = sum(label is verdict and answer is not verdict for label, answer in rows)
                out.append(Figure(split, lang, verdict.value, right, wrong, missed))
    return out


async def measure(pairs: Sequence[Pair]) -> tuple[Measured, dict[int, float]]:
    """Embed the pairs with the local model; also return, per depth k, how often the old statement is among the k nearest."""
    from recalld_server.models.base import load_calibration
    from recalld_server.models.factory import make_embedder

    with tempfile.TemporaryDirectory() as cache:
        embedder = make_embedder("local", cache_dir=Path(cache), threads=1)
        await embedder.start()
        try:
            old = await embedder.embed_passages([pair.old.text for pair in pairs])
            new = await embedder.embed_passages([pair.new.text for pair in pairs])
        finally:
            await embedder.close()
    first = np.array([vector for vector in old.vectors if vector is not None])
    second = np.array([vector for vector in new.vectors if vector is not None])
    cosines = second @ first.T
    calibration = load_calibration(embedder.id)
    own = cosines.diagonal()
    related = [i for i, pair in enumerate(pairs) if pair.verdict is not Verdict.NEW]
    ranks = (cosines > own[:, None]).sum(axis=1)[related]
    depths = {k: float((ranks < k).mean()) for k in DEPTHS}
    by_id = {pair.id: round(float(cosine), 4) for pair, cosine in zip(pairs, own, strict=True)}
    return Measured(embedder.id, Lines(calibration.duplicate_line, calibration.conflict_line), by_id), depths


async def cost(pairs: Sequence[Pair], measured: Measured) -> float:
    """Return the processor time per neighbour in microseconds, for ten neighbours."""
    resolver = RulesResolver()
    started = time.process_time()
    for pair in pairs:
        await resolver.resolve(pair.new, [Neighbour(_OLD, pair.old, measured.cosines[pair.id])] * 10, measured.lines)
    return (time.process_time() - started) / len(pairs) / 10 * 1e6


def report(rows: Sequence[Figure]) -> str:
    """Return the figures as a table."""
    head = f"{'split':6}{'lang':7}{'verdict':12}{'pairs':>6}{'precision':>11}{'recall':>8}{'F1':>7}"
    lines = [
        f"{r.split:6}{r.lang:7}{r.verdict:12}{r.right + r.missed:6}{r.precision:11.3f}{r.recall:8.3f}{r.f1:7.3f}"
        for r in rows
    ]
    return "\n".join([head, *lines])


def main() -> None:
    """Report, and with --write renew the committed similarities."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cached", action="store_true", help="use the committed similarities, no model")
    parser.add_argument("--write", action="store_true", help="rewrite the committed similarities")
    parser.add_argument("--set", choices=SETS, default="resolver", help="the labelled pairs")
    arguments = parser.parse_args()
    pairs = load_pairs(arguments.set)
    depths: dict[int, float] = {}
    if arguments.cached:
        measured = load_measured(arguments.set)
    else:
        measured, depths = asyncio.run(measure(pairs))
    if arguments.write and not arguments.cached:
        stored = {
            "model": measured.model,
            "duplicate_line": measured.lines.duplicate,
            "conflict_line": measured.lines.conflict,
            "cosines": measured.cosines,
        }
        _similarities(arguments.set).write_text(json.dumps(stored, indent=1) + "\n", "utf-8")
    rows = figures(pairs, asyncio.run(verdicts(pairs, measured)))
    sys.stdout.write(report(rows) + "\n")
    summary = {
        "model": measured.model,
        "lines": asdict(measured.lines),
        "microseconds_per_neighbour": round(asyncio.run(cost(pairs, measured))),
        "old_among_nearest": depths,
        "figures": [
            {**asdict(r), "precision": round(r.precision, 3), "recall": round(r.recall, 3), "f1": round(r.f1, 3)}
            for r in rows
        ],
    }
    sys.stdout.write(json.dumps(summary) + "\n")


if __name__ == "__main__":
    main()

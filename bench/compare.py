"""Two runs of one benchmark side by side, figure by figure. Example:
python -m bench.compare before/write.json bench/results/write.json
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bench.load import table

BETTER_WHEN_HIGHER = ("per_second", "a second", "batch", "recall", "ndcg", "mrr", "precision", "f1")


def figures(data: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[str, float]]:
    """The numbers of a result with the way to each; what describes the machine is no figure."""
    for name, value in data.items():
        here = (*path, str(name))
        if name == "machine":
            continue
        if isinstance(value, Mapping):
            yield from figures(value, here)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield " / ".join(here), float(value)


def compare(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[list[str]]:
    """Rows: figure, old, new, new over old, and a word where it moved by more than a tenth."""
    before, after = dict(figures(old)), dict(figures(new))
    rows = []
    for name in [*before, *(name for name in after if name not in before)]:
        was, now = before.get(name), after.get(name)
        if was is None or now is None:
            rows.append([name, _shown(was), _shown(now), "", "gone" if now is None else "new"])
            continue
        ratio = now / was if was else float("inf") if now else 1.0
        higher = any(word in name.lower() for word in BETTER_WHEN_HIGHER)
        moved = "" if 0.9 <= ratio <= 1.1 else "better" if (ratio > 1) is higher else "worse"
        rows.append([name, _shown(was), _shown(now), f"{ratio:.2f}", moved])
    return rows


def _shown(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path, help="the earlier result")
    parser.add_argument("new", type=Path, help="the later one")
    parser.add_argument("--moved", action="store_true", help="only what moved by more than a tenth")
    arguments = parser.parse_args()
    old, new = (json.loads(path.read_text()) for path in (arguments.old, arguments.new))
    rows = [row for row in compare(old, new) if row[-1] or not arguments.moved]
    print(table(["figure", "before", "after", "after / before", ""], rows))
    for name, run in (("before", old), ("after", new)):
        print(f"\n{name}: {run.get('machine', {})}", end="")
    print(
        "\nTimings of different machines, or of a busy one, say little: compare the ratios to the bounds of each run."
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())

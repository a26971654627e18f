"""Retrieval quality through the public API. Example: python -m bench.quality --data DIR --set locomo

A set is a folder with memories.jsonl ({id, namespace, session_id, timestamp, speaker, text}) and queries.jsonl ({id,
namespace, query, relevant, category, lang, asked_at?}). Memories are written as EPISODIC with session, speaker and time;
each query is searched with both arms, with words alone and with vectors alone. Recall is the share of the relevant
memories among the first k; nDCG has binary gain; a session is hit when a relevant one's session is among the first five.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from recalld import Client, MemoryInput, RankingOptions
from recalld_server.demo import process

DEPTH = 100
"""Hits asked for, so that sessions can be rolled up."""
CUTS = (1, 5, 10, 20)
MODES = {
    "recalld": None,
    "words alone": RankingOptions(vector_weight=0.0),
    "vectors alone": RankingOptions(lexical_weight=0.0),
}


def read(path: Path) -> list[dict[str, Any]]:
    """The objects of a JSON lines file."""
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def moment(text: str) -> datetime:
    """An instant; without a zone it is UTC."""
    value = datetime.fromisoformat(text)
    return value if value.tzinfo else value.replace(tzinfo=UTC)


def write(client: Client, memories: Sequence[dict[str, Any]]) -> dict[str, list[str]]:
    """Writes the memories of one namespace; returns {memory id: ids in the set}."""
    held: dict[str, list[str]] = defaultdict(list)
    for start in range(0, len(memories), 250):
        chunk = memories[start : start + 250]
        inputs = [
            MemoryInput(
                each["text"],
                kind="episodic",
                session_id=each["session_id"],
                speaker=each["speaker"],
                event_time=moment(each["timestamp"]),
            )
            for each in chunk
        ]
        for each, item in zip(chunk, client.write_batch(inputs, timeout=600), strict=True):
            if item.result is None or item.result.memory_id is None:
                raise SystemExit(f"{each['id']} was not stored: {item.error}")
            held[item.result.memory_id].append(each["id"])
    return held


def measure(relevant: Iterable[str], ranking: Sequence[str], sessions: dict[str, str]) -> dict[str, float]:
    """The figures of one query."""
    wanted = set(relevant)
    figures = {f"R@{k}": len(wanted & set(ranking[:k])) / len(wanted) for k in CUTS}
    gain = sum(1 / math.log2(place + 2) for place, each in enumerate(ranking[:10]) if each in wanted)
    figures["nDCG@10"] = gain / sum(1 / math.log2(place + 2) for place in range(min(10, len(wanted))))
    figures["MRR"] = next((1 / (place + 1) for place, each in enumerate(ranking) if each in wanted), 0.0)
    first = list(dict.fromkeys(sessions[each] for each in ranking))[:5]
    figures["session@5"] = float(bool({sessions[each] for each in wanted} & set(first)))
    return figures


def run(
    client: Client, folder: Path, *, only: slice, modes: Sequence[str]
) -> dict[str, dict[str, list[dict[str, float]]]]:
    """Writes and searches one set; returns {mode: {group: figures of its queries}}."""
    memories, queries = read(folder / "memories.jsonl"), read(folder / "queries.jsonl")
    spaces = list(dict.fromkeys(each["namespace"] for each in memories))[only]
    sessions = {each["id"]: f"{each['namespace']}#{each['session_id']}" for each in memories}
    groups: dict[str, dict[str, list[dict[str, float]]]] = {mode: defaultdict(list) for mode in modes}
    for number, space in enumerate(spaces, 1):
        name = space.lower().replace("_", "-")
        client.namespaces.create(name)
        view = client.namespace(name)
        held = write(view, [each for each in memories if each["namespace"] == space])  # type: ignore[arg-type]
        asked = [each for each in queries if each["namespace"] == space and each["relevant"]]
        for query in asked:
            when = moment(query["asked_at"]) if query.get("asked_at") else None
            for mode in modes:
                asking = {"top_k": DEPTH, "ranking": MODES[mode], "reference_time": when, "timeout": 60}
                found = view.search(query["query"], **asking)
                order = [each for hit in found for each in held[hit.memory_id]]
                figures = measure(query["relevant"], order, sessions)
                for group in ("all", query["category"], query.get("lang", "en")):
                    groups[mode][group].append(figures)
        print(f"  {folder.name}: {number}/{len(spaces)} namespaces, {len(asked)} queries", file=sys.stderr, flush=True)
    return groups


def table(groups: dict[str, dict[str, list[dict[str, float]]]]) -> str:
    """A Markdown table, means per mode and group."""
    columns = [*(f"R@{k}" for k in CUTS), "nDCG@10", "MRR", "session@5"]
    lines = ["| | group | n | " + " | ".join(columns) + " |", "|---" * (len(columns) + 3) + "|"]
    for mode, by_group in groups.items():
        for group, figures in by_group.items():
            means = [sum(each[column] for each in figures) / len(figures) for column in columns]
            lines.append(f"| {mode} | {group} | {len(figures)} | " + " | ".join(f"{mean:.3f}" for mean in means) + " |")
    return "\n".join(lines)


def chart(groups: dict[str, dict[str, list[dict[str, float]]]], title: str, path: Path) -> None:
    """Recall at each cut, one line a mode."""
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(5, 3.2), layout="constrained")
    for mode, by_group in groups.items():
        figures = by_group["all"]
        axes.plot(
            [str(k) for k in CUTS], [sum(f[f"R@{k}"] for f in figures) / len(figures) for k in CUTS], "o-", label=mode
        )
    axes.set(title=title, xlabel="k", ylabel="recall@k", ylim=(0, 1))
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(path, dpi=120)
    pyplot.close(figure)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with one folder per set")
    parser.add_argument("--set", action="append", help="only this set; may be repeated")
    parser.add_argument("--first", type=int, default=0, help="first namespace of each set, from 0")
    parser.add_argument("--last", type=int, help="one past the last namespace of each set")
    parser.add_argument("--mode", choices=list(MODES), action="append", help="only this; may be repeated")
    parser.add_argument("--results", type=Path, default=Path(__file__).parent / "results")
    arguments = parser.parse_args()
    if not arguments.data.is_dir():
        print(f"skipped: there is no folder {arguments.data}")
        return 0
    folders = [each for each in sorted(arguments.data.iterdir()) if (each / "queries.jsonl").exists()]
    arguments.results.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="recalld-bench-") as directory:
        Path(directory).chmod(0o755)
        with process.serving(Path(directory)) as running, Client(running.address, key=running.root_key) as client:
            for folder in folders:
                if arguments.set and folder.name not in arguments.set:
                    continue
                only = slice(arguments.first, arguments.last)
                groups = run(client, folder, only=only, modes=arguments.mode or list(MODES))
                print(f"\n### {folder.name}\n\n{table(groups)}", flush=True)
                chart(groups, folder.name, arguments.results / f"quality-{folder.name}.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())

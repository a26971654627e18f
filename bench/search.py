"""How fast memories are found, beside the least that the database, the model and gRPC need for it in the same run.

The memories are put into the store by `bench.seed`; searches go through the public client. Without --model the vectors come from the embedder without a model, so the model's time is not in the figures. Example:
    python -m bench.search                  1k and 10k memories, about a minute
    python -m bench.search --full           100k memories, and 5,000 other namespaces
    python -m bench.search --model local    with the local model: beside one embedding and one bare vector query
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from bench import bounds
from bench.load import CELLS, SHARES, Call, Load, machine, run, save, table
from bench.seed import seed
from recalld import Client
from recalld_server.bootstrap import TENANT
from recalld_server.demo.process import Running, serving
from recalld_server.models.base import Embedder
from recalld_server.models.factory import make_embedder

SIZES, FULL_SIZES = (1_000, 10_000), (1_000, 10_000, 100_000)
CALLERS = (1, 8)
KINDS: dict[str, tuple[str, ...]] = {
    "": (),
    **{f", filter of {100 / every:g} %": (tag,) for tag, every in SHARES.items()},
}


def measure(running: Running, namespace: str, embedder: Embedder, calls: int) -> dict[str, Load]:
    """The searches of one namespace with their bounds."""
    address, key, pid = running.address, running.root_key, running.process.pid
    found: dict[str, Load] = {}
    for callers in CALLERS:
        many = calls if callers == 1 else calls * 2
        by = f"{callers} caller{'s' if callers > 1 else ''}"
        found[f"echo, {by}"] = run(address, key, pid, Call("echo", namespace), callers=callers, calls=many)
        found[f"bare vector query, {by}"] = asyncio.run(
            bounds.vectors(running.data_dir, namespace, callers=callers, calls=many, embedder=embedder)
        )
        for name, tags in KINDS.items():
            call = Call("search", namespace, 0, tags)
            found[f"Search{name}, {by}"] = run(address, key, pid, call, callers=callers, calls=many)
    return found


def lines(size: int, found: dict[str, Load], embed: Load | None) -> list[list[str]]:
    """Rows of the table; the last column is the p50 over that of the bound (embedding included, with a model)."""
    rows = []
    for name, each in found.items():
        bound = found["bare vector query, " + name.rpartition(", ")[2]].p50 + (embed.p50 if embed else 0.0)
        rows.append([f"{size:,}", name, *each.cells, f"{each.p50 / bound:.1f}" if name.startswith("Search") else ""])
    return rows


async def _ready(embedder: Embedder) -> Load:
    await embedder.start()
    try:
        return await bounds.embeds(embedder, 100)
    finally:
        await embedder.close()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--full", action="store_true", help="100k memories and 5,000 other namespaces (an hour or less)"
    )
    parser.add_argument("--model", choices=["hash", "local"], default="hash", help="where the vectors come from")
    parser.add_argument("--calls", type=int, default=200, help="searches per measurement with one caller")
    parser.add_argument(
        "--sizes", type=int, nargs="+", help="memories in the namespace, ascending; instead of the usual"
    )
    parser.add_argument("--results", type=Path, default=Path(__file__).parent / "results")
    arguments = parser.parse_args()
    figures: dict[str, object] = {"machine": machine(), "full": arguments.full, "model": arguments.model}
    columns = ["memories", "call", *CELLS, "p50 / bound"]
    # the embedded database may still be writing its last words when the server has ended
    with tempfile.TemporaryDirectory(prefix="recalld-bench-", ignore_cleanup_errors=True) as directory:
        Path(directory).chmod(0o755)
        with (
            serving(Path(directory), {"RECALLD_EMBEDDER": arguments.model}) as running,
            Client(running.address, key=running.root_key) as client,
        ):
            embed, seeding = None, make_embedder("hash", cache_dir=Path(directory))
            if arguments.model == "local":
                seeding = make_embedder("local", cache_dir=Path(directory) / "models")
                embed = asyncio.run(_ready(seeding))
                print(f"one embedding: p50 {embed.p50:.1f} ms, p95 {embed.p95:.1f} ms\n", flush=True)
            # the bare queries need vectors of the right width, whatever they mean
            embedder = make_embedder("hash", cache_dir=Path(directory))
            client.namespaces.create("searched")
            written, sizes = 0, {}
            for size in arguments.sizes or (FULL_SIZES if arguments.full else SIZES):
                asyncio.run(seed(running.data_dir, TENANT, ["searched"], range(written, size), seeding))
                written = size
                sizes[size] = measure(running, "searched", embedder, arguments.calls)
                print(table(columns, lines(size, sizes[size], embed)) + "\n", flush=True)
            if arguments.full:
                call = Call("search", "searched")
                others = [f"others/n{number}" for number in range(5_000)]
                for name in others:
                    client.namespaces.create(name)
                asyncio.run(seed(running.data_dir, TENANT, others, range(1), seeding))
                found = run(
                    running.address, running.root_key, running.process.pid, call, callers=1, calls=arguments.calls
                )
                figures["5,000 other namespaces"] = asdict(found)
                print(
                    table(["beside 5,000 other namespaces", *CELLS], [["Search, 1 caller", *found.cells]]), flush=True
                )
            figures["embed"] = asdict(embed) if embed else None
            figures["sizes"] = {
                size: {name: asdict(each) for name, each in found.items()} for size, found in sizes.items()
            }
    save("search" if arguments.model == "hash" else f"search-{arguments.model}", arguments.results, figures)
    return 0


if __name__ == "__main__":
    sys.exit(main())

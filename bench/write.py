"""How fast memories are written, beside the least that the database and gRPC need for it in the same run.

The vectors come from the embedder without a model, so the model's time is not in the figures. Example:
    python -m bench.write            1k and 5k memories, about a minute
    python -m bench.write --full     up to 200k memories, and 5,000 namespaces
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bench import bounds
from bench.load import CELLS, Call, Load, fill, machine, run, save, table
from bench.seed import seed
from recalld import Client
from recalld_server.demo.process import Running, serving
from recalld_server.models.factory import make_embedder

SIZES, FULL_SIZES = (1_000, 5_000), (1_000, 20_000, 100_000, 200_000)
CALLERS = (1, 16)


def singles(running: Running, calls: int) -> dict[str, Load]:
    """Write one, and its bounds, by callers."""
    found: dict[str, Load] = {}
    address, key, pid = running.address, running.root_key, running.process.pid
    for callers in CALLERS:
        many = calls if callers == 1 else calls * 3
        found[f"echo, {callers} callers"] = run(address, key, pid, Call("echo", "default"), callers=callers, calls=many)
        found[f"bare insert and commit, {callers} callers"] = asyncio.run(
            bounds.inserts(running.data_dir, callers=callers, calls=many)
        )
        # number: texts that no other part of the run writes
        call = Call("write", "singles", 10_000_000 * callers)
        found[f"Write, {callers} callers"] = run(address, key, pid, call, callers=callers, calls=many)
    return found


def batches(running: Running, client: Client, sizes: Sequence[int]) -> dict[int, float]:
    """Rows a second of BatchWrite over the 2,000 rows that bring one namespace to each size; what is there before is put
    into the store by `bench.seed`."""
    speed, written = {}, 0
    for size in sizes:
        at = max(written, size - 2_000)
        if at > written:
            embedder = make_embedder("hash", cache_dir=running.data_dir)
            asyncio.run(seed(running.data_dir, "default", ["batches"], range(written, at), embedder))
        speed[size] = fill(client, "batches", at, size)
        written = size
    return speed


def namespaces(running: Running, client: Client, calls: int, count: int) -> dict[int, Load]:
    """Write one in one namespace, with none and with `count` other ones that hold something."""
    result = {}
    address, key, pid = running.address, running.root_key, running.process.pid
    for others, start in ((1, 500_000_000), (count, 600_000_000)):
        if others > 1:
            for number in range(others):
                client.namespaces.create(f"others/n{number}")
                client.namespace(f"others/n{number}").write("A note of another team.")
        result[others] = run(address, key, pid, Call("write", "singles", start), callers=1, calls=calls)
    return result


def beside_an_import(running: Running, calls: int) -> dict[str, Load]:
    """Search with one caller, alone and while another client writes batches of 500 into another namespace."""
    address, key, pid = running.address, running.root_key, running.process.pid
    call = Call("search", "singles")
    found = {"Search": run(address, key, pid, call, callers=1, calls=calls)}
    context = multiprocessing.get_context("spawn")
    begun, stop = context.Event(), context.Event()
    importer = context.Process(target=_import, args=(address, key, begun, stop), daemon=True)
    importer.start()
    begun.wait(120)
    found["Search beside an import"] = run(address, key, pid, call, callers=1, calls=calls)
    stop.set()
    importer.join()
    return found


def _import(address: str, key: str, begun: Any, stop: Any) -> None:
    with Client(address, key=key) as client:
        client.namespaces.create("imports")
        first = 700_000_000
        while not stop.is_set():
            fill(client, "imports", first, first + 500)
            first += 500
            begun.set()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--full", action="store_true", help="up to 200k memories and 5,000 namespaces (half an hour or less)"
    )
    parser.add_argument("--calls", type=int, default=300, help="single writes per measurement with one caller")
    parser.add_argument(
        "--sizes", type=int, nargs="+", help="memories in the namespace, ascending; instead of the usual"
    )
    parser.add_argument("--results", type=Path, default=Path(__file__).parent / "results")
    arguments = parser.parse_args()
    figures: dict[str, object] = {"machine": machine(), "full": arguments.full}
    # the embedded database may still be writing its last words when the server has ended
    with tempfile.TemporaryDirectory(prefix="recalld-bench-", ignore_cleanup_errors=True) as directory:
        Path(directory).chmod(0o755)
        with (
            serving(Path(directory), {"RECALLD_EMBEDDER": "hash"}) as running,
            Client(running.address, key=running.root_key) as client,
        ):
            for name in ("singles", "batches"):
                client.namespaces.create(name)
            found = singles(running, arguments.calls)
            figures["single"] = {name: asdict(each) for name, each in found.items()}
            rows = []
            for name, each in found.items():
                bound = found.get(name.replace("Write", "bare insert and commit"))
                ratio = f"{each.p50 / bound.p50:.1f}" if bound and bound is not each else ""
                rows.append([name, *each.cells, ratio])
            print(table(["one row", *CELLS, "p50 / bare insert"], rows), flush=True)
            beside = beside_an_import(running, arguments.calls)
            figures["beside"] = {name: asdict(each) for name, each in beside.items()}
            rows = [[name, *each.cells[:2]] for name, each in beside.items()]
            print("\n" + table(["one caller", *CELLS[:2]], rows), flush=True)
            speed = batches(running, client, arguments.sizes or (FULL_SIZES if arguments.full else SIZES))
            figures["batch"] = speed
            rows = [[f"{size:,}", f"{each:.0f}", f"{speed[min(speed)] / each:.2f}"] for size, each in speed.items()]
            print(
                "\n" + table(["memories there", "BatchWrite rows a second", "slower than at first"], rows), flush=True
            )
            if arguments.full:
                spaces = namespaces(running, client, arguments.calls, 5_000)
                figures["namespaces"] = {count: asdict(each) for count, each in spaces.items()}
                rows = [[f"{count:,}", *each.cells] for count, each in spaces.items()]
                print("\n" + table(["other namespaces", *CELLS], rows), flush=True)
    save("write", arguments.results, figures)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""How long a start takes, what the server holds in memory, and what an installation weighs. Example:
python -m bench.start
python -m bench.start --installs     also installs the client and the plain server into fresh environments
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.load import machine, save, table
from bench.soak import megabytes
from recalld import Client
from recalld_server.demo.process import serving

ROOT = Path(__file__).parents[1]
TARGETS = {
    "start to SERVING, fresh data (s)": 8.0,
    "start to SERVING, existing data (s)": 3.0,
    "server RSS without a model (MB)": 150.0,
    "client environment (MB)": 60.0,
    "plain server environment (MB)": 200.0,
}


def starts(directory: Path) -> dict[str, float]:
    """A first and a second start on one data directory, without a local model, and what the server then holds."""
    found: dict[str, float] = {}
    for name in ("fresh", "existing"):
        begin = time.perf_counter()
        with serving(directory, {"RECALLD_EMBEDDER": "hash"}) as running:
            found[f"start to SERVING, {name} data (s)"] = time.perf_counter() - begin
            with Client(running.address, key=running.root_key) as client:
                client.write(f"A note to warm up with, {name}.")
                client.search("note")
            found["server RSS without a model (MB)"] = megabytes(running.process.pid)
    return found


def installs(directory: Path) -> dict[str, float]:
    """Megabytes of what an environment gets beyond an empty one."""
    found: dict[str, float] = {}
    for name, source in (("client", "clients/python"), ("plain server", "server")):
        environment = directory / name.replace(" ", "-")
        subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
        empty = weight(environment)
        sources = [str(ROOT / "clients/python"), str(ROOT / source)] if source == "server" else [str(ROOT / source)]
        command = [
            str(environment / "bin/python"),
            "-m",
            "pip",
            "install",
            "--quiet",
            "-c",
            str(ROOT / "constraints.txt"),
        ]
        subprocess.run([*command, *sources], check=True)
        found[f"{name} environment (MB)"] = weight(environment) - empty
    return found


def weight(directory: Path) -> float:
    """Megabytes of the files."""
    return sum(path.lstat().st_size for path in directory.rglob("*") if path.is_file()) / 1e6


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--installs", action="store_true", help="also weigh installations (needs a package index)")
    parser.add_argument("--results", type=Path, default=Path(__file__).parent / "results")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="recalld-start-", ignore_cleanup_errors=True) as directory:
        Path(directory).chmod(0o755)
        found = starts(Path(directory) / "data")
        if arguments.installs:
            found |= installs(Path(directory))
    rows = [[name, f"{value:.1f}", f"{TARGETS[name]:g}"] for name, value in found.items()]
    print(table(["", "measured", "target"], rows))
    save("start", arguments.results, {"machine": machine(), "found": found})
    return 0


if __name__ == "__main__":
    sys.exit(main())

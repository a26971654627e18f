"""The TypeScript client: generated code, types, tests against a real server, the example, and what its package holds."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from recalld import Client
from recalld_server.demo.process import Running

SOURCE = Path(__file__).parents[2] / "clients" / "typescript"
LEFT_OUT = ("node_modules", "dist", "build")
TIMEOUT = 300


def run(folder: Path, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
    )
    assert done.returncode == 0, done.stdout[-20000:] + done.stderr[-4000:]
    return done


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package with its dependencies, so that nothing is left in the source tree."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("Node.js and npm are not installed")
    root = tmp_path_factory.mktemp("typescript")
    folder = root / "clients" / "typescript"
    shutil.copytree(SOURCE, folder, ignore=shutil.ignore_patterns(*LEFT_OUT))
    for name in ("proto", "buf.yaml"):
        source = SOURCE.parents[1] / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, root / name)
    try:
        subprocess.run([npm, "ci"], cwd=folder, check=True, capture_output=True, timeout=TIMEOUT)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        pytest.skip(f"npm could not install the development dependencies: {type(error).__name__}")
    return folder


def test_its_tests_pass_against_a_real_server(package: Path, running: Running) -> None:
    done = run(package, "npm", "test", RECALLD_ADDR=running.address, RECALLD_KEY=running.root_key)
    assert "# fail 0" in done.stdout
    assert "# skipped 0" in done.stdout


def test_the_example_runs(package: Path, running: Running, root: Client) -> None:
    run(package, "npx", "tsc", "-p", "tsconfig.json")
    environment = {"RECALLD_ADDR": running.address, "RECALLD_KEY": running.root_key, "RECALLD_NAMESPACE": root.name}
    shown = run(package, "node", "build/example/agents.js", **environment).stdout
    assert "created" in shown
    assert "The atlas deploy needs the migration first." in shown
    assert "花生" in shown


def test_the_generated_code_is_current(package: Path) -> None:
    committed = {path.relative_to(package): path.read_text() for path in (package / "src/gen").rglob("*.ts")}
    run(package, "npm", "run", "gen")
    assert {path.relative_to(package): path.read_text() for path in (package / "src/gen").rglob("*.ts")} == committed


def test_the_package_holds_what_it_exports_and_nothing_else(package: Path) -> None:
    run(package, "npm", "run", "build")
    packed = json.loads(run(package, "npm", "pack", "--dry-run", "--json", "--ignore-scripts").stdout)
    files = {each["path"] for each in packed[0]["files"]}
    assert {"dist/index.js", "dist/index.d.ts", "dist/v1.js", "dist/v1.d.ts", "README.md", "package.json"} <= files
    assert all(name.startswith("dist/") or name in {"README.md", "package.json"} for name in files)

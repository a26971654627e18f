"""Generates the Python modules of the contract. Usage: python proto/generate.py [--check]

With --check nothing is written; the program ends with 1 and names the files that are not current.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "clients" / "python" / "recalld"
# Neither protovalidate's wheel nor any other carries this module, so it lives inside our package under a private name.
VENDORED = "recalld._vendor.buf.validate"
IMPORT_REWRITES = {
    "from buf.validate import validate_pb2": f"from {VENDORED} import validate_pb2",
    "import buf.validate.validate_pb2": f"import {VENDORED}.validate_pb2",
    "buf.validate.validate_pb2.": f"{VENDORED}.validate_pb2.",
}


def generated() -> dict[str, str]:
    """Runs buf and returns {path under the package: text}."""
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"}
    with tempfile.TemporaryDirectory() as directory:
        command = ["buf", "generate", "--include-imports", "--output", directory]
        subprocess.run(command, cwd=ROOT, env=environment, check=True)
        files: dict[str, str] = {}
        for source, target in (("recalld/v1", "v1"), ("buf/validate", "_vendor/buf/validate")):
            for path in sorted(Path(directory, source).glob("*_pb2*.py*")):
                if path.name.endswith(("_pb2_grpc.py", "_pb2_grpc.pyi")) and "Stub" not in path.read_text():
                    continue
                text = path.read_text()
                for old, new in IMPORT_REWRITES.items():
                    text = text.replace(old, new)
                files[f"{target}/{path.name}"] = text
        for package in ("v1", "_vendor", "_vendor/buf", "_vendor/buf/validate"):
            files[f"{package}/__init__.py"] = ""
    return files


def stale(files: dict[str, str]) -> list[str]:
    """Names what differs from, is missing in or is left over in the package."""
    present = {p.relative_to(PACKAGE).as_posix() for d in ("v1", "_vendor") for p in (PACKAGE / d).rglob("*.py*") if p.suffix in (".py", ".pyi")}
    wrong = {name for name, text in files.items() if name not in present or (PACKAGE / name).read_text() != text}
    return sorted(wrong | (present - files.keys()))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only say whether the committed code is current")
    arguments = parser.parse_args()
    files = generated()
    if arguments.check:
        wrong = stale(files)
        for name in wrong:
            print(f"not current: clients/python/recalld/{name} (run make gen)", file=sys.stderr)
        return 1 if wrong else 0
    for directory in ("v1", "_vendor"):
        shutil.rmtree(PACKAGE / directory, ignore_errors=True)
    for name, text in files.items():
        path = PACKAGE / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())

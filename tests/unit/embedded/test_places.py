import os
import pwd
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recalld_server.embedded import DataDirectoryError, default_data_dir, places
from recalld_server.embedded.places import Account

ME = Account(os.geteuid(), os.getegid())
SOCKET = ".s.PGSQL.5432"


@pytest.fixture
def as_user(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.setattr(os, "geteuid", lambda: 4242)
    for name in ("HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


def test_roots_data_is_outside_its_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setenv("XDG_STATE_HOME", "/state/admin")
    assert default_data_dir() == Path("/var/lib/recalld")


def test_a_users_data_is_in_the_state_directory(as_user: pytest.MonkeyPatch) -> None:
    as_user.setenv("HOME", "/home/王芳")
    assert default_data_dir() == Path("/home/王芳/.local/state/recalld")
    as_user.setenv("XDG_STATE_HOME", "/state/ann")
    assert default_data_dir() == Path("/state/ann/recalld")


def test_a_relative_state_directory_is_ignored(as_user: pytest.MonkeyPatch) -> None:
    as_user.setenv("HOME", "/home/ann")
    as_user.setenv("XDG_STATE_HOME", "state")
    assert default_data_dir() == Path("/home/ann/.local/state/recalld")


def test_without_home_the_user_database_decides(as_user: pytest.MonkeyPatch, tmp_path: Path) -> None:
    entry = pwd.struct_passwd(("ann", "x", 4242, 4242, "", str(tmp_path), "/bin/sh"))
    as_user.setattr(pwd, "getpwuid", lambda _: entry)
    assert default_data_dir() == tmp_path / ".local/state/recalld"


def test_without_any_home_there_is_a_stated_fallback(as_user: pytest.MonkeyPatch) -> None:
    nowhere = pwd.struct_passwd(("ann", "x", 4242, 4242, "", "/nonexistent", "/bin/sh"))
    as_user.setattr(pwd, "getpwuid", lambda _: nowhere)
    assert default_data_dir() == Path("/var/tmp/recalld-4242")

    def unknown(_: int) -> pwd.struct_passwd:
        raise KeyError

    as_user.setattr(pwd, "getpwuid", unknown)
    assert default_data_dir() == Path("/var/tmp/recalld-4242")


@pytest.mark.parametrize("letter", ["d", "记"])
@pytest.mark.parametrize(("spare", "inside"), [(0, True), (1, True), (-1, False)])
def test_a_socket_path_of_107_bytes_is_kept_and_one_of_108_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, letter: str, spare: int, inside: bool
) -> None:
    monkeypatch.setattr(places, "SHORT_ROOT", tmp_path / "short")
    (tmp_path / "short").mkdir()
    wanted = places.SOCKET_PATH_LIMIT - spare - len(os.fsencode(tmp_path / "x/run" / SOCKET)) + 1
    width = len(letter.encode())
    root = tmp_path / (letter * (wanted // width) + "e" * (wanted % width))
    root.mkdir()
    assert len(os.fsencode(root / "run" / SOCKET)) == places.SOCKET_PATH_LIMIT - spare

    found = places.run_directory(root, ME, SOCKET)

    assert (found == root / "run") is inside
    assert found.stat().st_mode & 0o777 == 0o700


@given(names=st.lists(st.text("ab记忆", min_size=1, max_size=60), min_size=2, max_size=8, unique=True))
@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_each_long_data_directory_has_its_own_short_one(
    names: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places, "SHORT_ROOT", tmp_path)
    roots = [tmp_path / ("x" * 100) / name for name in names]
    for root in roots:
        root.mkdir(parents=True, exist_ok=True)
    first = [places.run_directory(root, ME, SOCKET) for root in roots]
    assert [places.run_directory(root, ME, SOCKET) for root in roots] == first
    assert len(set(first)) == len(roots)


def test_a_link_in_the_way_of_the_short_directory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "theirs")
    (tmp_path / "file").touch()
    for name in ("link", "file"):
        with pytest.raises(DataDirectoryError, match=name):
            places.own_directory(tmp_path / name, ME)


def test_anothers_directory_in_the_way_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataDirectoryError, match="Remove it"):
        places.own_directory(Path("/proc/self"), Account(4242, 4242))


@pytest.mark.parametrize("place", ["/proc/recalld", "/dev/null/recalld"])
def test_a_place_that_cannot_be_made_says_what_to_do(place: str) -> None:
    with pytest.raises(DataDirectoryError, match=f"{place}.*--data-dir"):
        places.open_data_dir(Path(place))


def test_a_data_directory_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: ME.uid + 1)
    if ME.uid == 0:
        os.chown(tmp_path, 4242, 4242)
    with pytest.raises(DataDirectoryError, match="belongs to user id"):
        places.open_data_dir(tmp_path)


def test_root_gives_the_servers_to_the_owner_of_the_data_or_to_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    nobody = pwd.getpwnam("nobody")
    assert places.account_for(Path("/proc/sys")) == Account(nobody.pw_uid, nobody.pw_gid)  # root owns it everywhere
    if ME.uid == 0:
        os.chown(tmp_path, 4242, 4343)
    owner = tmp_path.stat()
    assert places.account_for(tmp_path) == Account(owner.st_uid, owner.st_gid)

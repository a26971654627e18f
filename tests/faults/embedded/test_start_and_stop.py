"""The embedded servers start, start again, and stop."""

from __future__ import annotations

import stat
import subprocess
from contextlib import closing
from pathlib import Path

import pytest
from tests.faults.embedded.standing import QUICK, client, data_folder, query

from recalld_server.embedded import (
    StartError,
    places,
    start_postgres,
    start_valkey,
    stop_postgres,
    stop_valkey,
)
from recalld_server.embedded.memory import shared_buffers

pytestmark = pytest.mark.embedded


def test_a_fresh_start_gives_a_private_durable_bilingual_database(empty: Path) -> None:
    handle = start_postgres(empty)
    assert not handle.adopted
    assert query(handle.dsn(), "CREATE EXTENSION vector", "SELECT '[3,4]'::halfvec(2) <-> '[0,0]'") == 5
    settings = dict.fromkeys(["fsync", "synchronous_commit", "full_page_writes"], "on") | {
        "listen_addresses": "",
        "jit": "off",
        "shared_buffers": shared_buffers(),
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
        wanted = {"port": "0", "appendonly": "no", "maxmemory-policy": "allkeys-lru", "maxmemory": str(256 << 20)}
        assert {name: cache.config_get(name)[name] for name in wanted} == wanted
        cache.set("会话:1", "喜欢喝茶 and coffee")
        assert cache.get("会话:1") == "喜欢喝茶 and coffee"
    assert stat.S_IMODE(handle.socket.parent.stat().st_mode) == 0o700


def test_a_restart_keeps_what_was_written_and_leaves_no_copy_of_the_cache(data: Path) -> None:
    first, cache = start_postgres(data, settings=QUICK), start_valkey(data)
    query(first.dsn(), "CREATE TABLE kept AS SELECT '王芳 likes tea' AS content", "SELECT 1")
    with closing(client(cache)) as open_cache:
        open_cache.set("cached", "茶 tea")
    stop_postgres(data)
    stop_valkey(data)
    assert not (data / "postgres/postmaster.pid").exists()
    assert not any("茶 tea".encode() in path.read_bytes() for path in (data / "valkey").rglob("*") if path.is_file())

    second, again = start_postgres(data, settings=QUICK), start_valkey(data)

    assert (first.pid, cache.pid) != (second.pid, again.pid)
    assert not second.adopted
    assert query(second.dsn(), "SELECT content FROM kept") == "王芳 likes tea"
    with closing(client(again)) as open_cache:
        assert open_cache.get("cached") is None


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

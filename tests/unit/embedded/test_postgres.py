from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld_server.embedded import EmbeddedError, PostgresHandle, ValkeyHandle, start_postgres
from recalld_server.embedded.postgres import RESERVED

names = st.text("ab /@:?#%&=记忆'\"", min_size=1, max_size=12)


@given(folder=names, database=names, user=names)
def test_any_name_survives_the_dsn(folder: str, database: str, user: str) -> None:
    handle = PostgresHandle(Path(f"/run/{folder}"), 5432, "postgres", False, 1)
    parts = urlsplit(handle.dsn(database, user))
    assert unquote(parts.path[1:]) == database
    assert unquote(parts.netloc.removesuffix("@")) == user
    assert parse_qs(parts.query) == {"host": [str(handle.socket_dir)], "port": ["5432"]}


def test_the_superuser_is_the_default() -> None:
    handle = PostgresHandle(Path("/run/recalld"), 5432, "postgres", False, 1)
    assert handle.dsn() == "postgresql://postgres@/postgres?host=%2Frun%2Frecalld&port=5432"


@given(folder=names)
def test_any_path_survives_the_url(folder: str) -> None:
    socket = Path(f"/run/{folder}/valkey.sock")
    url = ValkeyHandle(socket, False, 1).url
    assert url.startswith("unix:///run/")
    assert Path(unquote(urlsplit(url).path)) == socket


@pytest.mark.parametrize("name", sorted(RESERVED))
def test_what_keeps_the_server_private_cannot_be_set(tmp_path: Path, name: str) -> None:
    with pytest.raises(EmbeddedError, match=name):
        start_postgres(tmp_path, settings={name: "*"})
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["", "shared buffers", "Fsync", "fsync=off -c port", "内存", "--single"])
def test_a_name_that_is_no_setting_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(EmbeddedError, match="not the name of a PostgreSQL setting"):
        start_postgres(tmp_path, settings={name: "1"})
    assert not any(tmp_path.iterdir())

"""The environment is read in one place and fails closed."""

from pathlib import Path

import pytest

from recalld_server.settings import SettingsError, read_settings


def test_defaults_are_local_and_closed() -> None:
    settings = read_settings({})
    assert settings.listen == "127.0.0.1:50051"
    assert settings.loopback
    assert settings.database_url is None
    assert settings.embedder == "local"


def test_the_command_line_wins_over_the_environment() -> None:
    settings = read_settings({"RECALLD_WORKERS": "2"}, workers=3, listen=None)
    assert settings.workers == 3


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({"RECALLD_DATABSE_URL": "x"}, "did you mean RECALLD_DATABASE_URL?"),
        ({"RECALLD_WORKERS": "0"}, "RECALLD_WORKERS"),
        ({"RECALLD_WORKERS": "many"}, "RECALLD_WORKERS"),
        ({"RECALLD_LISTEN": "somewhere"}, "HOST:PORT"),
        ({"RECALLD_LISTEN": "0.0.0.0:50051"}, "not loopback"),
        ({"RECALLD_LISTEN": "example.org:50051"}, "not loopback"),
        ({"RECALLD_EMBEDDER": "tei"}, "RECALLD_EMBEDDING_URL: is needed"),
        ({"RECALLD_EMBEDDER": "magic"}, "RECALLD_EMBEDDER"),
        ({"RECALLD_DATABASE_URL_FILE": "/nowhere/at/all"}, "cannot read"),
        ({"RECALLD_ARCHIVE_URL": "bucket/prefix"}, "s3://BUCKET/PREFIX"),
        ({"RECALLD_ARCHIVE_URL": "s3://bucket", "RECALLD_ARCHIVE_DIR": "cold"}, "set one of them"),
        ({"RECALLD_ARCHIVE_URL": "s3://bucket", "RECALLD_ARCHIVE_S3_ENDPOINT": "minio:9000"}, "must be a URL"),
        ({"RECALLD_ARCHIVE_URL": "s3://bucket", "RECALLD_ARCHIVE_S3_ACCESS_KEY": "k"}, "SECRET_KEY"),
        ({"RECALLD_ARCHIVE_S3_ENDPOINT": "http://minio:9000"}, "RECALLD_ARCHIVE_URL: is needed"),
        ({"RECALLD_TLS_CERT_FILE": "c.pem"}, "RECALLD_TLS_KEY_FILE"),
        ({"RECALLD_TLS_KEY_FILE": "k.pem"}, "RECALLD_TLS_KEY_FILE"),
        ({"RECALLD_TLS_CLIENT_CA_FILE": "ca.pem"}, "RECALLD_TLS_CERT_FILE"),
        ({"RECALLD_TLS_CLIENT_SUBJECTS_FILE": "s.json"}, "RECALLD_TLS_CLIENT_CA_FILE"),
        ({"RECALLD_JWT_ISSUER": "https://a"}, "needed together"),
        ({"RECALLD_JWT_KEYS": "keys.json", "RECALLD_JWT_ISSUER": "https://a"}, "needed together"),
        (
            {"RECALLD_JWT_KEYS": "http://a/keys", "RECALLD_JWT_ISSUER": "a", "RECALLD_JWT_AUDIENCE": "b"},
            "https://",
        ),
        ({"RECALLD_JWT_ALGORITHMS": "RS256,HS256"}, "HS256"),
        ({"RECALLD_JWT_ALGORITHMS": "none"}, "none"),
        ({"RECALLD_DATABASE_URL": ""}, "RECALLD_DATABASE_URL: must be postgresql://"),
        ({"RECALLD_DATABASE_URL": "db.internal/recalld"}, "RECALLD_DATABASE_URL: must be postgresql://"),
        ({"RECALLD_REDIS_URL": ""}, "RECALLD_REDIS_URL"),
        ({"RECALLD_REPLICA_DATABASE_URL": "postgresql://a/b"}, "needs RECALLD_DATABASE_URL"),
        ({"RECALLD_WORKERS": "2", "RECALLD_LISTEN": "127.0.0.1:0"}, "RECALLD_LISTEN: several workers"),
        ({"RECALLD_DATABSE_URL": ""}, "did you mean RECALLD_DATABASE_URL?"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(environment: dict[str, str], said: str) -> None:
    with pytest.raises(SettingsError) as caught:
        read_settings(environment)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_secret_can_come_from_a_file_and_never_shows(tmp_path: Path) -> None:
    file = tmp_path / "url"
    file.write_text("postgresql://app:hunter2@db/recalld\n")
    settings = read_settings({"RECALLD_DATABASE_URL_FILE": str(file), "RECALLD_LISTEN": "0.0.0.0:50051"})
    assert settings.database_url is not None
    assert settings.database_url.get_secret_value().endswith("@db/recalld")
    assert "hunter2" not in repr(settings)


def test_a_secret_is_given_once(tmp_path: Path) -> None:
    file = tmp_path / "url"
    file.write_text("postgresql://app@db/recalld")
    twice = {"RECALLD_DATABASE_URL": "postgresql://app@db/other", "RECALLD_DATABASE_URL_FILE": str(file)}
    for environment in (twice, dict(reversed(twice.items()))):
        with pytest.raises(SettingsError, match="RECALLD_DATABASE_URL is given twice"):
            read_settings(environment)


def test_what_is_left_empty_counts_as_unset_but_for_where_the_data_is(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.write_text("\n")
    settings = read_settings(
        {
            "RECALLD_EMBEDDING_API_KEY_FILE": str(empty),
            "RECALLD_EMBEDDING_URL": "",
            "RECALLD_WORKERS": "",
            "RECALLD_REPLICA_DATABASE_URL": "",
        }
    )
    assert (settings.embedding_api_key, settings.workers, settings.replica_database_url) == (None, 1, None)
    with pytest.raises(SettingsError, match="RECALLD_DATABASE_URL"):
        read_settings({"RECALLD_DATABASE_URL_FILE": str(empty)})


def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SettingsError, match=r"RECALLD_CHAT_API_KEY_FILE: .* is not text"):
        read_settings({"RECALLD_CHAT_API_KEY_FILE": str(file)})


def test_variables_of_clients_are_left_alone() -> None:
    assert read_settings({"RECALLD_ADDR": "127.0.0.1:1", "RECALLD_KEY": "rk_x", "PATH": "/bin"}).workers == 1

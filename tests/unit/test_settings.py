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
        ({"RECALLD_EMBEDDER": "tei"}, "embedding_url"),
        ({"RECALLD_EMBEDDER": "magic"}, "RECALLD_EMBEDDER"),
        ({"RECALLD_DATABASE_URL_FILE": "/nowhere/at/all"}, "cannot read"),
        ({"RECALLD_ARCHIVE_URL": "bucket/prefix"}, "s3://BUCKET/PREFIX"),
        ({"RECALLD_ARCHIVE_URL": "s3://bucket", "RECALLD_ARCHIVE_DIR": "cold"}, "set one of them"),
        ({"RECALLD_ARCHIVE_URL": "s3://bucket", "RECALLD_ARCHIVE_S3_ENDPOINT": "minio:9000"}, "must be a URL"),
        ({"RECALLD_ARCHIVE_URL": "s3://bucket", "RECALLD_ARCHIVE_S3_ACCESS_KEY": "k"}, "SECRET_KEY"),
        ({"RECALLD_ARCHIVE_S3_ENDPOINT": "http://minio:9000"}, "archive_url: is needed"),
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


def test_variables_of_clients_are_left_alone() -> None:
    assert read_settings({"RECALLD_ADDR": "127.0.0.1:1", "RECALLD_KEY": "rk_x", "PATH": "/bin"}).workers == 1

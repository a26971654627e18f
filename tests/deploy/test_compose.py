"""The Compose file and the Dockerfile: valid, careful, and about settings that there are."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from recalld_server.app import build_archive
from recalld_server.settings import CLIENT_VARIABLES, PREFIX, read_settings

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = {"recalld", "mcp"}
WITHOUT_A_SHELL = {"jaeger", "collector"}
"""Their images hold nothing that could ask for their health, and nobody waits for it."""


def test_the_file_keeps_to_the_published_schema() -> None:
    schema = json.loads((Path(__file__).parent / "schemas/compose-spec.json").read_text())
    jsonschema.validate(COMPOSE, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"services": {"a": {"imagge": "b"}}}, schema)


@pytest.mark.parametrize("name", SERVICES)
def test_each_service_is_pinned_bounded_and_has_no_more_rights_than_it_needs(name: str) -> None:
    service = SERVICES[name]
    tag = service["image"].rpartition(":")[2]
    assert re.search(r"\d+\.\d+\.\d+", tag), "a version that stays what it is"
    assert service["read_only"] is service["init"] is True
    assert service["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in service["security_opt"]
    assert re.fullmatch(r"\d+[mg]", service["mem_limit"])
    assert ("healthcheck" in service) is (name not in WITHOUT_A_SHELL)
    for port in service.get("ports", ()):
        assert port.startswith(("127.0.0.1:", "${RECALLD_BIND:-127.0.0.1}:"))
        assert name in OURS | {"jaeger", "grafana"}
    assert "inside" in service["networks"]
    assert ("outside" in service["networks"]) is ("ports" in service)
    for volume in service.get("volumes", ()):
        source, _, rest = volume.partition(":")
        assert rest.endswith(":ro") if source.startswith(".") else source in COMPOSE["volumes"]
        assert not source.startswith(".") or (DEPLOY / source).exists()


def test_who_waits_waits_for_health() -> None:
    for name, service in SERVICES.items():
        for other, how in service.get("depends_on", {}).items():
            checked = other not in WITHOUT_A_SHELL
            assert how["condition"] == ("service_healthy" if checked else "service_started"), name


def test_secrets_come_from_files_and_no_password_has_a_default(tmp_path: Path) -> None:
    made = subprocess.run([DEPLOY / "init", tmp_path], capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    for secret in COMPOSE["secrets"].values():
        assert secret["file"].startswith("${RECALLD_SECRETS:?")
    for service in SERVICES.values():
        for name, value in service.get("environment", {}).items():
            assert not re.search(r"PASSWORD|KEY|DATABASE_URL|REDIS_URL", name) or "/run/secrets/" in value
            if "/run/secrets/" in str(value):
                assert Path(value).name in service["secrets"]


def test_init_makes_different_secrets_each_time_and_overwrites_nothing(tmp_path: Path) -> None:
    for place in ("one", "two", "one"):
        subprocess.run([DEPLOY / "init", tmp_path / place], check=True, capture_output=True)
    one, two = (tmp_path / place / "secrets" for place in ("one", "two"))
    assert {path.name for path in one.iterdir()} == set(COMPOSE["secrets"])
    assert (one / "postgres_password").read_text() != (two / "postgres_password").read_text()
    assert (one / "postgres_password").read_text() in (one / "database_url").read_text()
    assert len((one / "redis_password").read_text()) == 64
    assert one.stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "one/.env").stat().st_mode & 0o777 == 0o600
    (tmp_path / "one/.env").write_text("RECALLD_SECRETS=elsewhere\n")
    subprocess.run([DEPLOY / "init", tmp_path / "one"], check=True, capture_output=True)
    assert (tmp_path / "one/.env").read_text() == "RECALLD_SECRETS=elsewhere\n"


def test_each_variable_of_our_services_is_a_setting(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("postgresql://localhost/x")
    server = {
        name: str(tmp_path / "x") if name.endswith("DATABASE_URL_FILE") else resolved(value, {})
        for name, value in SERVICES["recalld"]["environment"].items()
        if not name.endswith("_FILE") or name == "RECALLD_DATABASE_URL_FILE"
    }
    assert read_settings(server).listen == "0.0.0.0:50051"
    known = CLIENT_VARIABLES | {"OTLP_ENDPOINT"}
    assert {name.removeprefix(PREFIX) for name in SERVICES["mcp"]["environment"]} <= known


@pytest.mark.parametrize(
    ("chosen", "keys", "place"),
    [
        ({}, "", "FolderArchive"),
        ({"RECALLD_ARCHIVE_DIR": ""}, "", "NoneType"),
        ({"RECALLD_ARCHIVE_DIR": "", "RECALLD_ARCHIVE_URL": "s3://cold/recalld"}, "", "S3Archive"),
        ({"RECALLD_ARCHIVE_DIR": "", "RECALLD_ARCHIVE_URL": "s3://cold/recalld"}, "a-key", "S3Archive"),
    ],
    ids=["as made by init", "none", "a bucket by the machine's role", "a bucket by keys"],
)
def test_the_archive_is_where_the_env_file_says(tmp_path: Path, chosen: dict[str, str], keys: str, place: str) -> None:
    subprocess.run([DEPLOY / "init", tmp_path], check=True, capture_output=True)
    made = dict(re.findall(r"^(\w+)=(.*)$", (tmp_path / ".env").read_text(), re.MULTILINE))
    for name in ("archive_s3_access_key", "archive_s3_secret_key"):
        (tmp_path / "secrets" / name).unlink()
        (tmp_path / "secrets" / name).write_text(keys)
    environment = {
        name: resolved(value, made | chosen).replace("/run/secrets", str(tmp_path / "secrets"))
        for name, value in SERVICES["recalld"]["environment"].items()
    }
    settings = read_settings(environment)
    assert type(build_archive(settings, tmp_path)).__name__ == place
    assert settings.archive_dir == (Path("/data/archive") if place == "FolderArchive" else None)
    assert (settings.archive_s3_secret_key is None) is not bool(keys)
    assert "recalld:/data" in SERVICES["recalld"]["volumes"]


def test_what_can_be_chosen_in_the_env_file_is_used(tmp_path: Path) -> None:
    subprocess.run([DEPLOY / "init", tmp_path], check=True, capture_output=True)
    offered = set(re.findall(r"^#?(\w+)=", (tmp_path / ".env").read_text(), re.MULTILINE))
    used = set(re.findall(r"\$\{(\w+)", (DEPLOY / "compose.yaml").read_text()))
    assert offered <= used
    assert used - offered <= {"JAEGER_PORT", "GRAFANA_PORT"}


def resolved(value: object, variables: dict[str, str]) -> str:
    """A value as Compose would give it to the process."""
    filled = re.sub(r"\$\{(\w+)(?::[-?]([^}]*))?\}", lambda m: variables.get(m[1]) or m[2] or "", str(value))
    return filled.replace("$$", "$")


def test_the_dockerfile_is_clean() -> None:
    hadolint = shutil.which("hadolint", path=str(Path(sys.executable).parent)) or shutil.which("hadolint")
    if hadolint is None:
        pytest.skip("hadolint is not installed")
    found = subprocess.run([hadolint, DEPLOY / "Dockerfile"], capture_output=True, text=True)
    assert found.stdout == ""


def test_the_images_run_as_nobody_and_install_what_is_pinned() -> None:
    stages = re.split(r"^FROM ", (DEPLOY / "Dockerfile").read_text(), flags=re.MULTILINE)
    names = {re.search(r" AS (\w+)", stage)[1]: stage for stage in stages[1:] if " AS " in stage}  # type: ignore[index]
    assert names.keys() == {"build", "base", "bridge", "server"}
    assert "USER 10001:10001" in names["base"]
    for line in re.findall(r"pip install .*", names["build"]):
        assert "-c constraints.txt" in line
    for final in ("bridge", "server"):
        assert names[final].startswith("base")
        assert "HEALTHCHECK" in names[final]
        assert "ENTRYPOINT" in names[final]
        assert "apt-get" not in names[final]
    for line in re.findall(r"^COPY (?!--from)(\S+)", (DEPLOY / "Dockerfile").read_text(), re.MULTILINE):
        assert (ROOT / line).exists()
        assert f"!{line}" in (ROOT / ".dockerignore").read_text().splitlines()

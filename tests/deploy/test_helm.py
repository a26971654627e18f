"""The chart renders to what Kubernetes takes, with variables that are settings and rights that are few."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from recalld_server.app import build_archive
from recalld_server.settings import CLIENT_VARIABLES, PREFIX, Settings, read_settings
from recalld_server.store.base import Archive
from recalld_server.store.files import FolderArchive
from recalld_server.store.s3 import S3Archive

helm_python = pytest.importorskip("helm_python")
kubernetes_validate = pytest.importorskip("kubernetes_validate")

CHART = Path(__file__).parents[2] / "deploy/helm/recalld"
LEAST: dict[str, Any] = {"existingSecret": "recalld"}
ALL: dict[str, Any] = {
    **LEAST,
    "migrationDatabase": True,
    "replicaDatabase": True,
    "embeddingApiKey": True,
    "archive": {"url": "s3://cold/recalld", "endpoint": "https://minio:9000", "keys": True},
    "settings": {"RECALLD_EMBEDDER": "openai", "RECALLD_EMBEDDING_MODEL": "m"},
    "autoscaling": {"enabled": True},
    "metrics": {"serviceMonitor": True},
    "otlpEndpoint": "http://collector:4317",
    "networkPolicy": {"from": {"app": "agents"}},
    "mcp": {"enabled": True, "publicUrl": "https://memory.example.com/mcp"},
}
CLAIM: dict[str, Any] = {**LEAST, "archive": {"existingClaim": "cold"}}
OFF: dict[str, Any] = {
    **LEAST,
    "redis": False,
    "metrics": {"enabled": False},
    "migrations": {"enabled": False},
    "podDisruptionBudget": {"enabled": False},
    "networkPolicy": {"enabled": False},
}


def rendered(values: dict[str, Any]) -> list[dict[str, Any]]:
    """The manifests of a release."""
    with helm_python.Chart.load(str(CHART)) as chart:
        files = chart.render(values, name="memory", namespace="agents")
    texts = [text for path, text in files.items() if not path.endswith("NOTES.txt")]
    return [each for text in texts for each in yaml.safe_load_all(text) if each]


def of_kind(manifests: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [each for each in manifests if each["kind"] == kind]


def pods(manifests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [each["spec"]["template"]["spec"] for kind in ("Deployment", "Job") for each in of_kind(manifests, kind)]


@pytest.mark.parametrize("values", [LEAST, ALL, OFF, CLAIM], ids=["least", "all", "off", "claim"])
def test_kubernetes_takes_each_manifest(values: dict[str, Any]) -> None:
    manifests = rendered(values)
    names = [(each["kind"], each["metadata"]["name"]) for each in manifests]
    assert len(names) == len(set(names))
    for each in manifests:
        if each["apiVersion"] != "monitoring.coreos.com/v1":
            kubernetes_validate.validate(each, "1.31", strict=True)


def test_everything_asked_for_is_there() -> None:
    kinds = {each["kind"] for each in rendered(ALL)}
    assert kinds == {
        "Deployment",
        "Service",
        "PodDisruptionBudget",
        "HorizontalPodAutoscaler",
        "Job",
        "NetworkPolicy",
        "ServiceMonitor",
    }
    assert {each["kind"] for each in rendered(OFF)} == {"Deployment", "Service"}


@pytest.mark.parametrize("values", [LEAST, ALL], ids=["least", "all"])
def test_pods_have_few_rights_and_known_variables(values: dict[str, Any]) -> None:
    files = {f"{name.upper()}_FILE" for name in Settings.model_fields}
    known = CLIENT_VARIABLES | files | {name.upper() for name in Settings.model_fields}
    for pod in pods(rendered(values)):
        assert pod["automountServiceAccountToken"] is False
        assert pod["securityContext"]["runAsNonRoot"] is True
        (container,) = pod["containers"]
        assert container["securityContext"]["readOnlyRootFilesystem"] is True
        assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
        assert "memory" in container["resources"]["limits"]
        names = [each["name"] for each in container["env"]]
        assert len(names) == len(set(names))
        assert {name.removeprefix(PREFIX) for name in names} <= known
        mounted = {each["name"] for each in container["volumeMounts"]}
        assert mounted == {each["name"] for each in pod["volumes"]}


def archive_of(tmp_path: Path, values: dict[str, Any]) -> Archive | None:
    """The archive that each pod of a release would build."""
    found = []
    for pod in pods(rendered(values)):
        (container,) = pod["containers"]
        if container["name"] not in ("recalld", "migrate"):
            continue
        environment = {
            each["name"]: each["value"].replace("/run/secrets/recalld", str(tmp_path)) for each in container["env"]
        }
        settings = read_settings(environment)
        found.append(build_archive(settings, tmp_path))
        mounts = {each["mountPath"] for each in container["volumeMounts"]}
        assert settings.archive_dir is None or str(settings.archive_dir) in mounts
    assert len({type(each) for each in found}) == 1
    return found[0]


def test_the_archive_is_where_the_values_say(tmp_path: Path) -> None:
    for name in ("database-url", "redis-url", "archive-s3-access-key", "archive-s3-secret-key"):
        (tmp_path / name).write_text("redis://h" if name == "redis-url" else "postgresql://h/recalld")
    assert archive_of(tmp_path, LEAST) is None
    assert isinstance(archive_of(tmp_path, {**LEAST, "archive": {"existingClaim": "cold"}}), FolderArchive)
    bucket = {"url": "s3://cold/recalld"}
    for more in ({}, {"endpoint": "https://minio:9000", "keys": True, "region": "eu-west-1"}):
        assert isinstance(archive_of(tmp_path, {**LEAST, "archive": {**bucket, **more}}), S3Archive)


def test_services_find_their_pods_and_the_api_is_headless() -> None:
    manifests = rendered(ALL)
    labels = {
        each["spec"]["template"]["metadata"]["labels"]["app.kubernetes.io/component"]: each["spec"]["template"]
        for each in of_kind(manifests, "Deployment")
    }
    for service in of_kind(manifests, "Service"):
        template = labels[service["spec"]["selector"]["app.kubernetes.io/component"]]
        assert service["spec"]["selector"].items() <= template["metadata"]["labels"].items()
        offered = {port["name"] for port in template["spec"]["containers"][0]["ports"]}
        assert {port["targetPort"] for port in service["spec"]["ports"]} <= offered
    assert of_kind(manifests, "Service")[0]["spec"].get("clusterIP", "None") == "None"


def test_a_restart_is_not_asked_for_because_the_database_is_away() -> None:
    server = next(pod for pod in pods(rendered(LEAST)) if pod["containers"][0]["name"] == "recalld")
    (container,) = server["containers"]
    assert "grpc" in container["readinessProbe"]
    assert "grpc" not in container["livenessProbe"]
    drain = next(each["value"] for each in container["env"] if each["name"] == "RECALLD_DRAIN_SECONDS")
    assert float(drain) + read_settings({}).grace_seconds < server["terminationGracePeriodSeconds"]


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({}, "existingSecret"),
        ({**LEAST, "mcp": {"enabled": True}}, "mcp.publicUrl"),
        ({**LEAST, "archive": {"existingClaim": "cold", "url": "s3://cold"}}, "set one of them"),
    ],
)
def test_what_is_missing_is_named(values: dict[str, Any], says: str) -> None:
    with pytest.raises(Exception, match=re.escape(says)):
        rendered(values)

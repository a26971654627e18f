"""The dashboard and the alerts ask for figures that the server really exports, with labels that they really have."""

from __future__ import annotations

import asyncio
import json
import re
import urllib.request
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from recalld_server import telemetry
from recalld_server.demo.process import free_port
from recalld_server.telemetry import TelemetryOptions, start_telemetry
from recalld_server.telemetry.metrics import GAUGES

DEPLOY = Path(__file__).parents[2] / "deploy"
WORDS = frozenset(
    [
        "sum",
        "rate",
        "max",
        "min",
        "by",
        "increase",
        "histogram_quantile",
        "le",
        "up",
        "job",
        "instance",
        "for",
        "without",
        "and",
        "or",
        "avg",
        "count",
    ]
)
OUTSIDE = {"up": {"job", "instance"}}
"""Made by Prometheus itself."""


@pytest.fixture
async def exported() -> AsyncIterator[dict[str, set[str]]]:
    """The labels of every figure by its name, after each was recorded once."""
    port = free_port()
    running = start_telemetry(TelemetryOptions(metrics_host="127.0.0.1", metrics_port=port))
    telemetry.record_call("recalld.v1.MemoryService/Search", "OK", 0.01)
    with telemetry.Stages("search") as stages:
        stages.mark("embed")
    telemetry.record_search(3, {"vector": 5}, ["rerank"])
    telemetry.count_used(1)
    telemetry.count_replica_read("served")
    telemetry.count_outcome("CREATED")
    telemetry.count_jobs("index", "done")
    telemetry.count_chore("indexing", "done")
    telemetry.record_wait(0.001, timed_out=True)
    telemetry.count_cache("redis", hit=True)
    telemetry.record_model("embeddings", "local:e5", 0.01, "MODEL_UNAVAILABLE")
    telemetry.count_tokens("chat", "m", input=5, output=6)
    telemetry.observe_pool(idle=1, used=2, limit=10)
    labels = {
        "recalld.queue": {"queue": "index"},
        "recalld.memories": {"kind": "semantic", "state": "active"},
        "recalld.breaker": {"dependency": "model"},
        "recalld.replica": {"replica": "replica"},
    }
    for name in GAUGES:
        if not name.startswith("db."):
            telemetry.observe(name, [(1.0, labels.get(name, labels.get(name.rpartition(".")[0], {})))])
    text = await asyncio.to_thread(_fetch, f"http://127.0.0.1:{port}/metrics")
    found: dict[str, set[str]] = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            found.setdefault(sample.name, {"job", "instance"}).update(sample.labels)
    yield found
    await running.close()


def _fetch(url: str) -> str:
    with urllib.request.urlopen(url) as answer:
        text: str = answer.read().decode()
        return text


def expressions() -> Iterator[tuple[str, str]]:
    """Every expression, with where it stands."""
    dashboard = json.loads((DEPLOY / "grafana/dashboards/recalld.json").read_text())
    for panel in dashboard["panels"]:
        for target in panel.get("targets", ()):
            yield panel["title"], target["expr"]
            for label in re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]):
                yield panel["title"], f"{names(target['expr'])[0]}{{{label}!=''}}"
    for group in yaml.safe_load((DEPLOY / "prometheus/alerts.yaml").read_text())["groups"]:
        for rule in group["rules"]:
            yield rule["alert"], rule["expr"]


def names(expression: str) -> list[str]:
    """The figures that an expression asks for."""
    bare = re.sub(r"\{[^}]*\}|\[[^]]*\]|\"[^\"]*\"|\b(by|without) \([^)]*\)", " ", expression)
    return [word for word in re.findall(r"[a-zA-Z_:][\w:]*", bare) if word not in WORDS - {"up"}]


def labels(expression: str) -> set[str]:
    """The labels that an expression names."""
    grouped = [word.strip() for group in re.findall(r"\bby \(([^)]*)\)", expression) for word in group.split(",")]
    chosen = [label for part in re.findall(r"\{([^}]*)\}", expression) for label in re.findall(r"(\w+)\s*[=!]", part)]
    return {*grouped, *chosen}


def test_the_dashboard_and_the_alerts_ask_for_what_there_is(exported: dict[str, set[str]]) -> None:
    asked = list(expressions())
    assert len(asked) > 40
    there = exported | OUTSIDE
    for place, expression in asked:
        for name in names(expression):
            assert name in there, f"{place}: {name} is not exported"
            assert labels(expression) <= there[name] | {"le"}, f"{place}: {name} has only {there[name]}"


def test_each_figure_is_shown_or_watched(exported: dict[str, set[str]]) -> None:
    asked = {name for _, expression in expressions() for name in names(expression)}
    ours = {name for name in exported if name.startswith(("recalld_", "rpc_", "db_", "gen_ai_"))}
    bases = {re.sub(r"_(bucket|count|sum|total|created)$", "", name) for name in ours}
    shown = {re.sub(r"_(bucket|count|sum|total)$", "", name) for name in asked}
    assert bases - shown == set()


def test_every_alert_says_what_to_do() -> None:
    for group in yaml.safe_load((DEPLOY / "prometheus/alerts.yaml").read_text())["groups"]:
        for rule in group["rules"]:
            assert rule["labels"]["severity"] in ("page", "ticket")
            assert rule["annotations"].keys() == {"summary", "action"}

"""`recall review`: a contradiction that a write has opened is listed and decided at the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any
from uuid import uuid4

import pytest

from recalld import Client
from recalld_server.demo.process import Running


def recall(running: Running, namespace: str, *arguments: str) -> Any:
    done = subprocess.run(
        [sys.executable, "-m", "recalld", *arguments, "--json", "--namespace", namespace],
        env={"RECALLD_ADDR": running.address, "RECALLD_KEY": running.root_key, "LANG": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines() if line]


@pytest.mark.parametrize(
    ("known", "heard"),
    [
        ("The API rate limit is 100 requests a minute.", "I think the API rate limit might be 60 requests a minute."),
        ("接口限流是每分钟100次。", "接口限流好像是每分钟60次。"),
    ],
)
def test_a_contradiction_is_decided(running: Running, known: str, heard: str) -> None:
    namespace = f"e2e/{uuid4().hex}"
    with Client(running.address, key=running.root_key, namespace=namespace) as client:
        client.namespaces.create(namespace)
        right = client.write(known).memory_id
        assert right is not None
        opened = client.write(heard)
        assert opened.outcome == "conflict"
        (listed,) = recall(running, namespace, "review")
        assert (listed["review_id"], listed["cause"]) == (opened.review_id, "conflict")
        assert [memory["content"] for memory in listed["memories"]] == [heard, known]
        arguments = ["--decision", "choose", "--chosen-id", right, "--reason", "读过配置"]
        (decided,) = recall(running, namespace, "review", opened.review_id, *arguments)
        assert (decided["state"], decided["decision"]) == ("resolved", "choose")
        assert recall(running, namespace, "review") == []
        assert [memory.content for memory in client.list()] == [known]
        assert client.revisions(right).page().items[0].reason == "读过配置"

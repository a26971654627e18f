"""What can be configured, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from recalld_server.models.base import ModelSetupError
from recalld_server.models.factory import make_embedder

REMOTE = {"model": "m", "base_url": "http://127.0.0.1:1/v1"}


@pytest.mark.parametrize(
    ("arguments", "model_id"),
    [
        ({"kind": "hash"}, "hash:384:1"),
        ({"kind": "hash", "dimensions": 64}, "hash:64:1"),
        ({"kind": "openai", **REMOTE}, "openai:m"),
        ({"kind": "openai", **REMOTE, "dimensions": 512}, "openai:m:512"),
        ({"kind": "tei", **REMOTE}, "tei:m"),
    ],
)
def test_each_kind(arguments: dict[str, Any], model_id: str) -> None:
    assert make_embedder(**arguments).id == model_id


def test_local(tmp_path: Path) -> None:
    embedder = make_embedder("local", cache_dir=tmp_path, dimensions=384)
    assert embedder.dimensions == 384
    assert list(tmp_path.iterdir()) == []  # nothing is loaded or built before it is started


@pytest.mark.parametrize(
    "arguments",
    [
        {"kind": "local"},
        {"kind": "local", "cache_dir": Path("x"), "dimensions": 512},
        {"kind": "openai", "model": "m"},
        {"kind": "openai", "base_url": "http://x"},
        {"kind": "tei", "model": "m", "base_url": "ftp://x"},
        {"kind": "magic"},
        {"kind": ""},
    ],
)
def test_what_cannot_work_is_refused(arguments: dict[str, Any]) -> None:
    with pytest.raises(ModelSetupError):
        make_embedder(**arguments)

"""Every block of Python in the README runs as it stands."""

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest

import recalld
from recalld.v1 import memory_service_pb2 as ms
from recalld.v1 import watch_service_pb2 as ws

from .conftest import KEY, Double

README = (Path(recalld.__file__).parents[1] / "README.md").read_text()
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_block(block: str, double: Double, monkeypatch: pytest.MonkeyPatch) -> None:
    async def found(call: Any, context: Any) -> Any:
        hit = ms.SearchHit(score=0.9)
        hit.memory.content = "Alice is allergic to peanuts. 花生"
        return ms.SearchResponse(hits=[hit])

    async def created(call: Any, context: Any) -> Any:
        yield ws.WatchResponse(type=ws.WATCH_EVENT_TYPE_CREATED, resume_token="t")
        await asyncio.Event().wait()

    double.on("Search", found)
    double.on("Watch", created)
    monkeypatch.setenv("RECALLD_ADDR", f"127.0.0.1:{double.port}")
    monkeypatch.setenv("RECALLD_KEY", KEY)
    exec(compile(block, "README.md", "exec"), {"__name__": "__main__"})
    assert double.calls


def test_the_tree_of_errors_is_the_one_in_the_code() -> None:
    drawn = re.findall(r"^[├└]── (\w+)", README, re.MULTILINE)
    assert drawn == re.findall(r"^[├└]── (\w+)", recalld.errors.__doc__ or "", re.MULTILINE)
    raised = {
        name
        for name, kind in vars(recalld.errors).items()
        if isinstance(kind, type) and issubclass(kind, recalld.errors.RecalldError) and not name.startswith("_")
    }
    assert set(drawn) == raised - {"RecalldError"}

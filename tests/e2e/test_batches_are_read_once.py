"""What is said in a batch is read once, however often it is decided on and however little is kept of what was read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import partial

import pytest
from tests.e2e.inside import serving

from recalld_server.core import storing
from recalld_server.core.decide import Statements
from recalld_server.core.resolve import decide
from recalld_server.core.resolve.frames import Parsed, parse

KNOWN = ["Alice likes black tea", "Alice likes green tea", "小林喜欢喝红茶", "小林喜欢喝绿茶"]
SAID = [
    "Alice likes white tea",
    "Alice likes mint tea",
    "Alice likes tea at night",
    "小林喜欢喝白茶",
    "小林喜欢喝花茶",
    "小林喜欢喝奶茶",
]


async def test_each_draft_is_read_once(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read = Counter[str]()

    def counted(text: str, entities: Iterable[str] = ()) -> Parsed:
        read[text] += 1
        return parse(text, entities)

    monkeypatch.setattr(decide, "parse", counted)
    monkeypatch.setattr(storing, "Statements", partial(Statements, at_most=1))
    async with serving(database) as client:
        await client.write_batch(KNOWN)
        read.clear()
        written = await client.write_batch(SAID)
    assert [each.result and each.result.outcome for each in written] == ["created"] * len(SAID)
    assert {text: read[text] for text in SAID} == dict.fromkeys(SAID, 1)
    assert any(read[text] for text in KNOWN)

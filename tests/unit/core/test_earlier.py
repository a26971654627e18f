"""A draft meets the drafts before it in the same request."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from recalld_server.core.drafts import prepare
from recalld_server.core.earlier import Earlier
from recalld_server.core.items import Item
from recalld_server.model import Draft, Kind, Scope, Visibility, new_id, utc_now

SCOPE = Scope(new_id(), new_id(), "space", "ann")


def item(text: str, *values: float, **fields: object) -> Item:
    draft = Draft(content=text, **{"kind": Kind.SEMANTIC, **fields})  # type: ignore[arg-type]
    prepared = prepare(draft, SCOPE, default_visibility=Visibility.SHARED, limit=1000, now=utc_now())
    vector = np.asarray(values, np.float32)
    return replace(Item(0, prepared), text=vector / np.linalg.norm(vector)) if values else Item(0, prepared)


def test_the_same_text_is_met_exactly_in_both_languages() -> None:
    earlier = Earlier()
    held = [item("Alice likes tea.", 1, 0), item("小明喜欢喝茶。", 0, 1)]
    for each in held:
        earlier.add(each)
    for each in held:
        assert earlier.around(item(each.memory.content, 1, 1), near=5, floor=0.0).exact is each.memory


def test_the_nearest_come_best_first_down_to_the_floor() -> None:
    earlier = Earlier()
    for n in range(40):
        earlier.add(item(f"text 文字 {n}", 1, n))
    met = earlier.around(item("new 新的", 1, 0), near=3, floor=0.5)
    assert [near.memory.content for near in met.near] == ["text 文字 0", "text 文字 1"]
    assert met.near[1].cosine == pytest.approx(2**-0.5)
    assert len(earlier.around(item("new 新的", 1, 0), near=1, floor=0.5).near) == 1


@pytest.mark.parametrize("fields", [{"user_id": "bob"}, {"kind": Kind.EPISODIC}, {"visibility": Visibility.PRIVATE}])
def test_another_user_kind_group_or_audience_is_not_met(fields: dict[str, object]) -> None:
    earlier = Earlier()
    earlier.add(item("the same 同样的", 1, 0))
    met = earlier.around(item("the same 同样的", 1, 0, **fields), near=5, floor=0.0)
    assert met.exact is None
    assert met.near == ()


def test_a_draft_that_waits_for_the_model_is_met_by_its_text_only() -> None:
    earlier = Earlier()
    earlier.add(item("waiting 等待"))
    assert earlier.around(item("waiting 等待"), near=5, floor=0.0).exact is not None
    assert earlier.around(item("another 别的", 1, 0), near=5, floor=0.0).near == ()

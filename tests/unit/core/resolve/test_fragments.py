"""A statement that only names something which an older one names too is not the older one: it would be lost."""

from uuid import uuid4

import pytest

from recalld_server.core.resolve import Lines, Neighbour, RulesResolver, Statement, Verdict

LINES = Lines(0.6, 0.3)


async def verdict(old: str, new: str, similarity: float) -> Verdict:
    neighbour = Neighbour(uuid4(), Statement(old, None, "semantic"), similarity)
    return (await RulesResolver().resolve(Statement(new, None, "semantic"), [neighbour], LINES)).verdict


@pytest.mark.parametrize("similarity", [0.1, 0.33, 0.5])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("喝茶不加糖。 a_b", "在 a_b 里，here."),
        ("喝茶不加糖。 orion", "在 orion 里，here."),
        ("Alice likes tea. orion", "in orion, here."),
        ("I drink tea without sugar. orion", "This is in orion."),
        ("我住在上海。", "在上海。"),
        ("猫喜欢鱼。狗", "在狗里。"),
    ],
)
async def test_a_name_in_common_is_not_a_statement_in_common(old: str, new: str, similarity: float) -> None:
    assert await verdict(old, new, similarity) is Verdict.NEW


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Alice likes tea.", "Alice likes tea!"),
        ("我住在上海。", "我住在上海！"),
        ("The orion build.", "the Orion build"),
    ],
)
async def test_the_same_statement_is_still_known(old: str, new: str) -> None:
    assert await verdict(old, new, 0.5) is Verdict.DUPLICATE

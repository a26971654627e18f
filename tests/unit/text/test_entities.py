"""Names, identifiers and quoted terms."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld_server.text.entities import extract_entities


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Alice prefers green tea", ["Alice"]),
        ("Maria said hi to Dr. Smith.", ["Maria", "Smith"]),
        ("We met Alice Johnson and Bob in New York last Friday.", ["Alice Johnson", "Bob", "New York"]),
        ("José's laptop is at the office", ["José"]),
        ("Use AWS for backups. Never deploy on Friday.", ["AWS"]),
        ("We saw The Who live", ["The Who"]),
        ("See PAY-1423 and ERR_OSSL_EVP_UNSUPPORTED", ["PAY-1423", "ERR_OSSL_EVP_UNSUPPORTED"]),
        ("kube.local:8080 serves src/app/main.py", ["kube.local:8080", "src/app/main.py"]),
        ("mail a@b.io or https://x.io/a", ["a@b.io", "https://x.io/a"]),
        ("call getUserName in snake_case with C++", ["getUserName", "snake_case", "C++"]),
        ("Please remember that it is 10:30am, 5GB, 3.11, 4th, e.g. and/or", []),
        ("ALL CAPS ARE SHOUTED", []),
        ("done.Then it ended", []),
        ("他在看《三体》和「沙丘」", ["三体", "沙丘"]),
        ("张老师推荐了“深度学习”", ["张老师", "深度学习"]),
        ("我叫李明，住在上海", ["李明"]),
        ("王小明医生说 PAY-1423 已修复", ["王小明医生", "PAY-1423"]),
        ("上周经理没来，高级经理也没来", []),
        ("今天天气很好", []),
    ],
)
def test_entities(text: str, expected: list[str]) -> None:
    assert extract_entities(text) == expected


def test_each_entity_comes_once_in_reading_order_up_to_the_limit() -> None:
    assert extract_entities("we told Bob, BOB and Carol about 《三体》", limit=2) == ["Bob", "Carol"]
    assert extract_entities("we told Bob", limit=0) == []


@given(st.one_of(st.text(), st.text(alphabet=st.characters(codec=None)), st.text(alphabet="Ab C.'-_/《》“”王老师 1\n")))
def test_any_text_gives_distinct_pieces_of_itself(text: str) -> None:
    entities = extract_entities(text)
    assert len(entities) <= 16
    assert len({entity.casefold() for entity in entities}) == len(entities)
    assert all(entity.strip() and entity.split(" ")[0] in text for entity in entities)


@pytest.mark.parametrize("piece", ["Ab ", "A", "a.b/", "《", "王", "Ab'", "_a", "我叫"])
def test_long_texts_stay_within_the_limit(piece: str) -> None:
    found = extract_entities(piece * 5000)
    assert len(found) <= 16
    # what the contract refuses could not be imported again
    assert all(len(entity) <= 200 for entity in found)

"""The LangGraph store beside the framework's own in-memory store, and inside a graph."""

from __future__ import annotations

import time
from typing import Any, TypedDict

import pytest

pytest.importorskip("langgraph", reason="LangGraph is not installed")

from langgraph.graph import END, START, StateGraph
from langgraph.store.base import BaseStore, InvalidNamespaceError, PutOp
from langgraph.store.memory import InMemoryStore

from recalld import Client
from recalld.integrations.langgraph import RecalldStore

ITEMS: list[tuple[tuple[str, ...], str, dict[str, Any]]] = [
    (("docs", "reports"), "a", {"title": "Quarterly report", "score": 4.5, "color": "red"}),
    (("docs", "reports"), "b", {"title": "年度报告", "score": 3.0, "color": "blue"}),
    (("docs", "reports", "old"), "a", {"title": "Archive of 2019", "score": 1, "nested": {"deep": [1, 2]}}),
    (("docs", "Notes & 想法"), "k/1", {"title": "A note", "done": True, "gone": None}),
    (("users", "alice"), "food", {"title": "花生过敏"}),
    # the same value under another key is another item
    (("users", "alice"), "diet", {"title": "花生过敏"}),
]
VALUES = {(namespace, key): value for namespace, key, value in ITEMS}


@pytest.fixture
def store(client: Client) -> RecalldStore:
    return RecalldStore(client, root=client.name)


@pytest.fixture
def stores(store: RecalldStore) -> tuple[RecalldStore, InMemoryStore]:
    reference = InMemoryStore()
    for namespace, key, value in ITEMS:
        store.put(namespace, key, value)
        reference.put(namespace, key, value)
    return store, reference


def found(store: BaseStore, prefix: tuple[str, ...], **options: Any) -> set[tuple[tuple[str, ...], str]]:
    return {(item.namespace, item.key) for item in store.search(prefix, limit=100, **options)}


def test_every_item_is_read_as_it_was_put(stores: tuple[RecalldStore, InMemoryStore]) -> None:
    store, reference = stores
    for namespace, key, _ in ITEMS:
        ours, theirs = store.get(namespace, key), reference.get(namespace, key)
        assert ours is not None
        assert theirs is not None
        assert (ours.value, ours.key, ours.namespace) == (theirs.value, theirs.key, theirs.namespace)
        assert ours.created_at.tzinfo is not None
    assert store.get(("docs", "reports"), "nothing") is None
    assert store.get(("nowhere",), "a") is None


@pytest.mark.parametrize(
    "filter",
    [
        None,
        {"color": "red"},
        {"color": {"$ne": "red"}, "score": 3.0},
        {"title": "花生过敏"},
        {"done": True},
        {"color": "green"},
    ],
)
@pytest.mark.parametrize("prefix", [(), ("docs",), ("docs", "reports"), ("users", "alice"), ("doc",), ("missing",)])
def test_filters_find_what_the_reference_finds(
    stores: tuple[RecalldStore, InMemoryStore], prefix: tuple[str, ...], filter: dict[str, Any] | None
) -> None:
    store, reference = stores
    theirs = found(reference, prefix, filter=filter)
    if filter and "$ne" in str(filter):
        # the reference counts an absent key as different; in recalld NE asks for a value
        theirs = {item for item in theirs if "color" in VALUES[item]}
    assert found(store, prefix, filter=filter) == theirs


def test_comparisons_find_what_the_reference_finds(stores: tuple[RecalldStore, InMemoryStore]) -> None:
    store, reference = stores
    for wanted in ({"$gt": 3}, {"$gte": 3, "$lt": 4.5}, {"$lte": 3}, {"$eq": 4.5}):
        # the reference fails on items that lack the key, so only those that have it are asked
        theirs = {
            (item.namespace, item.key)
            for namespace in reference.list_namespaces()
            if namespace in {("docs", "reports"), ("docs", "reports", "old")}
            for item in reference.search(namespace, filter={"score": wanted}, limit=100)
        }
        assert found(store, (), filter={"score": wanted}) == theirs


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"prefix": ("docs",)},
        {"suffix": ("alice",)},
        {"prefix": ("docs", "*", "old")},
        {"max_depth": 1},
        {"prefix": ("docs",), "max_depth": 2},
        {"limit": 2, "offset": 1},
    ],
)
def test_namespaces_are_listed_as_the_reference_lists_them(
    stores: tuple[RecalldStore, InMemoryStore], options: dict[str, Any]
) -> None:
    store, reference = stores
    ours, theirs = store.list_namespaces(**options), reference.list_namespaces(**options)
    if "limit" in options:
        assert len(ours) == len(theirs) == 2
    else:
        assert set(ours) == set(theirs)


def test_a_query_finds_by_the_words_of_the_value(stores: tuple[RecalldStore, InMemoryStore]) -> None:
    store, _ = stores
    best = store.search(("users", "alice"), query="花生过敏", limit=1)
    assert best[0].key in {"food", "diet"}
    assert best[0].score is not None
    assert store.search((), query="quarterly report", limit=1)[0].key == "a"
    assert store.search((), query="report", filter={"color": "blue"}, limit=5)[0].key == "b"


def test_offset_and_limit_page_through_everything_once(stores: tuple[RecalldStore, InMemoryStore]) -> None:
    store, _ = stores
    pages = [store.search((), limit=2, offset=offset) for offset in range(0, 8, 2)]
    seen = [(item.namespace, item.key) for page in pages for item in page]
    assert sorted(seen) == sorted((namespace, key) for namespace, key, _ in ITEMS)


def test_a_put_over_an_item_replaces_its_value_and_keeps_its_birth(store: RecalldStore) -> None:
    store.put(("n",), "k", {"title": "one", "x": 1})
    first = store.get(("n",), "k")
    store.put(("n",), "k", {"title": "二"})
    second = store.get(("n",), "k")
    assert first is not None
    assert second is not None
    assert second.value == {"title": "二"}
    assert second.created_at == first.created_at
    assert second.updated_at > first.updated_at
    store.put(("n",), "k", {"title": "二", "x": 2})  # the same words, another value
    again = store.get(("n",), "k")
    assert again is not None
    assert again.value == {"title": "二", "x": 2}


def test_a_deleted_item_is_gone_and_its_key_can_be_used_again(store: RecalldStore) -> None:
    store.put(("n",), "k", {"title": "secret"})
    store.delete(("n",), "k")
    store.delete(("n",), "k")
    assert store.get(("n",), "k") is None
    assert store.search((), query="secret") == []
    assert store.list_namespaces() == []
    store.put(("n",), "k", {"title": "secret"})
    assert store.get(("n",), "k") is not None


def test_what_is_not_indexed_is_read_but_not_searched(store: RecalldStore) -> None:
    store.put(("n",), "hidden", {"title": "peanut butter"}, index=False)
    store.put(("n",), "part", {"title": "almond", "note": "walnut"}, index=["note"])
    assert store.get(("n",), "hidden") is not None
    keys = {item.key for item in store.search(("n",), query="peanut butter almond walnut", limit=10)}
    assert keys == {"part"}


def test_an_item_ends_with_its_time_to_live(store: RecalldStore) -> None:
    store.put(("n",), "k", {"title": "short"}, ttl=0.02)
    assert store.get(("n",), "k") is not None
    deadline = time.monotonic() + 20
    while store.get(("n",), "k") is not None:
        assert time.monotonic() < deadline
    store.put(("n",), "k", {"title": "again"}, ttl=60)
    assert store.get(("n",), "k") is not None


def test_bad_namespaces_are_refused(store: RecalldStore) -> None:
    with pytest.raises(InvalidNamespaceError):
        store.put((), "k", {"a": 1})
    with pytest.raises(InvalidNamespaceError):
        store.put(("a.b",), "k", {"a": 1})


async def test_batches_run_in_order(store: RecalldStore) -> None:
    await store.abatch([PutOp(("n",), "k", {"v": 1}), PutOp(("n",), "k", {"v": 2})])
    item = await store.aget(("n",), "k")
    assert item is not None
    assert item.value == {"v": 2}


def test_a_graph_remembers_across_threads(store: RecalldStore) -> None:
    class State(TypedDict):
        text: str
        recalled: list[str]

    def remember(state: State, *, store: BaseStore) -> dict[str, Any]:
        recalled = [item.value["text"] for item in store.search(("memories", "爱丽丝"), query=state["text"], limit=3)]
        store.put(("memories", "爱丽丝"), str(len(recalled)), {"text": state["text"]})
        return {"recalled": recalled}

    builder = StateGraph(State)
    builder.add_node("remember", remember)
    builder.add_edge(START, "remember")
    builder.add_edge("remember", END)
    graph = builder.compile(store=store)
    assert graph.invoke({"text": "我对花生过敏", "recalled": []})["recalled"] == []
    assert graph.invoke({"text": "花生过敏吗", "recalled": []})["recalled"] == ["我对花生过敏"]

"""A LangGraph store on recalld.

    from recalld import Client
    from recalld.integrations.langgraph import RecalldStore

    store = RecalldStore(Client())
    store.put(("memories", "alice"), "food", {"text": "allergic to peanuts"})
    store.search(("memories", "alice"), query="what can't she eat?")

A namespace of the store is a namespace of recalld below `root`, so that keys and grants bind it; a key without ADMIN
needs its namespaces made beforehand. An item is one memory: its id follows from its key, every `put` over it is a
revision, and Search finds it by the texts of its value. Deleting an item erases it.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any
from uuid import UUID, uuid5

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    get_text_at_path,
    tokenize_path,
    validate_op_namespace,
)

from recalld._sync.client import Client, NamespaceView
from recalld.errors import AlreadyExists, FailedPrecondition, InvalidArgument, NotFound
from recalld.filters import Condition, where
from recalld.integrations._labels import decode, encode
from recalld.types.memories import Memory, MemoryInput

NAMESPACES_PER_SEARCH = 8
MOST_HITS = 100
_IDS = UUID("7d9f3c52-51a8-5d0e-9f5e-2f3a0c1b7e44")
_COMPARE = {"$eq": "__eq__", "$ne": "__ne__", "$gt": "__gt__", "$gte": "__ge__", "$lt": "__lt__", "$lte": "__le__"}


class RecalldStore(BaseStore):
    """Items in recalld's namespaces. Searches see 100 items at most (`limit` + `offset`); listing has no such bound."""

    supports_ttl = True

    def __init__(self, client: Client, *, root: str = "langgraph", fields: Sequence[str] = ("$",)) -> None:
        """Makes no call. `root` is the namespace that holds the store's own; `fields` are the paths of a value that are
        searched, unless `put` says otherwise (`$`: all of it)."""
        self._client = client
        self._root = root
        self._fields = tuple(fields)

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Carries the operations out in order; each is durable before the next begins."""
        return [self._run(op) for op in ops]

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """As `batch`, in a thread."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _run(self, op: Op) -> Result:
        validate_op_namespace(op)
        match op:
            case GetOp():
                return self._get(op)
            case PutOp():
                self._put(op)
                return None
            case SearchOp():
                return self._search(op)
            case ListNamespacesOp():
                return self._list(op)
        raise ValueError(f"unknown operation {type(op).__name__}")

    def _view(self, namespace: tuple[str, ...]) -> NamespaceView:
        return self._client.namespace("/".join([self._root, *map(encode, namespace)]))

    def _get(self, op: GetOp) -> Item | None:
        try:
            memory = self._view(op.namespace).get(_id(op.namespace, op.key))
        except NotFound:
            return None
        return None if memory.state != "active" else Item(**_fields(op.namespace, memory))

    def _put(self, op: PutOp) -> None:
        view, memory_id = self._view(op.namespace), _id(op.namespace, op.key)
        if op.value is None:
            try:
                view.forget(memory_id, mode="erase")
            except NotFound:
                return
            return
        fields = self._fields if op.index is None else tuple(op.index or ())
        metadata = {"key": op.key, "value": op.value, "searched": bool(fields)}
        content = _text(op.value, fields) or op.key
        expire_time = None if op.ttl is None else datetime.now(UTC) + timedelta(minutes=op.ttl)
        # Items are compared by key alone: recalld compares texts among memories of one user_id, so the key is one.
        memory = MemoryInput(
            content, memory_id=memory_id, user_id=_user_id(op.key), metadata=metadata, expire_time=expire_time
        )
        try:
            created = self._write(view, memory).outcome == "created"
        except AlreadyExists:
            created = False
        if created:
            return
        try:
            view.update(memory_id, content=content, metadata=metadata, expire_time=expire_time)
        except FailedPrecondition:
            if self._get(GetOp(op.namespace, op.key)) is not None:
                raise
            # what has expired is gone for the framework, so this is a new item
            view.forget(memory_id, mode="erase")
            self._write(view, memory)

    def _write(self, view: NamespaceView, memory: MemoryInput) -> Any:
        try:
            return view.write(memory)
        except NotFound:
            with suppress(AlreadyExists):  # another agent may be faster
                self._client.namespaces.create(view.name)
            return view.write(memory)

    def _search(self, op: SearchOp) -> list[SearchItem]:
        names = [name for name, _ in self._below(op.namespace_prefix)]
        conditions = [condition for name, value in (op.filter or {}).items() for condition in _conditions(name, value)]
        found: Iterator[tuple[Memory, float | None]]
        if op.query:
            found = self._find(op.query, names, [*conditions, where("searched") == True], op.offset + op.limit)  # noqa: E712
        else:
            found = (
                (memory, None) for name in names for memory in self._client.namespace(name).list(metadata=conditions)
            )
        return [
            SearchItem(**_fields(self._labels(memory.namespace), memory), score=score)
            for memory, score in islice(found, op.offset, op.offset + op.limit)
        ]

    def _find(
        self, query: str, names: Sequence[str], conditions: Sequence[Condition], wanted: int
    ) -> Iterator[tuple[Memory, float | None]]:
        if wanted > MOST_HITS:
            raise InvalidArgument.of("limit", f"limit + offset of a search with a query is at most {MOST_HITS}")
        hits = [
            (hit.memory, hit.score)
            for start in range(0, len(names), NAMESPACES_PER_SEARCH)
            for hit in self._client.search(
                query,
                top_k=max(1, wanted),
                metadata=conditions,
                namespaces=names[start : start + NAMESPACES_PER_SEARCH],
            )
        ]
        yield from sorted(hits, key=lambda each: -each[1])

    def _below(self, prefix: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Names and labels of the namespaces that hold something, at and below a prefix."""
        parent = "/".join([self._root, *map(encode, prefix)])
        for namespace in self._client.namespaces.list(parent=parent):
            if namespace.memory_count:
                yield namespace.name, self._labels(namespace.name)

    def _labels(self, name: str) -> tuple[str, ...]:
        return tuple(decode(label) for label in name[len(self._root) + 1 :].split("/") if label)

    def _list(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        conditions = op.match_conditions or ()
        prefix = next((_literal(each) for each in conditions if each.match_type == "prefix"), ())
        found = {
            labels[: op.max_depth] if op.max_depth else labels
            for _, labels in self._below(prefix)
            if all(_matches(labels, condition) for condition in conditions)
        }
        return sorted(found)[op.offset : op.offset + op.limit]


def _id(namespace: tuple[str, ...], key: str) -> str:
    return str(uuid5(_IDS, json.dumps([*namespace, key])))


def _user_id(key: str) -> str:
    return key if len(key) <= 200 else uuid5(_IDS, key).hex


def _fields(namespace: tuple[str, ...], memory: Memory) -> dict[str, Any]:
    assert memory.create_time is not None
    return {
        "namespace": namespace,
        "key": memory.metadata["key"],
        "value": memory.metadata["value"],
        "created_at": memory.create_time,
        "updated_at": memory.update_time or memory.create_time,
    }


def _text(value: Mapping[str, Any], fields: Sequence[str]) -> str:
    """The texts at these paths, a line each; of a whole value with a single text, that text."""
    if fields == ("$",):
        texts = [each for each in value.values() if isinstance(each, str)]
        if len(texts) == len(value) == 1:
            return texts[0]
        return "\n".join(f"{name}: {each if isinstance(each, str) else _json(each)}" for name, each in value.items())
    return "\n".join(text for path in fields for text in get_text_at_path(value, tokenize_path(path)) if text)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _conditions(name: str, wanted: Any) -> Iterator[Condition]:
    path = where(("value", name))
    if not isinstance(wanted, Mapping) or not any(str(each).startswith("$") for each in wanted):
        yield path == wanted
        return
    for operator, value in wanted.items():
        if operator not in _COMPARE:
            raise ValueError(f"filter {name}: {operator} is unknown; known are {', '.join(_COMPARE)}")
        yield getattr(path, _COMPARE[operator])(value)


def _literal(condition: MatchCondition) -> tuple[str, ...]:
    """The part of a prefix before its first wildcard."""
    path = condition.path
    return tuple(path[: path.index("*")] if "*" in path else path)


def _matches(labels: tuple[str, ...], condition: MatchCondition) -> bool:
    path = condition.path
    if len(path) > len(labels):
        return False
    part = labels[: len(path)] if condition.match_type == "prefix" else labels[len(labels) - len(path) :]
    return all(wanted in ("*", label) for wanted, label in zip(path, part, strict=True))

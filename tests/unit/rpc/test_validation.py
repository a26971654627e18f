from __future__ import annotations

import pytest
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from recalld.v1 import memory_pb2, memory_service_pb2, namespace_service_pb2
from recalld_server.rpc.calls import METHODS, SERVICES, fingerprint
from recalld_server.rpc.status import InvalidRequest
from recalld_server.rpc.validation import check

ID = "01890a5d-ac96-774b-bcce-b302099a8057"
pb = memory_service_pb2


def violations(message: Message) -> dict[str, str]:
    with pytest.raises(InvalidRequest) as caught:
        check(message)
    return dict(caught.value.violations)


@pytest.mark.parametrize("name", ["a", "team", "team/a", "a.b-c_d/0", "0" * 200, "x/y/z"])
def test_names(name: str) -> None:
    check(pb.GetRequest(namespace=name, memory_id=ID))


@pytest.mark.parametrize(
    "name",
    [
        "",
        " ",
        "Team",
        "te%am",
        "_",
        "a_",
        "-a",
        "..",
        "a..b",
        "a/../b",
        "//",
        "a//b",
        "/a",
        "a/",
        "a b",
        "a\n",
        "a\x00",
        "团队",
        "tеam",  # Cyrillic е
        "ｔeam",  # full-width t
        "a" * 201,
        "a*",
        "a'; drop table memories; --",
        "a\u200bb",
    ],
)
def test_names_that_are_none(name: str) -> None:
    assert "namespace" in violations(pb.GetRequest(namespace=name, memory_id=ID))
    assert "namespaces[1]" in violations(pb.SearchRequest(namespaces=["ok", name], query="x"))
    assert "name" in violations(namespace_service_pb2.CreateNamespaceRequest(name=name))


@pytest.mark.parametrize(
    ("message", "field"),
    [
        (pb.SearchRequest(namespaces=["a"], query="x", top_k=0), "top_k"),
        (pb.SearchRequest(namespaces=["a"], query="x", top_k=-1), "top_k"),
        (pb.SearchRequest(namespaces=["a"], query="x", top_k=10_000), "top_k"),
        (pb.SearchRequest(namespaces=["a"], query="x", min_score=float("nan")), "min_score"),
        (pb.SearchRequest(namespaces=["a"], query="x", max_tokens=0), "max_tokens"),
        (pb.SearchRequest(namespaces=["a"], query="茶" * 11_000), "query"),
        (pb.SearchRequest(namespaces=["a"], query=""), "query"),
        (pb.SearchRequest(query="x"), "namespaces"),
        (pb.SearchRequest(namespaces=list("abcdefghi"), query="x"), "namespaces"),
        (pb.SearchRequest(namespaces=["a", "a"], query="x"), "namespaces"),
        (pb.SearchRequest(namespaces=["a"], query="x", time_mode=9), "time_mode"),  # type: ignore[arg-type]
        (pb.SearchRequest(namespaces=["a"], query="x", filter=memory_pb2.Filter(kinds=[0])), "filter.kinds[0]"),  # type: ignore[list-item]
        (pb.SearchRequest(namespaces=["a"], query="x", filter=memory_pb2.Filter(states=[1, 77])), "filter.states[1]"),  # type: ignore[list-item]
        (pb.SearchRequest(namespaces=["a"], query="x", filter=memory_pb2.Filter(any_tags=[""])), "filter.any_tags[0]"),
        (
            pb.SearchRequest(namespaces=["a"], query="x", filter=memory_pb2.Filter(user_ids=["a\x00"])),
            "filter.user_ids[0]",
        ),
        (
            pb.SearchRequest(
                namespaces=["a"],
                query="x",
                filter=memory_pb2.Filter(metadata=[memory_pb2.MetadataCondition(path=["a"])]),
            ),
            "filter.metadata[0].operator",
        ),
        (
            pb.SearchRequest(
                namespaces=["a"],
                query="x",
                filter=memory_pb2.Filter(metadata=[memory_pb2.MetadataCondition(path=["a"], operator=1)]),  # type: ignore[arg-type]
            ),
            "filter.metadata[0].value",
        ),
        (
            pb.SearchRequest(
                namespaces=["a"],
                query="x",
                filter=memory_pb2.Filter(metadata=[memory_pb2.MetadataCondition(path=["a", "b\x01"], operator=8)]),  # type: ignore[arg-type]
            ),
            "filter.metadata[0].path[1]",
        ),
        (pb.GetRequest(namespace="a", memory_id="7"), "memory_id"),
        (pb.GetRequest(namespace="a", memory_id=""), "memory_id"),
        (pb.GetRequest(namespace="a", memory_id=f"{{{ID}}}"), "memory_id"),
        (pb.ListRequest(namespace="a", page_size=0), "page_size"),
        (pb.ListRequest(namespace="a", page_size=1001), "page_size"),
        (pb.ListRequest(namespace="a", page_token="t" * 1001), "page_token"),
        (pb.ListRequest(namespace="a", page_token="t\x00"), "page_token"),
        (pb.WriteRequest(namespace="a"), "memory"),
        (pb.WriteRequest(namespace="a", memory=memory_pb2.MemoryInput()), "memory.content"),
        (pb.WriteRequest(namespace="a", memory=memory_pb2.MemoryInput(content="x", kind=5)), "memory.kind"),  # type: ignore[arg-type]
        (pb.WriteRequest(namespace="a", memory=memory_pb2.MemoryInput(content="x", kind=-1)), "memory.kind"),  # type: ignore[arg-type]
        (pb.WriteRequest(namespace="a", memory=memory_pb2.MemoryInput(content="x", memory_id="q")), "memory.memory_id"),
        (
            pb.WriteRequest(namespace="a", memory=memory_pb2.MemoryInput(content="x", importance=1.01)),
            "memory.importance",
        ),
        (
            pb.WriteRequest(namespace="a", memory=memory_pb2.MemoryInput(content="x", ttl_seconds=-1)),
            "memory.ttl_seconds",
        ),
        (pb.WriteRequest(namespace="a", memory=memory_pb2.MemoryInput(content="x", tags=["a\x1b"])), "memory.tags[0]"),
        (
            pb.WriteRequest(namespace="a", memory=memory_pb2.MemoryInput(content="x", tool_calls=[{"tool": "a\x00"}])),  # type: ignore[list-item]
            "memory.tool_calls[0].tool",
        ),
        (pb.WriteRequest(namespace="a", request_id="r" * 101), "request_id"),
        (pb.BatchWriteRequest(namespace="a"), "memories"),
        (pb.BatchWriteRequest(namespace="a", memories=[memory_pb2.MemoryInput()] * 501), "memories"),
        (pb.UpdateRequest(namespace="a", memory_id=ID), "update_mask"),
        (pb.ForgetRequest(namespace="a"), "memory_ids"),
        (pb.ForgetRequest(namespace="a", memory_ids=[ID], filter=memory_pb2.Filter()), "memory_ids"),
        (pb.ForgetRequest(namespace="a", memory_ids=[ID, "x"]), "memory_ids[1]"),
        (pb.ForgetRequest(namespace="a", filter=memory_pb2.Filter(any_tags=["t"]), etag="e"), "etag"),
        (pb.StatsRequest(namespace="%"), "namespace"),
        (namespace_service_pb2.CreateKeyRequest(agent_id="a b", roles=[1]), "agent_id"),  # type: ignore[list-item]
        (namespace_service_pb2.CreateKeyRequest(agent_id="a", roles=[]), "roles"),
        (namespace_service_pb2.CreateKeyRequest(agent_id="a", roles=[0]), "roles[0]"),  # type: ignore[list-item]
        (namespace_service_pb2.CreateKeyRequest(agent_id="a", roles=[9]), "roles[0]"),  # type: ignore[list-item]
        (namespace_service_pb2.CreateNamespaceRequest(name="a", policy={"half_life_days": 0}), "policy.half_life_days"),  # type: ignore[arg-type]
    ],
)
def test_bad_fields_are_named_by_their_path(message: Message, field: str) -> None:
    assert field in violations(message)


def test_one_expiry_is_enough() -> None:
    memory = memory_pb2.MemoryInput(content="x", ttl_seconds=5)
    memory.expire_time.seconds = 5
    assert "memory.ttl_seconds" in violations(pb.WriteRequest(namespace="a", memory=memory))


def test_all_broken_rules_are_told_at_once() -> None:
    assert {"namespaces[0]", "query", "top_k"} <= set(violations(pb.SearchRequest(namespaces=["A"], query="", top_k=0)))


def test_descriptions_say_what_would_be_right() -> None:
    assert "lower-case" in violations(pb.GetRequest(namespace="A", memory_id=ID))["namespace"]
    assert "100" in violations(pb.SearchRequest(namespaces=["a"], query="x", top_k=0))["top_k"]
    assert "U+0007" in violations(pb.ListRequest(namespace="a", page_token="\x07"))["page_token"]


def test_items_of_a_batch_are_left_to_themselves() -> None:
    check(pb.BatchWriteRequest(namespace="a", memories=[memory_pb2.MemoryInput()]))


def test_texts_for_reading_may_hold_what_is_cleaned() -> None:
    memory = memory_pb2.MemoryInput(content="茶\x00", counterfactual="\x01")
    memory.tool_calls.add(tool="t", arguments="\x02", error="\x03")
    check(pb.WriteRequest(namespace="a", memory=memory))
    check(pb.SearchRequest(namespaces=["a"], query="tea\x00"))
    check(pb.ForgetRequest(namespace="a", memory_ids=[ID], reason="\x04"))


def test_identifiers_may_hold_any_script() -> None:
    memory = memory_pb2.MemoryInput(content="x", tags=["食物", "café", "a b"], user_id="用户-1", speaker="Мария")
    check(pb.WriteRequest(namespace="a", memory=memory))


def test_each_request_belongs_to_one_method() -> None:
    assert len(METHODS) == sum(len(service.methods) for service in SERVICES)


@pytest.mark.parametrize(
    "method", [each for service in SERVICES for each in service.methods], ids=lambda each: each.name
)
def test_an_empty_request_is_fine_or_tells_which_fields_are_needed(method: MethodDescriptor) -> None:
    try:
        check(GetMessageClass(method.input_type)())
    except InvalidRequest as error:
        nameless = [description for path, description in error.violations if not path]
    else:
        nameless = []
    assert nameless == []


def test_a_retry_has_the_same_fingerprint_and_another_body_another() -> None:
    def request(request_id: str = "r", content: str = "茶", **metadata: int | str) -> pb.WriteRequest:
        message = pb.WriteRequest(namespace="a", request_id=request_id, memory=memory_pb2.MemoryInput(content=content))
        message.memory.metadata.update(metadata)
        return message

    first = fingerprint(request())
    assert len(first) == 32
    assert fingerprint(request(request_id="s")) == first
    assert fingerprint(request(content="tea")) != first
    assert fingerprint(request(a=1)) != first
    assert fingerprint(request(a=1, b=2, c="x")) == fingerprint(request(c="x", b=2, a=1))
    assert request().request_id == "r"


def test_an_item_of_a_stream_may_be_numbered_anew() -> None:
    memory = memory_pb2.MemoryInput(content="x")
    first = pb.StreamWriteRequest(namespace="a", memory=memory, sequence=1, request_id="r")
    again = pb.StreamWriteRequest(namespace="a", memory=memory, sequence=9, request_id="r")
    assert fingerprint(first) == fingerprint(again)

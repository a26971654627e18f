"""Memories: how a call is passed on."""

from __future__ import annotations

from google.protobuf.field_mask_pb2 import FieldMask
from tests.rpc.doubles import (
    ID,
    MEMORY,
    NOW,
)
from tests.rpc.passing.case import CALL, OTHER, Case

from recalld.v1 import memory_pb2
from recalld.v1 import memory_service_pb2 as pb
from recalld_server.core.types import (
    ForgetOrder,
    Forgotten,
    Precondition,
    Receipt,
    WriteOptions,
)
from recalld_server.model import (
    Draft,
    Durability,
    Filter,
    ForgetMode,
    IndexState,
    Outcome,
    Page,
    Related,
    State,
    WriteResult,
)
from recalld_server.rpc import convert
from recalld_server.rpc.convert.values import to_timestamp

CASES = [
    Case(
        "Write",
        pb.WriteRequest(namespace="team", memory={"content": "喝茶不加糖"}, durability=2, validate_only=True),  # type: ignore[arg-type]
        "writes.write",
        ("team", Draft("喝茶不加糖"), WriteOptions(Durability.ACCEPTED, True, CALL)),
        {},
        WriteResult(
            Outcome.CONFLICT, ID, (Related(OTHER, 0.9),), "unsure", 0.5, 0.25, OTHER, IndexState.PENDING, 2, '"2-a"'
        ),
        pb.WriteResponse(
            result=pb.WriteResult(
                outcome=pb.WRITE_OUTCOME_CONFLICT,
                memory_id=str(ID),
                related=[pb.RelatedMemory(memory_id=str(OTHER), similarity=0.9)],
                reason="unsure",
                importance=0.5,
                importance_threshold=0.25,
                review_id=str(OTHER),
                index_state=memory_pb2.INDEX_STATE_PENDING,
                revision=2,
                etag='"2-a"',
            )
        ),
    ),
    Case(
        "BatchWrite",
        pb.BatchWriteRequest(namespace="team", memories=[{"content": "一"}, {"content": "two"}]),  # type: ignore[list-item]
        "writes.write_batch",
        ("team", [Draft("一"), Draft("two")], WriteOptions(call=CALL)),
        {},
        [WriteResult(Outcome.CREATED, ID), WriteResult(Outcome.BELOW_THRESHOLD, None)],
        pb.BatchWriteResponse(
            items=[
                {"result": {"outcome": 1, "memory_id": str(ID), "index_state": 2}},  # type: ignore[list-item]
                {"result": {"outcome": 5, "index_state": 2}},  # type: ignore[list-item]
            ]
        ),
    ),
    Case(
        "Get",
        pb.GetRequest(namespace="team", memory_id=str(ID), as_of=to_timestamp(NOW)),
        "memories.get",
        ("team", ID, NOW),
        {},
        MEMORY,
        pb.GetResponse(memory=convert.memory(MEMORY)),
    ),
    Case(
        "List",
        pb.ListRequest(namespace="team", filter={"states": [4]}, page_size=3, page_token="t"),  # type: ignore[arg-type]
        "memories.list",
        ("team", Filter(states=(State.ARCHIVED,))),
        {"page_size": 3, "page_token": "t", "as_of": None},
        Page((MEMORY,), "next"),
        pb.ListResponse(memories=[convert.memory(MEMORY)], next_page_token="next"),
    ),
    Case(
        "Update",
        pb.UpdateRequest(
            namespace="team",
            memory_id=str(ID),
            memory=pb.MemoryUpdate(content="红茶"),
            update_mask=FieldMask(paths=["content", "metadata.k"]),
            etag='"1-a"',
            expected_revision=4,
            reason="改\x00",
        ),
        "memories.update",
        ("team", ID, {"content": "红茶", "metadata_keys": {"k": ...}}),
        {"precondition": Precondition('"1-a"', 4), "reason": "改", "call": CALL},
        MEMORY,
        pb.UpdateResponse(memory=convert.memory(MEMORY)),
    ),
    Case(
        "ListRevisions",
        pb.ListRevisionsRequest(namespace="team", memory_id=str(ID)),
        "memories.revisions",
        ("team", ID),
        {"page_size": 50, "page_token": ""},
        Page(()),
        pb.ListRevisionsResponse(),
    ),
    Case(
        "Restore",
        pb.RestoreRequest(namespace="team", memory_id=str(ID), revision=2, expected_revision=3, reason="back"),
        "memories.restore",
        ("team", ID),
        {"revision": 2, "precondition": Precondition("", 3), "reason": "back", "call": CALL},
        MEMORY,
        pb.RestoreResponse(memory=convert.memory(MEMORY)),
    ),
    Case(
        "Forget",
        pb.ForgetRequest(namespace="team", filter={"any_tags": ["旧"]}, mode=3, dry_run=True, digest="d", reason="r"),  # type: ignore[arg-type]
        "forgets.forget",
        ("team", ForgetOrder((), Filter(any_tags=("旧",)), ForgetMode.ERASE, True, "d", Precondition(), "r"), CALL),
        {},
        Forgotten(2, (ID,), "d", (OTHER,), Receipt(OTHER, NOW, (("memories", 2),))),
        pb.ForgetResponse(
            count=2,
            memory_ids=[str(ID)],
            digest="d",
            skipped_ids=[str(OTHER)],
            receipt=pb.ErasureReceipt(receipt_id=str(OTHER), create_time=to_timestamp(NOW), counts={"memories": 2}),
        ),
    ),
]

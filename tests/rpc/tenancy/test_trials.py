"""`validate_only` of ids that writers choose: a trial tells what the write would, and no more than it."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import grpc
import pytest
from tests.rpc.tenancy.worlds import Metadata, World

from recalld.v1 import memory_pb2
from recalld.v1 import memory_service_pb2 as pb
from recalld_server.model import Role

TEXTS = [
    ("The heron nests by the pond.", "Omar plays the cello on Sundays."),
    ("苍鹭在池塘边筑巢。", "奥马尔周日拉大提琴。"),
]

KNOWN = "A wren sings. 鹪鹩唱歌。"
REFUSED, CREATED = pb.WRITE_OUTCOME_UNSPECIFIED, pb.WRITE_OUTCOME_CREATED
DUPLICATE = pb.WRITE_OUTCOME_DUPLICATE


def hidden(content: str, **given: Any) -> pb.WriteRequest:
    memory = memory_pb2.MemoryInput(content=content, visibility=memory_pb2.VISIBILITY_PRIVATE)
    return pb.WriteRequest(namespace="home", memory=memory, **given)


def batch(*items: tuple[str, str], trial: bool) -> pb.BatchWriteRequest:
    """Texts with their ids."""
    memories = [memory_pb2.MemoryInput(content=content, memory_id=memory_id) for content, memory_id in items]
    return pb.BatchWriteRequest(namespace="home", memories=memories, validate_only=trial)


async def told(there: World, who: Metadata, *items: tuple[str, str], trial: bool) -> list[Any]:
    """What is answered for each item: its outcome and the memories that it names, or its error."""
    answer = await there.call("BatchWrite", batch(*items, trial=trial), who)
    return [
        (each.result.outcome, [related.memory_id for related in each.result.related], each.error.message)
        for each in answer.items
    ]


@pytest.mark.parametrize(("first", "second"), TEXTS)
async def test_an_id_of_a_memory_out_of_sight_is_refused_as_the_write_refuses_it(
    there: World, first: str, second: str
) -> None:
    ann, ben = await there.key("acme", "ann", Role.WRITER), await there.key("acme", "ben", Role.WRITER)
    kept = (await there.call("Write", hidden(first), ann)).result.memory_id
    before = await there.rows()
    for content in (first, second):
        memory = memory_pb2.MemoryInput(content=content, memory_id=kept)
        trial, real = (pb.WriteRequest(namespace="home", memory=memory, validate_only=only) for only in (True, False))
        refused = await there.refused("Write", trial, ben)
        assert refused.code is grpc.StatusCode.ALREADY_EXISTS
        assert refused == await there.refused("Write", real, ben)
    assert await there.rows() == before


@pytest.mark.parametrize(("first", "second"), TEXTS)
async def test_each_item_of_a_batch_is_told_in_a_trial_what_it_is_told_in_earnest(
    there: World, first: str, second: str
) -> None:
    """The refused one is not there for those after it; a text that is known already has no need of its id."""
    ann, ben = await there.key("acme", "ann", Role.WRITER), await there.key("acme", "ben", Role.WRITER)
    kept = (await there.call("Write", hidden(first), ann)).result.memory_id
    known = await there.write(ben, "home", KNOWN)
    for items, outcomes in (
        ([(second, kept), (second, str(uuid4())), (first, str(uuid4()))], [REFUSED, CREATED, CREATED]),
        ([(KNOWN, kept), (f"{KNOWN} …", kept)], [DUPLICATE, REFUSED]),
    ):
        trial = await told(there, ben, *items, trial=True)
        assert trial == await told(there, ben, *items, trial=False)
        assert [outcome for outcome, _, _ in trial] == outcomes
    assert trial[0][1] == [known]


@pytest.mark.parametrize(("first", "second"), TEXTS)
async def test_an_id_says_nothing_of_other_namespaces_and_tenants(there: World, first: str, second: str) -> None:
    ann, bea = await there.key("acme", "ann", Role.WRITER), await there.key("beta", "bea", Role.WRITER)
    kept = (await there.call("Write", hidden(first), ann)).result.memory_id
    for who, namespace in ((ann, "orion"), (bea, "home")):
        memory = memory_pb2.MemoryInput(content=second, memory_id=kept)
        trial = pb.WriteRequest(namespace=namespace, memory=memory, validate_only=True)
        assert (await there.call("Write", trial, who)).result.outcome == CREATED

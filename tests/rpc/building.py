"""Requests as the tests of the calls make them."""

from __future__ import annotations

from typing import Any

from recalld.v1 import memory_pb2
from recalld.v1 import memory_service_pb2 as pb
from recalld.v1 import session_service_pb2 as se

ABSENT = "01890a5d-ac96-774b-bcce-b302099a8057"


TEAM = "team/tea"


def write(content: str, namespace: str = TEAM, **fields: Any) -> pb.WriteRequest:
    return pb.WriteRequest(namespace=namespace, memory=memory_pb2.MemoryInput(content=content, **fields))


def reflect(**scope: Any) -> pb.ReflectRequest:
    return pb.ReflectRequest(namespace=TEAM, scope=pb.ReflectionScope(**scope))


def turns(session_id: str, *contents: str, namespace: str = TEAM) -> se.AppendTurnsRequest:
    told = [se.Turn(role=se.TURN_ROLE_USER, content=content) for content in contents]
    return se.AppendTurnsRequest(namespace=namespace, session_id=session_id, turns=told)

"""Which role may call what: the table in core/policy.py, the page that shows it, and what the server does."""

from __future__ import annotations

from pathlib import Path

import grpc
import pytest
from google.protobuf.descriptor import MethodDescriptor
from tests.rpc.calling import METHODS, Failure, call, told
from tests.rpc.tenancy.asking import ask
from tests.rpc.tenancy.test_matrix import SERVED, random_ids
from tests.rpc.tenancy.worlds import Metadata, World, world

from recalld_server.core.policy import ALLOWED, LEAST, RPCS
from recalld_server.model import Role

PAGE = Path(__file__).parents[3] / "docs" / "tenancy.md"
IDS = random_ids(
    dict.fromkeys(["memory_id", "chosen_id", "search_id", "grant_id", "review_id", "reflection_id", "key_id"], "")
)


def test_every_call_is_in_the_table_and_no_other() -> None:
    assert RPCS.keys() == METHODS.keys()
    assert RPCS.keys() >= {"Search", "Watch", "ResolveReview"}


def test_the_page_shows_the_table() -> None:
    shown = {}
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 5 and cells[0].strip("`") in METHODS:
            roles = zip((Role.READER, Role.WRITER, Role.REFLECTOR, Role.ADMIN), cells[1:], strict=True)
            shown[cells[0].strip("`")] = {role for role, cell in roles if cell == "yes"}
    assert shown == {name: set(ALLOWED[action]) for name, action in RPCS.items()}


async def denied(there: World, method: MethodDescriptor, namespace: str, who: Metadata) -> str:
    """The role that the caller is told to need; empty when it is not for want of a role that the call ends."""
    try:
        # a watch goes on until its caller has enough
        answer = await call(
            there.channel, method, ask(method, namespace, IDS), who, timeout=0.5 if method.name == "Watch" else 20
        )
    except grpc.aio.AioRpcError as error:
        failed = told(error)
        return failed.metadata["role"] if failed.code is grpc.StatusCode.PERMISSION_DENIED else ""
    for each in answer if isinstance(answer, list) else ():
        if method.name == "StreamWrite" and each.item.HasField("error"):
            return str(Failure.of(each.item.error).metadata.get("role", ""))
        if method.name == "Import" and "role" in each.error:
            return str(each.error).partition("the role ")[2].partition(":")[0]
    return ""


@pytest.mark.parametrize("role", list(Role), ids=lambda role: role.name)
async def test_a_role_may_call_what_the_table_says(database: str, role: Role) -> None:
    async with world(database) as there:
        places = {method.name: f"place/{method.name.lower()}" for method in SERVED}
        await there.tenant("acme", *places.values())
        holder = await there.key("acme", "ada", role)
        for method in SERVED:
            action = RPCS[method.name]
            expected = "" if role in ALLOWED[action] else LEAST[action].name
            namespace = places[method.name] if method.name != "CreateNamespace" else "place/fresh"
            assert await denied(there, method, namespace, holder) == expected, method.name

"""Both front ends: the same verbs with the same signatures, and a verb for every RPC."""

import ast
import inspect
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import recalld
from recalld import AsyncClient, Client, MemoryInput, Policy, errors
from recalld.types.namespaces import ExportRecord

from .conftest import KEY, METHODS, Double, done, each

ID = "0197b2a0-0000-7000-8000-000000000001"
GENERATOR = Path(recalld.__file__).parents[1] / "generate_sync.py"


def test_the_blocking_front_end_is_current() -> None:
    subprocess.run([sys.executable, str(GENERATOR), "--check"], check=True)


def public(kind: type) -> dict[str, list[tuple[str, Any]]]:
    return {
        name: [(parameter.name, parameter.default) for parameter in inspect.signature(member).parameters.values()]
        for name, member in inspect.getmembers(kind, inspect.isfunction)
        if not name.startswith("_")
    }


def test_both_have_the_same_verbs() -> None:
    verbs = public(Client)
    assert verbs == public(AsyncClient)
    assert {"write", "search", "context", "forget", "watch", "import_"} <= verbs.keys()
    assert verbs["search"][-1][0] == "where"


async def test_there_is_a_verb_for_every_rpc(client: Any, double: Double) -> None:
    from recalld.v1 import memory_service_pb2 as ms
    from recalld.v1 import namespace_service_pb2 as ns

    async def reflecting(call: Any, context: Any) -> Any:
        return ms.ReflectResponse(reflection=ms.Reflection(reflection_id=ID))

    async def finished(call: Any, context: Any) -> Any:
        yield ms.WatchReflectionResponse(reflection=ms.Reflection(state=ms.REFLECTION_STATE_SUCCEEDED))

    async def new_key(call: Any, context: Any) -> Any:
        return ns.CreateKeyResponse(key=ns.Key(key_id="k"), secret="rk_k_s")

    async def exported(call: Any, context: Any) -> Any:
        yield ns.ExportResponse(record=ns.ExportRecord(version=1))

    async def event(call: Any, context: Any) -> Any:
        from recalld.v1 import watch_service_pb2 as ws

        yield ws.WatchResponse(type=ws.WATCH_EVENT_TYPE_CREATED, memory_id=ID, resume_token="t")

    for name, handler in {
        "Reflect": reflecting,
        "WatchReflection": finished,
        "CreateKey": new_key,
        "Export": exported,
        "Watch": event,
    }.items():
        double.on(name, handler)

    await done(client.write("Alice is allergic to peanuts.", kind="semantic", metadata={"rank": 1}))
    await done(client.write_batch(["one", MemoryInput("二", tags=["a"])]))
    assert len(await each(client.write_stream(["one", "二"]))) == 2
    await done(client.search("what can't Alice eat?"))
    await done(client.context("爱丽丝不能吃什么？"))
    await done(client.get(ID))
    await each(client.list())
    await done(client.update(ID, content="new"))
    await each(client.revisions(ID))
    await done(client.restore(ID))
    await done(client.forget(ID))
    plan = await done(client.plan_forget(any_tags="old"))
    await done(plan.confirm())
    handle = await done(client.reflect())
    await done(handle.wait())
    await done(handle.get())
    await done(handle.cancel())
    await done(client.stats())
    await done(client.mark_used(ID, [ID]))
    session = client.session("s1")
    await done(session.add("hello"))
    await done(session.get())
    await done(session.set_variables({"a": None}))
    await done(session.end())
    await each(client.sessions())
    await done(client.namespaces.create("team", policy=Policy(importance_threshold=0.5)))
    await done(client.namespaces.get("team"))
    await each(client.namespaces.list(parent="team"))
    await done(client.namespaces.update("team", description="x"))
    await done(client.namespaces.delete("team", confirm="team"))
    await done(client.grants.create("team", "reader", agent_id="a"))
    await each(client.grants.list("team"))
    await done(client.grants.revoke("team", ID))
    assert (await done(client.keys.create("agent", ["writer"]))).secret == "rk_k_s"
    await each(client.keys.list())
    await done(client.keys.revoke("k"))
    records = await each(client.export())
    assert isinstance(records[0], ExportRecord)
    await each(client.import_(records))
    await each(client.audit_events())
    await each(client.reviews())
    await done(client.resolve_review(ID, "approve"))
    watch = client.watch()
    if isinstance(client, Client):
        assert next(iter(watch)).memory_id == ID
    else:
        assert (await anext(aiter(watch))).memory_id == ID

    assert {call.method for call in double.calls} == {method.name for method in METHODS.values()}
    assert all(call.metadata["authorization"] == f"Bearer {KEY}" for call in double.calls)


async def test_every_mutation_has_a_name_of_its_own(client: Any, double: Double) -> None:
    for _ in range(2):
        await done(client.write("x"))
    await done(client.write("x", request_id="mine"))
    names = [call.request.request_id for call in double.of("Write")]
    assert names[2] == "mine"
    assert len(set(names)) == 3
    assert all(names)


async def test_a_whole_input_is_given_alone(client: Any, double: Double) -> None:
    await done(client.write(MemoryInput("花生", tags=["food"]), durability="accepted"))
    assert list(double.of("Write")[0].request.memory.tags) == ["food"]
    with pytest.raises(TypeError, match="alone"):
        await done(client.write(MemoryInput("花生"), tags=["food"]))
    with pytest.raises(errors.InvalidArgument):
        await done(client.write(None))
    assert len(double.of("Write")) == 1


async def test_views_are_bound_to_their_namespace(client: Any, double: Double) -> None:
    team = client.namespace("team/a")
    await done(team.write("x"))
    await done(team.search("x"))
    await done(client.search("x", namespaces=["team", "default"]))
    await done(client.stats())
    await done(client.stats(all_namespaces=True))
    assert double.of("Write")[0].request.namespace == "team/a"
    assert [list(call.request.namespaces) for call in double.of("Search")] == [["team/a"], ["team", "default"]]
    assert [call.request.namespace for call in double.of("Stats")] == ["default", ""]


def test_only_the_declared_dependencies_are_imported() -> None:
    package = Path(recalld.__file__).parent
    used = set()
    for path in package.rglob("*.py"):
        if {"cli", "integrations"} & set(path.relative_to(package).parts):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            used |= {name.split(".")[0] for name in names}
    assert used - sys.stdlib_module_names == {"grpc", "google", "recalld", "opentelemetry"}
    assert "pickle" not in used

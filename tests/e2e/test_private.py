"""Nothing that anybody said, asked for or is called is in a span, a line of the log or a figure: whatever the call, and however it
ends. The other half of `test_traces`, for everything that is not a write or a search."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from tests.e2e.conftest import FAST
from tests.e2e.watched import SERVICE, SOON, World

from recalld import Client, MemoryInput, Policy, errors, where
from recalld.v1 import memory_service_pb2 as pb
from recalld_server.demo import process
from recalld_server.demo.receiver import receiving

MARKS = ("mark7c2d", "标记丙丁")
SAID = " ".join(MARKS)
LOOKED_BACK = 30.0


@pytest.fixture(scope="module")
def talkative(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """A server that is watched, and that logs all it can."""
    with receiving() as receiver:
        port = process.free_port()
        environment = FAST | SOON | {"RECALLD_LOG_FORMAT": "json", "RECALLD_LOG_LEVEL": "debug"}
        environment |= {"RECALLD_OTLP_ENDPOINT": receiver.endpoint, "RECALLD_METRICS_LISTEN": str(port)}
        with process.serving(tmp_path_factory.mktemp("talkative"), environment) as running:
            yield World(running, receiver, port)


def calls(client: Client, root: Client) -> list[Callable[[], object]]:
    """Every kind of call, with the marks wherever something may be said."""
    session = client.session(f"s-{MARKS[0]}", user_id=f"user-{MARKS[0]}")
    kept = client.write(f"{SAID} is kept 留下", user_id=f"user-{MARKS[0]}", entities=[MARKS[1]])
    return [
        lambda: session.add(f"from now on {SAID} 以后都", speaker=MARKS[0]),
        lambda: session.set_variables({MARKS[0]: SAID}),
        lambda: session.get(),
        lambda: session.end(),
        lambda: client.write_batch([SAID, MemoryInput(f"{SAID} twice", tags=[MARKS[1]])]),
        lambda: list(client.write_stream([f"{SAID} streamed", ""])),
        lambda: client.update(kept.memory_id, content=f"{SAID} is changed", reason=SAID),
        lambda: client.update(kept.memory_id, content="x", etag=MARKS[0]),
        lambda: list(client.revisions(kept.memory_id)),
        lambda: client.context(SAID, session_id=f"s-{MARKS[0]}"),
        lambda: client.search(SAID, any_tags=[MARKS[1]], metadata=where(MARKS[0]) == SAID),
        lambda: client.search(SAID, user_ids=[SAID], explain=True),
        lambda: list(client.list(user_ids=[f"user-{MARKS[0]}"])),
        lambda: client.reflect(session_id=f"s-{MARKS[0]}").wait(timeout=LOOKED_BACK),
        lambda: client.reflect(any_tags=[MARKS[1]], dry_run=True).wait(timeout=LOOKED_BACK),
        lambda: client.plan_forget(user_ids=[f"user-{MARKS[0]}"]).confirm(),
        lambda: list(client.export()),
        lambda: client.get(f"no id {SAID}"),
        lambda: client.mark_used(MARKS[0], [MARKS[1]]),
        lambda: client.namespace(MARKS[0]).search(SAID),
        lambda: client.namespace(f"not a name {SAID}").write(SAID),
        lambda: client.write(SAID, request_id=MARKS[0]),
        lambda: client.write(f"{SAID} other", request_id=MARKS[0]),
        lambda: root.namespaces.create(f"private/{MARKS[0]}", description=SAID),
        lambda: root.namespaces.update(f"private/{MARKS[0]}", policy=Policy(reflection_schedule=SAID)),
        lambda: root.keys.create(f"agent-{MARKS[0]}", "reader", description=SAID),
        lambda: root.grants.create(f"private/{MARKS[0]}", "reader", agent_id=f"agent-{MARKS[0]}"),
        lambda: list(root.audit_events(agent_id=MARKS[0])),
        lambda: Client(client.addr, key=f"rk_{'0' * 16}_{MARKS[0]}").stats(),
        lambda: client.forget(kept.memory_id, mode="erase", reason=SAID),
    ]


def test_whatever_the_call_and_however_it_ends(talkative: World) -> None:
    world = talkative
    made = 0
    with world.client("private") as root:
        key = root.keys.create(f"writer-{MARKS[0]}", "writer").secret
        with Client(world.running.address, key=key, namespace="private") as client:
            for call in calls(client, root):
                with suppress(errors.RecalldError):
                    call()
                    made += 1
    assert made > 18
    world.traced("Stats", pb.StatsRequest(namespace="private"), 0xF1)
    world.receiver.wait_for(f"{SERVICE}/Stats", f"{0xF1:032x}")
    log = (world.running.data_dir / "demo-server.log").read_text()
    postgres = "\n".join(path.read_text(errors="replace") for path in Path(world.running.data_dir).glob("*.log"))
    for seen in (str(world.receiver.spans), log, postgres, world.figures()):
        for mark in (*MARKS, key):
            at = seen.find(mark)
            assert at < 0, seen[max(0, at - 300) : at + 100]


def test_the_key_is_shown_on_a_console_only(talkative: World) -> None:
    log = (talkative.running.data_dir / "demo-server.log").read_text()
    assert talkative.running.root_key not in log

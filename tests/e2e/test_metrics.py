"""What a server exports while it is used, for Prometheus and over OTLP; and that nobody's name makes a series of its own."""

from __future__ import annotations

import re
import time

import pytest
from tests.e2e.watched import World

import recalld
from recalld import errors


def value(figures: str, name: str, **labels: str) -> float:
    """The sum of the series of a figure that have these labels."""
    found = 0.0
    for line in figures.splitlines():
        match = re.fullmatch(rf"{name}(?:\{{(.*)\}})? (\S+)", line)
        if match and all(f'{label}="{wanted}"' in (match[1] or "") for label, wanted in labels.items()):
            found += float(match[2])
    return found


def use(world: World, namespace: str, person: str) -> None:
    """Writes, a duplicate, a search whose hit was of use, and a failure."""
    with world.client(namespace) as client:
        key = client.keys.create(f"agent-{person}", "writer", namespaces=[namespace]).secret
        with recalld.Client(world.running.address, key=key, namespace=namespace) as agent:
            agent.write(f"{person} drinks oolong 乌龙茶", user_id=person, tags=[person])
            agent.write(f"{person} drinks oolong 乌龙茶", user_id=person, tags=[person])
            found = agent.search("乌龙茶 oolong", user_ids=[person])
            agent.mark_used(found.search_id, [found[0].memory_id])
            with pytest.raises(errors.NotFound):
                agent.search("tea", namespaces=f"{namespace}/not-there")


def test_calls_outcomes_hits_and_use_are_counted(world: World) -> None:
    before = world.figures()
    use(world, "metrics/counted", "ann")
    after = world.figures()

    def grown(name: str, **labels: str) -> float:
        return value(after, name, **labels) - value(before, name, **labels)

    calls, search = "rpc_server_call_duration_seconds_count", "recalld.v1.MemoryService/Search"
    assert grown(calls, rpc_method=search, rpc_response_status_code="OK") == 1
    assert grown(calls, rpc_method=search, rpc_response_status_code="NOT_FOUND") == 1
    assert grown("recalld_write_outcomes_total", outcome="CREATED") == 1
    assert grown("recalld_write_outcomes_total", outcome="DUPLICATE") == 1
    assert grown("recalld_searches_total") == 1
    assert grown("recalld_hits_used_total") == 1
    assert grown("recalld_search_candidates_count", arm="lexical") == 1
    assert grown("recalld_stage_duration_seconds_count", operation="write", stage="embed") == 2
    assert grown("gen_ai_client_operation_duration_seconds_count", gen_ai_operation_name="embeddings") >= 2
    assert grown("db_client_connection_wait_time_seconds_count") > 0


def test_memories_queues_and_dependencies_are_observed(world: World) -> None:
    use(world, "metrics/observed", "observed")
    until = time.monotonic() + 60
    while not value(world.figures(), "recalld_memories", kind="semantic", state="active"):
        assert time.monotonic() < until
    figures = world.figures()
    for line in ('recalld_queue_depth{queue="index"}', 'recalld_breaker_open{dependency="database"} 0.0'):
        assert line in figures
    assert value(figures, "db_client_connection_max") == 10


def test_nobody_makes_a_series_of_his_own(world: World) -> None:
    use(world, "metrics/first", "first")
    figures = world.figures()
    series = {line.rpartition(" ")[0] for line in figures.splitlines() if not line.startswith("#")}
    for number in range(8):
        use(world, f"metrics/space-{number}", f"person-{number}")
    more = {line.rpartition(" ")[0] for line in world.figures().splitlines() if not line.startswith("#")}
    # chores and gauges may come in meanwhile, with names of ours
    assert not [line for line in more - series if "person" in line or "space" in line]
    assert len({line for line in more - series if not line.startswith(("recalld_chores", "recalld_memories"))}) <= 40


def test_figures_are_sent_over_otlp_too(world: World) -> None:
    use(world, "metrics/sent", "sent")
    world.receiver.wait_for_figure("rpc.server.call.duration")
    world.receiver.wait_for_figure("recalld.write.outcomes")

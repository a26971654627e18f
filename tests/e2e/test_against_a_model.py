"""Random lives of a namespace, shared by two agents, compared step by step with what the documented rules say."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings
from hypothesis.stateful import (
    run_state_machine_as_test,
)
from tests.e2e.life import Namespace

from recalld import Client

NIGHTLY = os.environ.get("RECALLD_NIGHTLY") == "1"


def test_any_life_of_a_namespace_is_what_the_rules_say(clients: dict[str, Client]) -> None:
    class Bound(Namespace):
        pass

    Bound.clients = clients
    run_state_machine_as_test(
        Bound,
        settings=settings(
            max_examples=500 if NIGHTLY else 25,
            stateful_step_count=100 if NIGHTLY else 30,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            derandomize=not NIGHTLY,
            print_blob=True,
        ),
    )

"""Every RPC that is served: what the rules are asked, and what their answer becomes."""

from __future__ import annotations

from uuid import UUID

import grpc
import pytest
from tests.rpc.calling import call
from tests.rpc.doubles import (
    ADA,
    NAMESPACE,
    NOW,
    FakeCore,
)
from tests.rpc.passing import CASES
from tests.rpc.passing.case import Case
from tests.rpc.test_bad_input import SERVED

from recalld.v1 import memory_pb2
from recalld.v1 import namespace_service_pb2 as ns
from recalld_server.core.types import (
    CallOptions,
    WriteOptions,
)
from recalld_server.model import (
    Namespace,
    Visibility,
)
from recalld_server.rpc import convert
from recalld_server.rpc.calls import METHODS as METHOD_OF


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.method)
async def test_a_call_is_passed_on_and_its_answer_back(channel: grpc.aio.Channel, fake: FakeCore, case: Case) -> None:
    fake.answers[case.asked] = case.answer
    assert await call(channel, case.method, case.request, timeout=None) == case.response
    asked = fake.asked[-1]
    assert (asked.name, asked.principal) == (case.asked, ADA)
    assert asked.arguments == case.arguments
    assert asked.options == case.options


def test_every_call_that_is_served_is_tested() -> None:
    assert {method.name for method in SERVED} == {case.method for case in CASES} | {"StreamWrite", "Import"}


MUTATIONS = [case for case in CASES if "request_id" in case.request.DESCRIPTOR.fields_by_name]


@pytest.mark.parametrize("case", MUTATIONS, ids=lambda case: case.method)
async def test_every_mutation_can_be_named_for_a_retry(channel: grpc.aio.Channel, fake: FakeCore, case: Case) -> None:
    request = type(case.request)()
    request.CopyFrom(case.request)
    request.request_id = "r-1"  # type: ignore[attr-defined]
    fake.answers[case.asked] = case.answer
    await call(channel, case.method, request, timeout=None)
    asked = fake.asked[-1]
    (options,) = [
        each for each in (*asked.arguments, *asked.options.values()) if isinstance(each, CallOptions | WriteOptions)
    ]
    named = (options.call if isinstance(options, WriteOptions) else options).request
    assert named is not None
    assert (named.method, named.request_id) == (METHOD_OF[request.DESCRIPTOR.full_name], "r-1")
    assert len(named.fingerprint) == 32


def test_a_policy_is_sent_with_its_defaults() -> None:
    policy = convert.namespace(NAMESPACE).policy
    assert policy.HasField("importance_threshold")
    assert policy.importance_threshold == 0
    assert policy.default_visibility == memory_pb2.VISIBILITY_SHARED
    assert policy.when_model_is_down == ns.MODEL_DOWN_POLICY_REFUSE
    assert (policy.episodic_retention_days, policy.episodic_cap_per_user) == (30, 1000)
    assert (policy.time_zone, policy.keep_query_text) == ("UTC", False)
    assert not policy.HasField("recency_weight")


def test_a_policy_comes_back_as_it_was_given() -> None:
    given = ns.Policy(
        importance_threshold=0.5,
        default_visibility=memory_pb2.VISIBILITY_PRIVATE,
        when_model_is_down=ns.MODEL_DOWN_POLICY_ACCEPT,
        episodic_retention_days=0,
        low_confidence_retention_days=1,
        episodic_cap_per_user=2,
        session_ttl_seconds=60,
        reflect_every_turns=0,
        reflection_schedule="0 3 * * *",
        time_zone="Asia/Shanghai",
        forget_window_days=3,
        review_window_days=4,
        review_threshold=0.0,
        keep_query_text=True,
        lexical_weight=0.0,
        vector_weight=1.0,
        recency_weight=0.25,
        half_life_days=1.0,
    )
    assert len(given.ListFields()) == len(given.DESCRIPTOR.fields)
    policy = convert.policy(given)
    assert policy.default_visibility is Visibility.PRIVATE
    assert policy.accept_when_model_is_down is True
    namespace = Namespace(UUID(int=7), "team", "", policy, 1, NOW, NOW)
    assert convert.namespace(namespace).policy == given

"""The commands for who looks after a namespace: reviews, keys, grants, the audit log."""

import json
from typing import Any

import pytest

from recalld.v1 import namespace_service_pb2 as ns
from recalld.v1 import review_service_pb2 as rs

from .conftest import ID, Double, answer, memory


def test_reviewing(run: Any, double: Double, monkeypatch: pytest.MonkeyPatch) -> None:
    review = rs.Review(
        review_id=ID,
        cause=rs.REVIEW_CAUSE_CONFLICT,
        state=rs.REVIEW_STATE_OPEN,
        memories=[memory("住在杭州"), memory("住在上海")],
    )
    review.create_time.GetCurrentTime()
    double.on("ListReviews", answer(rs.ListReviewsResponse(reviews=[review, review, review])))
    listed = run("review")
    assert "住在上海" in listed.stdout
    assert not double.of("ResolveReview")
    run("review", ID, "--decision", "edit", "--content", "住在上海")
    assert double.of("ResolveReview")[0].request.content == "住在上海"

    monkeypatch.setattr("recalld.cli.reflecting.is_interactive", lambda: True)
    gone_through = run("review", input="x\nc\n9\n1\ns\nq\n")
    assert gone_through.exit_code == 0, gone_through.output
    decided = [call.request for call in double.of("ResolveReview")][1:]
    assert [(each.decision, each.chosen_id) for each in decided] == [(5, ID)]


def test_keys_are_shown_once_and_never_asked_for_as_an_argument(run: Any, double: Double) -> None:
    double.on("CreateKey", answer(ns.CreateKeyResponse(key=ns.Key(key_id="k", agent_id="a"), secret="rk_k_s")))
    made = run("keys", "create", "a", "--role", "writer", "--only", "team")
    assert made.stdout == "rk_k_s\n"
    assert json.loads(run("keys", "create", "a", "--role", "writer", "--json").stdout)["secret"] == "rk_k_s"
    assert "--key" not in run("list", "--help").stdout.replace("--key-", "")


def test_grants_are_made_for_one_and_shown(run: Any, double: Double) -> None:
    grant = ns.Grant(grant_id=ID, namespace="team/茶", agent_id="planner", role=ns.ROLE_WRITER, recursive=True)
    double.on("CreateGrant", answer(ns.CreateGrantResponse(grant=grant)))
    double.on(
        "ListGrants",
        answer(ns.ListGrantsResponse(grants=[grant, ns.Grant(grant_id=ID, tenant="beta", role=ns.ROLE_READER)])),
    )
    assert run("grants", "create", "team", "writer").exit_code == 2
    assert run("grants", "create", "team", "writer", "--agent", "a", "--tenant", "b").exit_code == 2
    assert run("grants", "create", "team", "writer", "--agent", "planner", "--recursive").output.strip() == ID
    shown = run("grants", "list", "team").output
    assert "agent planner" in shown
    assert "tenant beta" in shown


def test_the_audit_log_is_shown_up_to_a_limit(run: Any, double: Double) -> None:
    events = [ns.AuditEvent(event_id=ID, agent_id="ada", action="Write", target_ids=[ID], outcome="OK")] * 3
    double.on("ListAuditEvents", answer(ns.ListAuditEventsResponse(events=events)))
    assert run("audit", "--limit", "2").output.count("Write") == 2

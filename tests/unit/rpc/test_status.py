from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import grpc
import pytest
import structlog
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2

from recalld.v1 import error_reason_pb2
from recalld_server import errors
from recalld_server.rpc.status import DOMAIN, InvalidRequest, describe, status_of

ARGUMENTS: dict[str, Any] = {
    "message": "m",
    "field": "f",
    "limit": 1,
    "actual": 2,
    "role": "ADMIN",
    "what": "key",
    "memory_ids": (),
    "namespace": "team",
    "current_etag": '"2-a"',
    "current_revision": 2,
    "state": "FORGOTTEN",
    "stored": "a",
    "configured": "b",
    "quota": "writes",
    "retry_after": 1.5,
    "method": "MemoryService.Reflect",
}


def leaves(kind: type[errors.RecalldError] = errors.RecalldError) -> Iterator[type[errors.RecalldError]]:
    """Every error that can be raised: those with no other of `errors` below them, and InvalidField."""
    below = [each for each in kind.__subclasses__() if each.__module__.startswith(errors.__name__)]
    if not below or kind is errors.InvalidField:
        yield kind
    for each in below:
        yield from leaves(each)


def made(kind: type[errors.RecalldError]) -> errors.RecalldError:
    parameters = [each for each in inspect.signature(kind).parameters.values() if each.kind is not each.VAR_KEYWORD]
    return kind(*(ARGUMENTS[each.name] for each in parameters))


def detail(status: status_pb2.Status, kind: type[Message]) -> Any:
    for each in status.details:
        message = kind()
        if each.Unpack(message):
            return message
    return None


LEAVES = sorted(leaves(), key=lambda kind: kind.__name__)


def test_every_reason_of_the_contract_has_an_error_and_every_error_a_reason_of_its_own() -> None:
    reasons = [kind.reason for kind in LEAVES]
    assert len(reasons) == len(set(reasons))
    contract = {name.removeprefix("ERROR_REASON_") for name in error_reason_pb2.ErrorReason.keys()}  # noqa: SIM118
    # INTERNAL is what everything else becomes
    assert set(reasons) == contract - {"UNSPECIFIED", "INTERNAL"}


@pytest.mark.parametrize("kind", LEAVES, ids=lambda kind: kind.__name__)
def test_the_code_is_the_one_that_the_contract_names_with_the_reason(kind: type[errors.RecalldError]) -> None:
    status = status_of(made(kind))
    number = error_reason_pb2.ErrorReason.Value(f"ERROR_REASON_{kind.reason}")
    assert grpc.StatusCode.INTERNAL.value[0] != status.code
    assert CONTRACT_CODES[number] == next(code.name for code in grpc.StatusCode if code.value[0] == status.code)
    info = detail(status, error_details_pb2.ErrorInfo)
    assert (info.reason, info.domain) == (kind.reason, DOMAIN)
    assert status.message == str(made(kind))


CONTRACT_CODES = {
    **dict.fromkeys((1, 2, 3, 4, 25), "INVALID_ARGUMENT"),
    5: "UNAUTHENTICATED",
    6: "PERMISSION_DENIED",
    **dict.fromkeys((7, 8, 24), "NOT_FOUND"),
    **dict.fromkeys((9, 10), "ALREADY_EXISTS"),
    11: "ABORTED",
    **dict.fromkeys((12, 13, 14, 15, 16), "FAILED_PRECONDITION"),
    17: "RESOURCE_EXHAUSTED",
    **dict.fromkeys((18, 19, 20, 26), "UNAVAILABLE"),
    21: "UNIMPLEMENTED",
    22: "DEADLINE_EXCEEDED",
    23: "INTERNAL",
}


def test_the_metadata_of_an_error_is_sent() -> None:
    info = detail(status_of(errors.EtagMismatch('"2-a"', 2)), error_details_pb2.ErrorInfo)
    assert dict(info.metadata) == {"current_etag": '"2-a"', "current_revision": "2"}
    info = detail(status_of(errors.ContentTooLarge("memory.content", 10, 11)), error_details_pb2.ErrorInfo)
    assert dict(info.metadata) == {"limit_bytes": "10", "actual_bytes": "11"}


def test_a_bad_field_is_named() -> None:
    request = detail(status_of(errors.BlankContent("memory.content")), error_details_pb2.BadRequest)
    (violation,) = request.field_violations
    assert (violation.field, violation.reason) == ("memory.content", "BLANK_CONTENT")
    assert "blank" in violation.description


def test_many_bad_fields_are_named_but_never_more_than_trailers_hold() -> None:
    violations = [(f"memory_ids[{n}]", "坏" * 1000) for n in range(1000)]
    status = status_of(InvalidRequest(violations))
    request = detail(status, error_details_pb2.BadRequest)
    assert [each.field for each in request.field_violations[:2]] == ["memory_ids[0]", "memory_ids[1]"]
    assert status.ByteSize() < 16_000


def test_when_to_try_again() -> None:
    for error in (errors.StoreUnavailable("the database does not answer", 2.5), errors.ModelUnavailable("m", 2.5)):
        assert detail(status_of(error), error_details_pb2.RetryInfo).retry_delay.ToNanoseconds() == 2_500_000_000
    status = status_of(errors.QuotaExceeded("writes_per_minute", "600 writes a minute are allowed", 7.0))
    assert detail(status, error_details_pb2.RetryInfo).retry_delay.seconds == 7
    assert detail(status, error_details_pb2.QuotaFailure).violations[0].subject == "writes_per_minute"
    assert detail(status_of(errors.MemoryNotFound()), error_details_pb2.RetryInfo) is None


def test_a_time_out_is_the_callers_deadline() -> None:
    status = status_of(TimeoutError())
    assert status.code == grpc.StatusCode.DEADLINE_EXCEEDED.value[0]
    assert detail(status, error_details_pb2.ErrorInfo).reason == "DEADLINE_EXCEEDED"


@pytest.mark.parametrize(
    "fault", [ValueError("secret 秘密"), errors.RecalldError("secret 秘密"), KeyError("secret 秘密")]
)
def test_a_fault_is_told_by_its_id_and_logged_without_its_message(fault: Exception) -> None:
    with structlog.testing.capture_logs() as logs:
        status = status_of(fault, "/recalld.v1.MemoryService/Write")
    assert status.code == grpc.StatusCode.INTERNAL.value[0]
    info = detail(status, error_details_pb2.ErrorInfo)
    assert info.reason == "INTERNAL"
    assert info.metadata["error_id"] == logs[0]["error_id"]
    assert logs[0]["method"] == "/recalld.v1.MemoryService/Write"
    assert type(fault).__name__ in logs[0]["cause"]
    for text in (str(status), str(logs)):
        assert "secret" not in text
        assert "秘密" not in text


def test_a_description_has_the_causes_and_where_they_arose() -> None:
    def inner() -> None:
        raise KeyError("secret")

    try:
        try:
            inner()
        except KeyError as error:
            raise ValueError("secret") from error
    except ValueError as error:
        text = describe(error)
    assert text.index("ValueError") < text.index("KeyError")
    assert "in inner" in text

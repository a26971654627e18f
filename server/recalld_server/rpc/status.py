"""What a caller is told when a call fails: a gRPC code, a text, and google.rpc details that a program can read."""

from __future__ import annotations

import traceback
import uuid
from typing import Any

import grpc
import structlog
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2
from grpc_status import rpc_status

from recalld_server import errors, telemetry

log = structlog.get_logger(__name__)

DOMAIN = "recalld.dev"

CODES: dict[type[errors.RecalldError], grpc.StatusCode] = {
    errors.InvalidField: grpc.StatusCode.INVALID_ARGUMENT,
    errors.InvalidCredential: grpc.StatusCode.UNAUTHENTICATED,
    errors.RoleRequired: grpc.StatusCode.PERMISSION_DENIED,
    errors.NotFound: grpc.StatusCode.NOT_FOUND,
    errors.AlreadyExists: grpc.StatusCode.ALREADY_EXISTS,
    errors.EtagMismatch: grpc.StatusCode.ABORTED,
    errors.FailedPrecondition: grpc.StatusCode.FAILED_PRECONDITION,
    errors.QuotaExceeded: grpc.StatusCode.RESOURCE_EXHAUSTED,
    errors.Unavailable: grpc.StatusCode.UNAVAILABLE,
    errors.NotImplementedYet: grpc.StatusCode.UNIMPLEMENTED,
    errors.DeadlinePassed: grpc.StatusCode.DEADLINE_EXCEEDED,
}
"""The code of each class and of all below it. Everything else is INTERNAL."""

# A status travels in the trailers, which clients cap at 8 KiB.
MAX_VIOLATIONS = 8
MAX_PATH = 200
MAX_TEXT = 500


class InvalidRequest(errors.InvalidField):
    """Several fields break rules; each is a pair of path and description, in the order of the request."""

    def __init__(self, violations: list[tuple[str, str]]) -> None:
        super().__init__(*violations[0])
        self.violations = violations


def status_of(error: BaseException, method: str = "") -> status_pb2.Status:
    """The google.rpc.Status of an error. One that is no RecalldError is logged, without its message, under an error_id."""
    if isinstance(error, TimeoutError):
        error = errors.DeadlinePassed()
    code = _code(error)
    if not isinstance(error, errors.RecalldError) or code is grpc.StatusCode.INTERNAL:
        return _fault(error, method)
    text = _shortened(str(error), MAX_TEXT)
    return _status(code, text, error.reason, dict(error.metadata), *_details(error))


async def abort(context: grpc.aio.ServicerContext[Any, Any], error: BaseException, method: str) -> None:
    """Ends a call with the error's status. Never returns."""
    # abort and not abort_with_status: tracing interceptors see only the first
    found = status_of(error, method)
    telemetry.fail_current(_reason(found))
    status = rpc_status.to_status(found)
    await context.abort(status.code, status.details, status.trailing_metadata)


def _reason(status: status_pb2.Status) -> str:
    info = error_details_pb2.ErrorInfo()
    return info.reason if any(detail.Unpack(info) for detail in status.details) else "INTERNAL"


def _code(error: BaseException) -> grpc.StatusCode:
    for kind in type(error).__mro__:
        if kind in CODES:
            return CODES[kind]
    return grpc.StatusCode.INTERNAL


def _details(error: errors.RecalldError) -> list[Message]:
    if isinstance(error, errors.InvalidField):
        violations = error.violations if isinstance(error, InvalidRequest) else [(error.field, error.description)]
        return [_bad_request(violations, error.reason)]
    if isinstance(error, errors.QuotaExceeded):
        violation = error_details_pb2.QuotaFailure.Violation(subject=error.quota, description=str(error))
        return [_retry(error.retry_after), error_details_pb2.QuotaFailure(violations=[violation])]
    if isinstance(error, errors.Unavailable):
        return [_retry(error.retry_after)]
    return []


def _bad_request(violations: list[tuple[str, str]], reason: str) -> error_details_pb2.BadRequest:
    request = error_details_pb2.BadRequest()
    for path, description in violations[:MAX_VIOLATIONS]:
        request.field_violations.add(
            field=_shortened(path, MAX_PATH), description=_shortened(description, MAX_TEXT), reason=reason
        )
    return request


def _retry(seconds: float) -> error_details_pb2.RetryInfo:
    info = error_details_pb2.RetryInfo()
    info.retry_delay.FromNanoseconds(int(seconds * 1e9))
    return info


def _fault(error: BaseException, method: str) -> status_pb2.Status:
    error_id = uuid.uuid4().hex
    log.error("call failed", method=method, error_id=error_id, cause=describe(error))
    text = f"the server failed; its log has the cause under error_id {error_id}"
    return _status(grpc.StatusCode.INTERNAL, text, "INTERNAL", {"error_id": error_id})


def describe(error: BaseException) -> str:
    """Types and tracebacks of an error and its causes. Messages are left out: drivers put values into theirs."""
    parts: list[str] = []
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        frames = "".join(traceback.format_tb(error.__traceback__))
        parts.append(f"{type(error).__module__}.{type(error).__qualname__}\n{frames}")
        following = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
        if following is None:
            break
        error = following
    return "caused by ".join(parts)


def _status(
    code: grpc.StatusCode, text: str, reason: str, metadata: dict[str, str], *details: Message
) -> status_pb2.Status:
    status = status_pb2.Status(code=code.value[0], message=text)
    info = error_details_pb2.ErrorInfo(reason=reason, domain=DOMAIN, metadata=metadata)
    for detail in (info, *details):
        status.details.add().Pack(detail)
    return status


def _shortened(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"

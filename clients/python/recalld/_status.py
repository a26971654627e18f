"""From a gRPC status to the exceptions of `recalld.errors`."""

from __future__ import annotations

from collections.abc import Iterable

import grpc
from google.protobuf.any_pb2 import Any
from google.protobuf.message import DecodeError
from google.rpc import error_details_pb2, status_pb2

from recalld import errors
from recalld._ending import is_cut_short

DOMAIN = "recalld.dev"
_DETAILS_KEY = "grpc-status-details-bin"
_CODES = {code.value[0]: code for code in grpc.StatusCode}
_TYPES: dict[grpc.StatusCode, type[errors.RecalldError]] = {
    grpc.StatusCode.INVALID_ARGUMENT: errors.InvalidArgument,
    grpc.StatusCode.OUT_OF_RANGE: errors.InvalidArgument,
    grpc.StatusCode.UNAUTHENTICATED: errors.Unauthenticated,
    grpc.StatusCode.PERMISSION_DENIED: errors.PermissionDenied,
    grpc.StatusCode.NOT_FOUND: errors.NotFound,
    grpc.StatusCode.ALREADY_EXISTS: errors.AlreadyExists,
    grpc.StatusCode.ABORTED: errors.Conflict,
    grpc.StatusCode.FAILED_PRECONDITION: errors.FailedPrecondition,
    grpc.StatusCode.RESOURCE_EXHAUSTED: errors.QuotaExceeded,
    grpc.StatusCode.UNAVAILABLE: errors.Unavailable,
    grpc.StatusCode.DEADLINE_EXCEEDED: errors.DeadlineExceeded,
    grpc.StatusCode.CANCELLED: errors.Cancelled,
    grpc.StatusCode.UNIMPLEMENTED: errors.NotServed,
}


def from_rpc(error: grpc.RpcError) -> errors.RecalldError:
    """The exception for a failed call, of the blocking or of the asyncio kind: both carry a status."""
    assert isinstance(error, grpc.Call | grpc.aio.AioRpcError)
    if is_cut_short(error):
        return errors.Unavailable("the server ended the call while it was still being sent to: try again")
    for key, value in error.trailing_metadata() or ():
        if key == _DETAILS_KEY and isinstance(value, bytes):
            try:
                details = status_pb2.Status.FromString(value).details
            except DecodeError:
                break  # not a status at all: a proxy's doing; the code and the text still tell
            return _make(error.code(), error.details() or "", details)
    return _make(error.code(), error.details() or "", ())


def from_status(status: status_pb2.Status) -> errors.RecalldError:
    """The exception for one failed item of a batch or stream."""
    return _make(_CODES.get(status.code, grpc.StatusCode.UNKNOWN), status.message, status.details)


def _make(code: grpc.StatusCode, message: str, details: Iterable[Any]) -> errors.RecalldError:
    reason, metadata = "", {}
    fields: list[errors.FieldError] = []
    retry_after: float | None = None
    for detail in details:
        info, bad, retry = error_details_pb2.ErrorInfo(), error_details_pb2.BadRequest(), error_details_pb2.RetryInfo()
        if detail.Unpack(info) and info.domain == DOMAIN:
            reason, metadata = info.reason, dict(info.metadata)
        elif detail.Unpack(bad):
            fields += [errors.FieldError(each.field, each.description) for each in bad.field_violations]
        elif detail.Unpack(retry):
            retry_after = retry.retry_delay.ToTimedelta().total_seconds()
    kind = _TYPES.get(code, errors.InternalError)
    text = message or f"the call failed with {code.name}"
    if issubclass(kind, errors.InvalidArgument):
        return kind(text, reason=reason or "INVALID_FIELD", metadata=metadata, fields=fields)
    if issubclass(kind, errors.QuotaExceeded | errors.Unavailable):
        return kind(text, reason=reason, metadata=metadata, retry_after=retry_after)
    return kind(text, reason=reason, metadata=metadata)

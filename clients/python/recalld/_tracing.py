"""A span around each call, where OpenTelemetry is installed and the program has set it up."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import lru_cache
from typing import Any

import grpc

try:
    from opentelemetry import trace
except ImportError:  # tracing is optional
    trace = None  # type: ignore[assignment]


def calling(request: Any) -> AbstractContextManager[None]:
    """The span of one unary call, below the caller's: which method, and how it ended; nothing of what was said."""
    return nullcontext() if trace is None else _span(_method(request.DESCRIPTOR))


@contextmanager
def _span(method: str) -> Iterator[None]:
    attributes = {"rpc.system.name": "grpc", "rpc.method": method}
    with trace.get_tracer("recalld").start_as_current_span(
        method,
        kind=trace.SpanKind.CLIENT,
        attributes=attributes,
        record_exception=False,  # a message may quote what was sent
        set_status_on_exception=False,
    ) as span:
        code = "OK"
        try:
            yield
        except grpc.RpcError as error:
            found = error.code() if isinstance(error, grpc.Call) else None
            code = found.name if isinstance(found, grpc.StatusCode) else "UNKNOWN"
            raise
        except BaseException:  # not an answer of the server: the caller gave the call up
            code = "CANCELLED"
            raise
        finally:
            span.set_attribute("rpc.response.status_code", code)
            if code != "OK":
                span.set_attribute("error.type", code)
                span.set_status(trace.Status(trace.StatusCode.ERROR, code))


@lru_cache(maxsize=128)
def _method(message: Any) -> str:
    """The full name of the RPC that takes this kind of message; each belongs to one."""
    for service in message.file.services_by_name.values():
        for method in service.methods:
            if method.input_type.full_name == message.full_name:
                return f"{service.full_name}/{method.name}"
    return str(message.full_name)

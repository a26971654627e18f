"""Around every call of ours: its span below the caller's, its duration and its code."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, contextmanager
from typing import Any

import grpc

from recalld_server import telemetry
from recalld_server.rpc.calls import Context
from recalld_server.rpc.interceptors import Around, Streaming, Unary
from recalld_server.telemetry.conventions import RPC_METHOD, RPC_STATUS, RPC_SYSTEM

_NAMES = {code.value[0]: code.name for code in grpc.StatusCode}


class Tracing(Around):
    """Outside of all others, so that it sees how a call ended; does nothing while nothing is configured."""

    def unary(self, call: Unary, method: str) -> Unary:
        async def traced(request: Any, context: Context) -> Any:
            if not (telemetry.tracing() or telemetry.measuring()):
                return await call(request, context)
            with _call(method, context):
                return await call(request, context)

        return traced

    def streaming(self, call: Streaming, method: str) -> Streaming:
        async def traced(request: Any, context: Context) -> AsyncIterator[Any]:
            with _call(method, context):
                async with aclosing(call(request, context)) as answers:  # type: ignore[type-var]
                    async for answer in answers:
                        yield answer

        return traced


@contextmanager
def _call(method: str, context: Context) -> Iterator[None]:
    name, begin = method.removeprefix("/"), time.perf_counter()
    caller = telemetry.caller_of(context.invocation_metadata() or ())
    attributes = {RPC_SYSTEM: "grpc", RPC_METHOD: name}
    code = "OK"
    with telemetry.span(name, attributes, kind=telemetry.SpanKind.SERVER, caller=caller) as span:
        try:
            yield
        except grpc.aio.AbortError:
            code = _NAMES.get(_number(context.code()), "UNKNOWN")
            raise
        except BaseException:  # all else was made a status further in
            code = "CANCELLED"
            raise
        finally:
            span.set_attribute(RPC_STATUS, code)
            telemetry.record_call(name, code, time.perf_counter() - begin)


def _number(code: Any) -> int:
    return code if isinstance(code, int) else int(code.value[0])

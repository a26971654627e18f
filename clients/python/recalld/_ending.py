"""How the server ended a stream of the asyncio kind."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

import grpc

CUT_SHORT = "Internal error from Core"
"""What grpc.aio says, instead of the status that the server gave, when a stream ends while a message is written to it."""


def is_cut_short(error: grpc.RpcError) -> bool:
    """Whether this is grpc.aio's word and not the server's."""
    assert isinstance(error, grpc.Call | grpc.aio.AioRpcError)
    return error.code() is grpc.StatusCode.INTERNAL and error.details() == CUT_SHORT


class Ending:
    """Keeps the server's status: grpc.aio has it while the call's done callbacks run, and may put its own word in its place
    right after."""

    def __init__(self, call: Any) -> None:
        self._told: grpc.aio.AioRpcError | None = None
        call.add_done_callback(self._note)

    def instead_of(self, error: grpc.RpcError) -> grpc.RpcError:
        """The server's own status where the error hides it, as far as it came; else the error."""
        return self._told if self._told is not None and is_cut_short(error) else error

    def _note(self, call: Any) -> None:
        code, details, trailers = (_now(each) for each in (call.code(), call.details(), call.trailing_metadata()))
        if code is not None:
            none = grpc.aio.Metadata()
            self._told = grpc.aio.AioRpcError(code, none, trailers or none, details)


def _now(answer: Coroutine[Any, Any, Any]) -> Any:
    """What is answered without waiting, since the call has ended; None: nothing is. A task would ask too late."""
    try:
        answer.send(None)
    except StopIteration as done:
        return done.value
    answer.close()
    return None

"""Not now, or not from this server: the same call may work later or elsewhere."""

from __future__ import annotations

from recalld_server.errors.base import RecalldError


class QuotaExceeded(RecalldError):
    """Too many calls, memories or bytes."""

    reason = "QUOTA_EXCEEDED"

    def __init__(self, quota: str, message: str, retry_after: float) -> None:
        super().__init__(message, quota=quota)
        self.quota = quota
        self.retry_after = retry_after


class Unavailable(RecalldError):
    """Not now; `retry_after` seconds from now it may work."""

    def __init__(self, message: str, retry_after: float = 1.0) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class ModelUnavailable(Unavailable):
    """The embedding model does not answer, or not with what it should."""

    reason = "MODEL_UNAVAILABLE"


class StoreUnavailable(Unavailable):
    """The database does not answer."""

    reason = "STORE_UNAVAILABLE"


class SlowReader(Unavailable):
    """The caller of a stream did not read what it was told in time."""

    reason = "SLOW_READER"

    def __init__(self) -> None:
        super().__init__("the events were not read in time: read faster, and go on by the last resume_token", 0.0)


class Draining(Unavailable):
    """The server is stopping."""

    reason = "DRAINING"

    def __init__(self) -> None:
        super().__init__("the server is stopping: try again, another will answer")


class NotImplementedYet(RecalldError):
    """This server does not serve the call yet."""

    reason = "NOT_IMPLEMENTED"

    def __init__(self, method: str) -> None:
        super().__init__(f"{method} is not served yet", method=method)


class DeadlinePassed(RecalldError):
    """The caller's deadline passed while the call was at work."""

    reason = "DEADLINE_EXCEEDED"

    def __init__(self) -> None:
        super().__init__(
            "the deadline passed before the call was done: a mutation may have been carried out, repeat it with the same request_id"
        )

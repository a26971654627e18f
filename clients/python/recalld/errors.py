"""Everything that a call can raise.

RecalldError
├── InvalidArgument       a field breaks a rule: `.fields` says which and how; nothing was written
├── Unauthenticated       no key, an unknown or a revoked one
├── PermissionDenied      the key's roles do not allow the call
├── NotFound              not there, or not for this key: the two look the same
├── AlreadyExists         the namespace or the chosen memory id is taken
├── Conflict              someone else changed it: `.etag` and `.revision` say what it is now
├── FailedPrecondition    the state of things does not allow it (see `.reason`)
├── QuotaExceeded         too much or too often; `.retry_after` seconds, when the server says
├── Unavailable           the server, its store or its model does not answer; `.retry_after` likewise
├── DeadlineExceeded      the deadline passed; a mutation may have been carried out all the same
├── Cancelled             the call was given up
├── NotServed             this server does not serve the call
├── InternalError         a fault of the server; `.metadata["error_id"]` finds it in the server's log
├── ConfigurationError    the client was set up wrongly; no call was made
└── WrongLoop             an AsyncClient was used on another event loop, or in a forked process

`.reason` is the server's ErrorReason ("MEMORY_NOT_FOUND"), or "" when the failure did not come from the server.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FieldError:
    """What is wrong with one field of a request."""

    field: str
    """The path of the field, such as "memory.metadata.score"."""
    description: str


class RecalldError(Exception):
    """Base of all. `str(error)` says what to do; it never holds a key, a query or the text of a memory."""

    def __init__(self, message: str, *, reason: str = "", metadata: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.reason = reason
        self.metadata: Mapping[str, str] = dict(metadata or {})

    def __repr__(self) -> str:
        reason = f", reason={self.reason!r}" if self.reason else ""
        return f"{type(self).__name__}({self.message!r}{reason})"


class InvalidArgument(RecalldError):
    """A field breaks a rule; nothing was written."""

    def __init__(
        self,
        message: str,
        *,
        reason: str = "INVALID_FIELD",
        metadata: Mapping[str, str] | None = None,
        fields: Sequence[FieldError] = (),
    ) -> None:
        super().__init__(message, reason=reason, metadata=metadata)
        self.fields = tuple(fields)

    @classmethod
    def of(cls, field: str, description: str) -> InvalidArgument:
        """The refusal of one field, before anything is sent."""
        return cls(f"{field}: {description}", fields=(FieldError(field, description),))


class Unauthenticated(RecalldError):
    """No key, an unknown or a revoked one."""


class PermissionDenied(RecalldError):
    """The key's roles do not allow the call."""


class NotFound(RecalldError):
    """Not there, or not for this key: the two look the same."""


class AlreadyExists(RecalldError):
    """The namespace, or the chosen memory id, is taken."""


class Conflict(RecalldError):
    """Someone else changed it in the meantime: read it again, then retry."""

    @property
    def etag(self) -> str:
        """The etag that it has now; empty when the server did not say."""
        return self.metadata.get("current_etag", "")

    @property
    def revision(self) -> int | None:
        """The revision that it has now."""
        text = self.metadata.get("current_revision", "")
        return int(text) if text.isdecimal() else None


class FailedPrecondition(RecalldError):
    """The state of things does not allow the call; `.reason` says which rule."""


class _Later(RecalldError):
    def __init__(
        self,
        message: str,
        *,
        reason: str = "",
        metadata: Mapping[str, str] | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message, reason=reason, metadata=metadata)
        self.retry_after = retry_after
        """Seconds after which a retry may help; None when the server did not say."""


class QuotaExceeded(_Later):
    """Too many calls, memories or bytes."""


class Unavailable(_Later):
    """The server, its store or its model does not answer. Mutations can be repeated with the same request_id."""


class DeadlineExceeded(RecalldError):
    """The deadline passed. A mutation may have been carried out: repeat it with the same request_id to find out."""


class Cancelled(RecalldError):
    """The call was given up before it ended."""


class NotServed(RecalldError):
    """This server does not serve the call."""


class InternalError(RecalldError):
    """A fault of the server."""


class ConfigurationError(RecalldError):
    """The client was set up wrongly; no call was made."""


class WrongLoop(RecalldError):
    """An AsyncClient was used on another event loop than its own, or in a forked process."""

"""Every way in which a call can fail for a reason that its caller can act on. Imports nothing of ours.

RecalldError
├── InvalidField            a field breaks a rule
│   ├── BlankContent
│   ├── ContentTooLarge
│   ├── InvalidPageToken
│   └── InvalidResumeToken
├── InvalidCredential
├── RoleRequired
├── NotFound
│   ├── NamespaceNotFound
│   ├── MemoryNotFound
│   └── ResourceNotFound    key, grant, session, reflection, review, search
├── AlreadyExists
│   ├── NamespaceExists
│   └── MemoryExists
├── EtagMismatch
├── FailedPrecondition
│   ├── RequestIdReused
│   ├── DigestRequired
│   ├── DigestMismatch
│   ├── WrongState
│   └── EmbeddingModelMismatch
├── QuotaExceeded
├── Unavailable
│   ├── ModelUnavailable
│   ├── StoreUnavailable
│   ├── SlowReader
│   └── Draining
├── NotImplementedYet
└── DeadlinePassed

`reason` is the name in the contract's ErrorReason; `metadata` goes to the caller with it. Messages hold no memory text,
no query and no credential, since they may be logged.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import ClassVar
from uuid import UUID


class RecalldError(Exception):
    """Base of all. `str(error)` is what the caller reads."""

    reason: ClassVar[str] = "INTERNAL"

    def __init__(self, message: str, **metadata: str | int | float) -> None:
        super().__init__(message)
        self.metadata: Mapping[str, str] = {key: str(value) for key, value in metadata.items()}


class InvalidField(RecalldError):
    """A field of the request breaks a rule; `field` is its path ("memory.metadata.score")."""

    reason = "INVALID_FIELD"

    def __init__(self, field: str, message: str, **metadata: str | int | float) -> None:
        super().__init__(f"{field}: {message}" if field else message, **metadata)
        self.field = field
        self.description = message


class BlankContent(InvalidField):
    """The text is empty, or holds only blanks and invisible characters."""

    reason = "BLANK_CONTENT"

    def __init__(self, field: str) -> None:
        super().__init__(field, "is blank: give a text with at least one visible character")


class ContentTooLarge(InvalidField):
    """The text is over the server's limit."""

    reason = "CONTENT_TOO_LARGE"

    def __init__(self, field: str, limit: int, actual: int) -> None:
        message = f"is {actual:,} bytes, over the limit of {limit:,}: shorten it or write it in parts"
        super().__init__(field, message, limit_bytes=limit, actual_bytes=actual)


class InvalidPageToken(InvalidField):
    """The page token was not made by this server for this request."""

    reason = "INVALID_PAGE_TOKEN"

    def __init__(self) -> None:
        super().__init__("page_token", "is not one that this server gave for this request: start again without it")


class InvalidResumeToken(InvalidField):
    """The resume token was not made by this server."""

    reason = "INVALID_RESUME_TOKEN"

    def __init__(self) -> None:
        super().__init__(
            "resume_token", "is not one that this server gave for these namespaces: start again without it"
        )


class InvalidCredential(RecalldError):
    """No credential, an unknown or a revoked one."""

    reason = "INVALID_CREDENTIAL"

    def __init__(self, message: str = "send a valid key as metadata: authorization: Bearer rk_…") -> None:
        super().__init__(message)


class RoleRequired(RecalldError):
    """The credential's roles do not allow this call. `namespace` is where; empty: in the tenant as a whole."""

    reason = "ROLE_REQUIRED"

    def __init__(self, role: str, namespace: str = "") -> None:
        super().__init__(f"this call needs the role {role}: use a key that has it", role=role)
        self.namespace = namespace


class NotFound(RecalldError):
    """Not there, or the caller may not see it: the two look the same."""


class NamespaceNotFound(NotFound):
    """There is no such namespace for this caller. `namespace` is the name that it gave."""

    reason = "NAMESPACE_NOT_FOUND"

    def __init__(self, namespace: str = "") -> None:
        super().__init__("there is no such namespace: create it first, or check its name and your key")
        self.namespace = namespace


class MemoryNotFound(NotFound):
    """There is no such memory for this caller in this namespace."""

    reason = "MEMORY_NOT_FOUND"

    def __init__(self) -> None:
        super().__init__("there is no such memory in this namespace")


class ResourceNotFound(NotFound):
    """There is no such key, grant, session, reflection, review or search for this caller."""

    reason = "RESOURCE_NOT_FOUND"

    def __init__(self, what: str) -> None:
        super().__init__(f"there is no such {what}", resource=what)


class AlreadyExists(RecalldError):
    """The name or id is taken."""


class NamespaceExists(AlreadyExists):
    """The namespace exists."""

    reason = "NAMESPACE_EXISTS"

    def __init__(self) -> None:
        super().__init__("the namespace exists already: use it, or choose another name")


class MemoryExists(AlreadyExists):
    """The chosen memory id holds another text. `memory_ids`: where several were to be stored, those that are taken."""

    reason = "MEMORY_EXISTS"

    def __init__(self, memory_ids: Collection[UUID] = ()) -> None:
        super().__init__("this memory_id holds another text: choose another id, or use Update")
        self.memory_ids = memory_ids


class EtagMismatch(RecalldError):
    """Someone else changed it in the meantime."""

    reason = "ETAG_MISMATCH"

    def __init__(self, current_etag: str, current_revision: int) -> None:
        message = f"it was changed in the meantime and is now at revision {current_revision}: read it again, then retry"
        super().__init__(message, current_etag=current_etag, current_revision=current_revision)


class FailedPrecondition(RecalldError):
    """The state of things does not allow it."""


class RequestIdReused(FailedPrecondition):
    """The same request_id came before with another body."""

    reason = "REQUEST_ID_REUSED"

    def __init__(self) -> None:
        super().__init__("this request_id was used for another request: take a new one")


class DigestRequired(FailedPrecondition):
    """A Forget by filter needs the digest of a dry run."""

    reason = "DIGEST_REQUIRED"

    def __init__(self) -> None:
        super().__init__("forgetting by filter needs the digest of a dry run: call with dry_run first")


class DigestMismatch(FailedPrecondition):
    """The set has changed since the dry run."""

    reason = "DIGEST_MISMATCH"

    def __init__(self) -> None:
        super().__init__("the memories that the filter means have changed since the dry run: make another")


class WrongState(FailedPrecondition):
    """The memory is not in a state that allows this."""

    reason = "WRONG_STATE"

    def __init__(self, state: str, message: str) -> None:
        super().__init__(message, state=state)


class EmbeddingModelMismatch(FailedPrecondition):
    """The database holds vectors of another model than the one that is configured."""

    reason = "EMBEDDING_MODEL_MISMATCH"

    def __init__(self, stored: str, configured: str) -> None:
        message = f"the database holds vectors of {stored} but {configured} is configured: configure the first, or run `recalld reembed`"
        super().__init__(message, stored=stored, configured=configured)


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

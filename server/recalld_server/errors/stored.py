"""What is stored stands against it: it is not there, is there already, or is not as it would have to be."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from recalld_server.errors.base import RecalldError


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

"""What is asked cannot be answered as it stands: something in the request, or who sent it."""

from __future__ import annotations

from recalld_server.errors.base import RecalldError


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

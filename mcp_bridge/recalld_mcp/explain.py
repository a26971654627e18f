"""From the client's exceptions to text that a model can act on: the reason, what is wrong, what to change."""

from __future__ import annotations

from recalld import errors

_ADVICE: tuple[tuple[type[errors.RecalldError], str], ...] = (
    (errors.ConfigurationError, "Tell the user: this cannot be mended by calling again."),
    (errors.Unauthenticated, "Tell the user to set a valid RECALLD_KEY for this MCP server."),
    (errors.PermissionDenied, "The key does not allow this. Do not try again; tell the user."),
    (errors.Conflict, "Someone else changed it. Read it with memory_get, then try again with the new etag."),
    (errors.QuotaExceeded, "Call less often, or with less."),
    (errors.Unavailable, "The memory server does not answer. Try again later; if it stays so, tell the user."),
    (errors.DeadlineExceeded, "It took too long. A write may have been stored: search before you repeat it."),
    (errors.NotServed, "This server does not offer that. Do without it."),
    (errors.InternalError, "A fault of the memory server. Do not repeat the call; tell the user."),
)
_WHERE_IT_IS = {
    "MEMORY_NOT_FOUND": "Check the id and the namespace; memory_search and memory_list give ids that exist.",
    "NAMESPACE_NOT_FOUND": "The resource memory://namespaces lists those that this key may read. Leave namespace out for the default.",
}
_ELSEWHERE = "Check the id and the namespace."


def explain(error: errors.RecalldError) -> str:
    """Some lines: the reason and the message, each field that is wrong, advice."""
    name = error.reason or type(error).__name__
    lines = [f"{name}: {error.message}"]
    if isinstance(error, errors.InvalidArgument):
        lines += [
            f"- {field.field}: {field.description}" for field in error.fields if field.description not in error.message
        ]
    if isinstance(error, errors.Conflict) and error.etag:
        lines.append(f"- the etag is now {error.etag}")
    if isinstance(error, errors.QuotaExceeded | errors.Unavailable) and error.retry_after is not None:
        lines.append(f"- try again after {error.retry_after:g} seconds")
    if isinstance(error, errors.InternalError) and "error_id" in error.metadata:
        lines.append(f"- error id for the server's log: {error.metadata['error_id']}")
    lines += [advice for kind, advice in _ADVICE if isinstance(error, kind)]
    if isinstance(error, errors.NotFound):
        lines.append(_WHERE_IT_IS.get(error.reason, _ELSEWHERE))
    return "\n".join(lines)

"""What goes with every call: its name for retries, who asks, and the trace that it belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias
from uuid import uuid4

from recalld.errors import InvalidArgument

try:
    from opentelemetry import propagate
except ImportError:  # tracing is optional
    propagate = None  # type: ignore[assignment]

Metadata: TypeAlias = tuple[tuple[str, str], ...]


def request_id(given: str | None) -> str:
    """The caller's name for a mutation, or a new one: with it, a repetition gets the first answer."""
    return given or str(uuid4())


def metadata(key: str) -> Metadata:
    """The call's metadata: the credential and, where OpenTelemetry has a current span, its context."""
    carrier: dict[str, str] = {}
    if propagate is not None:
        propagate.inject(carrier)
    if key:
        carrier["authorization"] = f"Bearer {key}"
    return tuple((name.lower(), value) for name, value in carrier.items())


def seconds(given: float | None, default: float | None) -> float | None:
    """The time that a call may take; None takes the default."""
    if given is None:
        return default
    if isinstance(given, bool) or not isinstance(given, int | float) or not given > 0:
        raise InvalidArgument.of("timeout", "takes a number of seconds above 0")
    return None if given == float("inf") else float(given)


def names(given: str | Sequence[str] | None, default: str) -> Sequence[str]:
    """The namespaces that a call is about; None takes the one that is bound."""
    if given is None:
        return [default]
    return [given] if isinstance(given, str) else given

"""Whose call is at work: for what is counted far from where the caller is known."""

from __future__ import annotations

from contextvars import ContextVar
from uuid import UUID

TENANT: ContextVar[UUID | None] = ContextVar("tenant", default=None)
"""Set around each call; None in what the server does by itself."""

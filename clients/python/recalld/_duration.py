"""Lengths of time, as callers give them."""

from __future__ import annotations

from datetime import timedelta
from typing import TypeAlias

Duration: TypeAlias = timedelta | int | float
"""A length of time; a number is seconds."""

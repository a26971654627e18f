from __future__ import annotations

from tests.rpc.world import world

__all__ = ["world"]
"""A fixture that is made elsewhere."""

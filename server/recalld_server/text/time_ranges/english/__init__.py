"""English time phrases."""

from recalld_server.text.time_ranges.english.phrases import read

__all__ = ["read"]

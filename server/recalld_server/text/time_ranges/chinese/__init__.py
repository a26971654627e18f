"""Chinese time phrases."""

from recalld_server.text.time_ranges.chinese.phrases import read

__all__ = ["read"]

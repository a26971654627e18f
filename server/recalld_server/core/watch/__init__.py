"""Watch: what happens in namespaces, told as it happens."""

from recalld_server.core.watch.types import Caller, Event, EventType, WatchOptions, WatchQuery
from recalld_server.core.watch.watches import Watches

__all__ = ["Caller", "Event", "EventType", "WatchOptions", "WatchQuery", "Watches"]

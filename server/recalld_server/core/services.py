"""The rules as one object, which is all that the API is given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recalld_server.core.archive import Archives
    from recalld_server.core.audit import Audit
    from recalld_server.core.context import Contexts
    from recalld_server.core.forget import Forgets
    from recalld_server.core.grants import Sharing
    from recalld_server.core.keys import Keys
    from recalld_server.core.memories import Memories
    from recalld_server.core.moving import Moving
    from recalld_server.core.namespaces import Namespaces
    from recalld_server.core.reflect import Reflections
    from recalld_server.core.retention import Retention
    from recalld_server.core.reviews import Reviews
    from recalld_server.core.search import Searches
    from recalld_server.core.sessions import Sessions
    from recalld_server.core.stats import Figures
    from recalld_server.core.usage import Usage
    from recalld_server.core.watch import Watches
    from recalld_server.core.write import Writes


@dataclass(frozen=True, slots=True)
class Core:
    """Every service of the rules; each checks by itself what its principal may do."""

    keys: Keys
    namespaces: Namespaces
    writes: Writes
    memories: Memories
    searches: Searches
    contexts: Contexts
    forgets: Forgets
    sessions: Sessions
    reflections: Reflections
    reviews: Reviews
    figures: Figures
    usage: Usage
    moving: Moving
    watches: Watches
    sharing: Sharing
    audit: Audit
    retention: Retention
    archives: Archives | None

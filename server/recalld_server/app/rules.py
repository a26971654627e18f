"""The rules over a store and a model."""

from __future__ import annotations

from collections.abc import Callable

from recalld_server.core.access import Access
from recalld_server.core.archive import Archives
from recalld_server.core.audit import Audit
from recalld_server.core.context import Contexts
from recalld_server.core.forget import Forgets
from recalld_server.core.grants import Sharing
from recalld_server.core.hot_turns import HotTurns
from recalld_server.core.indexer import Indexer
from recalld_server.core.keys import Keys
from recalld_server.core.memories import Memories
from recalld_server.core.moving import Moving
from recalld_server.core.namespaces import Namespaces
from recalld_server.core.reflect import Reflections
from recalld_server.core.resolve import Lines, Resolver, RulesResolver
from recalld_server.core.retention import Retention
from recalld_server.core.reviews import Reviews
from recalld_server.core.search import Searches
from recalld_server.core.search_log import SearchLog
from recalld_server.core.services import Core
from recalld_server.core.sessions import Sessions
from recalld_server.core.stats import Figures
from recalld_server.core.storing import ASKING, QUICK
from recalld_server.core.usage import Usage
from recalld_server.core.watch import Watches
from recalld_server.core.write import Writes
from recalld_server.models.base import Calibration, Embedder, Reranker
from recalld_server.rpc.convert.export import from_line, to_line
from recalld_server.settings import Settings
from recalld_server.store.base import Archive, Cache, Reads, Wakes
from recalld_server.store.postgres import PostgresStore


def build_indexer(
    store: PostgresStore, embedder: Embedder, calibration: Calibration, resolver: Resolver | None = None
) -> Indexer:
    """The worker that indexes what was accepted before it could be."""
    lines = Lines(calibration.duplicate_line, calibration.conflict_line)
    return Indexer(store, store, store.index_jobs(), embedder, resolver or RulesResolver(), lines)


def build_core(
    store: PostgresStore,
    embedder: Embedder,
    calibration: Calibration,
    settings: Settings,
    search_log: SearchLog | None = None,
    wakes: Wakes | None = None,
    *,
    reranker: Reranker | None = None,
    resolver: Resolver | None = None,
    cache: Cache | None = None,
    archive: Archive | None = None,
    reads: Reads | None = None,
    on_accepted: Callable[[], None] = lambda: None,
    on_reflection_due: Callable[[], None] = lambda: None,
) -> Core:
    """The rules over a store and a model. `search_log` is flushed by whoever gives it; without one, by MarkUsed only.
    `wakes` is closed by whoever gives it. `reads` answers what only reads, in place of the store."""
    reads = reads or store
    access = Access(store)
    audit = Audit(store, access)
    lines = Lines(calibration.duplicate_line, calibration.conflict_line)
    limit = settings.content_limit_bytes
    search_log = search_log or SearchLog(store)
    hot = HotTurns(cache)
    archives = build_archives(store, archive, embedder.id)
    retention, forgets = build_retention(store, hot, archives)
    searches = Searches(reads, access, embedder, reranker, log=search_log)
    return Core(
        keys=Keys(store),
        namespaces=Namespaces(store, access),
        writes=Writes(
            store,
            access,
            embedder,
            resolver or RulesResolver(),
            lines,
            content_limit=limit,
            pace=ASKING if settings.resolver == "llm" else QUICK,
            on_accepted=on_accepted,
        ),
        memories=Memories(store, access, embedder, content_limit=limit, archives=archives, reads=reads),
        searches=searches,
        contexts=Contexts(searches, reads, access, search_log),
        forgets=forgets,
        sessions=Sessions(store, access, store.session_jobs(), content_limit=limit, hot=hot, on_due=on_reflection_due),
        reflections=Reflections(store, access, on_started=on_reflection_due),
        reviews=Reviews(store, access, embedder, store, content_limit=limit),
        figures=Figures(reads, access, model_id=embedder.id),
        usage=Usage(store, access, search_log),
        moving=Moving(store, access, embedder, audit, content_limit=limit),
        watches=Watches(store, access, wakes or store.wakes()),
        retention=retention,
        archives=archives,
        sharing=Sharing(store, access),
        audit=audit,
    )


def build_archives(store: PostgresStore, archive: Archive | None, model_id: str) -> Archives | None:
    """The rules of the archive; None: what is archived stays in the database."""
    if archive is None:
        return None
    return Archives(store, store.archived(), archive, model_id=model_id, to_line=to_line, from_line=from_line)


def build_retention(
    store: PostgresStore, hot: HotTurns | None = None, archives: Archives | None = None
) -> tuple[Retention, Forgets]:
    """The rules of what goes."""
    forgets = Forgets(store, Access(store), store.forget_orders(), hot, archives)
    return Retention(store, store.retained(), forgets), forgets

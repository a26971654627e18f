"""The only place that builds objects: start, drain, stop."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import structlog

from recalld_server import embedded
from recalld_server.bootstrap import bootstrap
from recalld_server.callers import build_identity, tls_options
from recalld_server.core.access import Access
from recalld_server.core.archive import Archives
from recalld_server.core.audit import Audit
from recalld_server.core.context import Contexts
from recalld_server.core.forget import Forgets
from recalld_server.core.grants import Sharing
from recalld_server.core.hot_turns import HotTurns
from recalld_server.core.indexer import Indexer
from recalld_server.core.keys import Keys
from recalld_server.core.limits import MeteredEmbedder
from recalld_server.core.memories import Memories
from recalld_server.core.moving import Moving
from recalld_server.core.namespaces import Namespaces
from recalld_server.core.reflect import Reflections
from recalld_server.core.resolve import AskingResolver, Lines, Resolver, RulesResolver
from recalld_server.core.retention import Retention
from recalld_server.core.reviews import Reviews
from recalld_server.core.search import Searches
from recalld_server.core.search_log import FLUSH_SECONDS, SearchLog
from recalld_server.core.services import Core
from recalld_server.core.sessions import Sessions
from recalld_server.core.stats import Figures
from recalld_server.core.storing import TOGETHER, WHILE_ASKING
from recalld_server.core.usage import Usage
from recalld_server.core.watch import Watches
from recalld_server.core.write import Writes
from recalld_server.dependencies import (
    COUNT_SECONDS,
    DATABASE,
    LOOK_SECONDS,
    MODEL,
    REDIS,
    Counting,
    Dependencies,
    Dependency,
    Lag,
)
from recalld_server.errors import EmbeddingModelMismatch
from recalld_server.forgetting import forgetting_chores
from recalld_server.models.base import Calibration, ChatModel, Embedder, Reranker, load_calibration
from recalld_server.models.factory import make_embedder
from recalld_server.models.measured import MeasuredEmbedder, MeasuredReranker
from recalld_server.models.rerank import make_reranker
from recalld_server.models.start import start_embedder
from recalld_server.reflecting import build_runner_of, make_chat, reflection_chores
from recalld_server.rpc.convert.export import from_line, to_line
from recalld_server.rpc.server import RpcServer, RpcSettings
from recalld_server.settings import Settings
from recalld_server.sharing import build_fairness
from recalld_server.store.base import Cache, IndexJobs, Wakes
from recalld_server.store.files import FolderArchive
from recalld_server.store.postgres import Maintenance, MaintenanceOptions, PoolOptions, PostgresStore, migrate
from recalld_server.store.redis import RedisClient
from recalld_server.telemetry import TelemetryOptions, start_telemetry
from recalld_server.upkeep import Chore, Upkeep

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Endpoints:
    """Where the data is: what was configured, or what was started."""

    data_dir: Path
    database_url: str
    migration_database_url: str
    redis_url: str | None


def prepare(settings: Settings) -> Endpoints:
    """Starts or adopts the embedded servers where nothing was configured. Blocks; call it before the loop runs."""
    data_dir = settings.data_dir or embedded.default_data_dir()
    redis_url = settings.redis_url.get_secret_value() if settings.redis_url else None
    if settings.database_url is not None:
        url = settings.database_url.get_secret_value()
        migration = settings.migration_database_url
        return Endpoints(data_dir, url, migration.get_secret_value() if migration else url, redis_url)
    postgres = embedded.start_postgres(data_dir)
    if redis_url is None:
        redis_url = embedded.start_valkey(data_dir).url
    return Endpoints(data_dir, postgres.dsn(), postgres.dsn(), redis_url)


class App:
    """A server from its first object to its last."""

    def __init__(self, settings: Settings, endpoints: Endpoints) -> None:
        self._settings = settings
        self._endpoints = endpoints
        self._closing = AsyncExitStack()
        self._server: RpcServer | None = None
        self.redis: RedisClient | None = None
        """Set by `start`; None when no Redis was configured."""

    async def start(self) -> str:
        """Migrates, connects, loads the model, serves. Returns the address that is listened on. Health says SERVING only
        when all of this is done. Raises what the parts raise; `stop` cleans up."""
        settings, endpoints = self._settings, self._endpoints
        telemetry = start_telemetry(_telemetry_options(settings))
        self._closing.push_async_callback(telemetry.close)
        await migrate(endpoints.migration_database_url, post=False)
        seconds = settings.database_timeout_seconds
        pooled = settings.database_pooler
        options = PoolOptions(settings.database_pool_size, seconds, seconds, pooled=pooled)
        session_dsn = endpoints.migration_database_url if pooled else None
        store = PostgresStore(endpoints.database_url, options, session_dsn=session_dsn)
        await store.start()
        self._closing.push_async_callback(store.close)
        self.redis = await self._open_redis()
        root_key_file = settings.root_key_file or endpoints.data_dir / "root.key"
        root_key = await bootstrap(store, root_key_file)
        if root_key is not None:
            # a log that is collected shall not hold it
            shown = root_key if settings.log_format == "console" else "not shown in a log"
            print(f"root key (shown once, kept in {root_key_file}): {shown}", file=sys.stderr)  # noqa: T201
        embedder = build_embedder(settings, endpoints.data_dir)
        self._closing.push_async_callback(embedder.close)
        await start_embedder(embedder, store.stored_model)
        active = await store.embedding_model(embedder.id, embedder.dimensions)
        if active != embedder.id:
            raise EmbeddingModelMismatch(active, embedder.id)
        calibration = load_calibration(embedder.id)
        search_log = SearchLog(store)
        self._closing.push_async_callback(search_log.close)
        chat = make_chat(settings)
        if chat is not None:
            self._closing.push_async_callback(chat.close)
        resolver = self._resolver(chat)
        indexer = build_indexer(store, embedder, calibration, resolver)
        reranker = self._reranker()
        if reranker is not None:
            self._closing.push_async_callback(reranker.close)
        wakes = store.wakes()
        self._closing.push_async_callback(wakes.close)
        runner = build_runner_of(store, embedder, calibration, settings, chat)
        fairness = build_fairness(settings, store, self.redis)
        core = build_core(
            store,
            MeteredEmbedder(embedder, fairness),
            calibration,
            settings,
            search_log,
            wakes,
            reranker=reranker,
            resolver=resolver,
            cache=self.redis,
            archive_dir=archive_folder(settings, endpoints.data_dir),
            on_accepted=indexer.wake.set,
            on_reflection_due=runner.wake.set,
        )
        server_chores = chores(store.maintenance(_upkeep_options(settings)), store.index_jobs(), indexer, search_log)
        identity = build_identity(settings, core.keys, store)
        self._server = RpcServer(
            core, _rpc_settings(settings), fairness=fairness, identity=identity, on_drain=core.watches.drain
        )
        watching = watch_chores(store, embedder, self.redis, self._server.report)
        upkeep = Upkeep(
            [
                *server_chores,
                *session_chores(core.sessions, core.reviews),
                *reflection_chores(runner, store.reflection_schedules()),
                *watching,
                *forgetting_chores(core),
            ]
        )
        address = await self._server.start()
        upkeep.start()
        self._closing.push_async_callback(upkeep.close)
        # what is here now stays, so the collector need not look at it again and again
        gc.collect()
        gc.freeze()
        log.info("serving", address=address, model=embedder.id)
        return address

    async def stop(self) -> None:
        """NOT_SERVING, then the drain delay, then the calls under way, then everything else."""
        if self._server is not None:
            await self._server.stop(drain=self._settings.drain_seconds, grace=self._settings.grace_seconds)
        await self._closing.aclose()

    async def run(self) -> None:
        """Serves until SIGTERM or SIGINT."""
        stopping = asyncio.Event()
        loop = asyncio.get_running_loop()
        for name in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(name, stopping.set)
        starting = asyncio.create_task(self.start())
        told = asyncio.create_task(stopping.wait())
        try:
            # a start that waits for something can be given up as well
            await asyncio.wait({starting, told}, return_when=asyncio.FIRST_COMPLETED)
            if starting.done():
                await starting
                await told
        finally:
            told.cancel()
            starting.cancel()
            await asyncio.wait({starting})
            await self.stop()

    async def _open_redis(self) -> RedisClient | None:
        if self._endpoints.redis_url is None:
            return None
        redis = RedisClient(self._endpoints.redis_url)
        self._closing.push_async_callback(redis.close)
        await redis.start()
        return redis

    def _resolver(self, chat: ChatModel | None) -> Resolver:
        if self._settings.resolver == "rules" or chat is None:
            return RulesResolver()
        return AskingResolver(chat, timeout=self._settings.chat_timeout_seconds)

    def _reranker(self) -> Reranker | None:
        settings, key = self._settings, self._settings.rerank_api_key
        reranker = make_reranker(
            settings.reranker,
            base_url=settings.rerank_url,
            model=settings.rerank_model,
            api_key=key.get_secret_value() if key else None,
        )
        return reranker and MeasuredReranker(reranker, settings.rerank_model or settings.reranker)


def build_archives(store: PostgresStore, folder: Path | None, model_id: str) -> Archives | None:
    """The archive in a folder; None: what is archived stays in the database."""
    if folder is None:
        return None
    archive, archived = FolderArchive(folder), store.archived()
    return Archives(store, archived, archive, model_id=model_id, to_line=to_line, from_line=from_line)


def archive_folder(settings: Settings, data_dir: Path) -> Path | None:
    """Where the archive is, if anywhere."""
    if settings.archive_dir is None and settings.database_url is None:
        return data_dir / "archive"
    return settings.archive_dir


def build_retention(
    store: PostgresStore, hot: HotTurns | None = None, archives: Archives | None = None
) -> tuple[Retention, Forgets]:
    """The rules of what goes."""
    forgets = Forgets(store, Access(store), store.forget_orders(), hot, archives)
    return Retention(store, store.retained(), forgets), forgets


def build_embedder(settings: Settings, data_dir: Path) -> MeasuredEmbedder:
    """The embedding model that is configured; start it before use."""
    threads = settings.embedding_threads or max(1, (os.cpu_count() or 1) // settings.workers)
    key = settings.embedding_api_key
    embedder = make_embedder(
        settings.embedder,
        model=settings.embedding_model,
        base_url=settings.embedding_url,
        api_key=key.get_secret_value() if key else "",
        dimensions=settings.embedding_dimensions,
        cache_dir=data_dir / "models",
        threads=threads,
        timeout=settings.embedding_timeout_seconds,
    )
    return MeasuredEmbedder(embedder)


def chores(maintenance: Maintenance, jobs: IndexJobs, indexer: Indexer, search_log: SearchLog) -> list[Chore]:
    """What the server does by itself, and how often."""
    return [
        Chore("indexing", indexer.run, 1.0, indexer.wake),
        Chore("search log", search_log.flush, FLUSH_SECONDS),
        Chore("statistics", maintenance.refresh_statistics, 1.0),
        Chore("vector index", maintenance.turn_on_ann, 1.0),
        Chore("expired memories", maintenance.sweep_expired, 1.0),
        Chore("old requests", maintenance.sweep_requests, 600.0),
        Chore("old changes", maintenance.sweep_changes, 600.0),
        Chore("old searches", maintenance.sweep_searches, 3600.0),
        Chore("old audit events", maintenance.sweep_audit, 3600.0),
        Chore("finished indexing", jobs.sweep, 60.0),
    ]


def watch_chores(
    store: PostgresStore,
    embedder: MeasuredEmbedder,
    redis: RedisClient | None,
    report: Callable[[Mapping[str, bool], bool], Awaitable[None]],
) -> list[Chore]:
    """How the server watches itself and what it depends on."""
    watched = [
        Dependency(DATABASE, lambda: store.available, store.ping, vital=True),
        Dependency(MODEL, lambda: embedder.available, embedder.ping),
    ]
    if redis is not None:
        watched.append(Dependency(REDIS, lambda: redis.available, redis.ping))
    return [
        Chore("dependencies", Dependencies(watched, report).look, LOOK_SECONDS),
        Chore("loop lag", Lag().measure, LOOK_SECONDS),
        Chore("figures", Counting(store.observe).count, COUNT_SECONDS),
    ]


def session_chores(sessions: Sessions, reviews: Reviews) -> list[Chore]:
    """What becomes of sessions and reviews by itself."""
    return [
        Chore("ended sessions", sessions.settle, 5.0, sessions.wake),
        Chore("overdue reviews", reviews.expire, 30.0),
    ]


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
    archive_dir: Path | None = None,
    on_accepted: Callable[[], None] = lambda: None,
    on_reflection_due: Callable[[], None] = lambda: None,
) -> Core:
    """The rules over a store and a model. `search_log` is flushed by whoever gives it; without one, by MarkUsed only.
    `wakes` is closed by whoever gives it."""
    access = Access(store)
    audit = Audit(store, access)
    lines = Lines(calibration.duplicate_line, calibration.conflict_line)
    limit = settings.content_limit_bytes
    search_log = search_log or SearchLog(store)
    hot = HotTurns(cache)
    archives = build_archives(store, archive_dir, embedder.id)
    retention, forgets = build_retention(store, hot, archives)
    searches = Searches(store, access, embedder, reranker, log=search_log)
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
            together=WHILE_ASKING if settings.resolver == "llm" else TOGETHER,
            on_accepted=on_accepted,
        ),
        memories=Memories(store, access, embedder, content_limit=limit, archives=archives),
        searches=searches,
        contexts=Contexts(searches, store, access, search_log),
        forgets=forgets,
        sessions=Sessions(store, access, store.session_jobs(), content_limit=limit, hot=hot, on_due=on_reflection_due),
        reflections=Reflections(store, access, on_started=on_reflection_due),
        reviews=Reviews(store, access, embedder, store, content_limit=limit),
        figures=Figures(store, store, access, model_id=embedder.id),
        usage=Usage(store, access, search_log),
        moving=Moving(store, access, embedder, audit, content_limit=limit),
        watches=Watches(store, access, wakes or store.wakes()),
        retention=retention,
        archives=archives,
        sharing=Sharing(store, access),
        audit=audit,
    )


def _telemetry_options(settings: Settings) -> TelemetryOptions:
    host, _, port = settings.metrics_listen.rpartition(":")
    headers = settings.otlp_headers
    return TelemetryOptions(
        otlp_endpoint=settings.otlp_endpoint,
        otlp_protocol=settings.otlp_protocol,
        otlp_headers=headers.get_secret_value() if headers else "",
        sample_ratio=settings.trace_sample_ratio,
        metrics_host=host.strip("[]"),
        metrics_port=int(port or 0),
    )


def _upkeep_options(settings: Settings) -> MaintenanceOptions:
    days = settings.audit_retention_days
    return MaintenanceOptions(keep_audit=timedelta(days=days) if days else None)


def _rpc_settings(settings: Settings) -> RpcSettings:
    return RpcSettings(
        listen=settings.listen,
        max_message_bytes=settings.max_message_bytes,
        max_concurrent_rpcs=settings.max_concurrent_calls,
        connection_age_seconds=settings.connection_age_seconds,
        tls=tls_options(settings),
    )

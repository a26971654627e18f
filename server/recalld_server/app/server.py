"""A server from its first object to its last: start, drain, stop."""

from __future__ import annotations

import asyncio
import gc
import signal
import sys
from contextlib import AsyncExitStack

import structlog

from recalld_server import notify
from recalld_server.app.archive import build_archive
from recalld_server.app.callers import build_identity
from recalld_server.app.chores import chores, forgetting_chores, reflection_chores, session_chores, watch_chores
from recalld_server.app.endpoints import Endpoints
from recalld_server.app.fairness import build_fairness
from recalld_server.app.models import build_chat, build_embedder, build_reranker, build_resolver
from recalld_server.app.options import rpc_settings, telemetry_options, upkeep_options
from recalld_server.app.reflecting import build_worker
from recalld_server.app.replicas import open_replicas
from recalld_server.app.rules import build_core, build_indexer
from recalld_server.bootstrap import bootstrap
from recalld_server.core.limits import MeteredEmbedder
from recalld_server.core.search_log import SearchLog
from recalld_server.errors import EmbeddingModelMismatch
from recalld_server.models.base import load_calibration
from recalld_server.models.measured import MeasuredEmbedder
from recalld_server.models.start import start_embedder
from recalld_server.rpc.server import RpcServer
from recalld_server.settings import Settings
from recalld_server.store.postgres import PoolOptions, PostgresStore, migrate
from recalld_server.store.redis import RedisClient
from recalld_server.telemetry import start_telemetry
from recalld_server.upkeep import Upkeep

COLLECTED_EVERY = (20_000, 20, 20)
"""New objects, and collections of them, after which the collector looks for cycles: a batch of writes holds some 100,000 objects and
no cycle, and with Python's default a tenth of its time went into looking."""

log = structlog.get_logger(__name__)


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
        telemetry = start_telemetry(telemetry_options(settings))
        self._closing.push_async_callback(telemetry.close)
        await migrate(endpoints.migration_database_url, post=False)
        store = await self._open_store()
        self.redis = await self._open_redis()
        await self._first_key(store)
        embedder = await self._open_embedder(store)
        reads = await open_replicas(settings, store)
        if reads is not None:
            self._closing.push_async_callback(reads.close)
        calibration = load_calibration(embedder.id)
        search_log = SearchLog(store)
        self._closing.push_async_callback(search_log.close)
        chat = build_chat(settings)
        if chat is not None:
            self._closing.push_async_callback(chat.close)
        resolver = build_resolver(settings, chat)
        indexer = build_indexer(store, embedder, calibration, resolver)
        reranker = build_reranker(settings)
        if reranker is not None:
            self._closing.push_async_callback(reranker.close)
        wakes = store.wakes()
        self._closing.push_async_callback(wakes.close)
        runner = build_worker(store, embedder, calibration, settings, chat)
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
            archive=build_archive(settings, endpoints.data_dir),
            reads=reads,
            on_accepted=indexer.wake.set,
            on_reflection_due=runner.wake.set,
        )
        server_chores = chores(store.maintenance(upkeep_options(settings)), store.index_jobs(), indexer, search_log)
        identity = build_identity(settings, core.keys, store)
        self._server = RpcServer(
            core,
            rpc_settings(settings),
            fairness=fairness,
            identity=identity,
            positions=reads,
            on_drain=core.watches.drain,
        )
        watching = watch_chores(store, embedder, self.redis, reads, self._server.report)
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
        gc.set_threshold(*COLLECTED_EVERY)
        notify.tell(notify.READY)
        log.info("serving", address=address, model=embedder.id)
        return address

    async def stop(self) -> None:
        """NOT_SERVING, then the drain delay, then the calls under way, then everything else."""
        notify.tell(notify.STOPPING)
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

    async def _open_store(self) -> PostgresStore:
        settings, endpoints = self._settings, self._endpoints
        seconds, pooled = settings.database_timeout_seconds, settings.database_pooler
        options = PoolOptions(settings.database_pool_size, seconds, seconds, pooled=pooled)
        session_dsn = endpoints.migration_database_url if pooled else None
        store = PostgresStore(endpoints.database_url, options, session_dsn=session_dsn)
        await store.start()
        self._closing.push_async_callback(store.close)
        return store

    async def _first_key(self, store: PostgresStore) -> None:
        """Makes the root key on the first start, and shows it."""
        file = self._settings.root_key_file or self._endpoints.data_dir / "root.key"
        key = await bootstrap(store, file)
        if key is not None:
            # a log that is collected shall not hold it
            shown = key if self._settings.log_format == "console" else "not shown in a log"
            print(f"root key (shown once, kept in {file}): {shown}", file=sys.stderr)  # noqa: T201

    async def _open_embedder(self, store: PostgresStore) -> MeasuredEmbedder:
        """Raises EmbeddingModelMismatch when the stored vectors are another model's."""
        embedder = build_embedder(self._settings, self._endpoints.data_dir)
        self._closing.push_async_callback(embedder.close)
        await start_embedder(embedder, store.stored_model)
        active = await store.embedding_model(embedder.id, embedder.dimensions)
        if active != embedder.id:
            raise EmbeddingModelMismatch(active, embedder.id)
        return embedder

    async def _open_redis(self) -> RedisClient | None:
        if self._endpoints.redis_url is None:
            return None
        redis = RedisClient(self._endpoints.redis_url)
        self._closing.push_async_callback(redis.close)
        await redis.start()
        return redis

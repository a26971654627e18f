"""`recalld doctor`: looks at everything that a server needs, and says what to do about what is wrong. Changes nothing."""

from __future__ import annotations

import os
import platform
import shutil
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Literal

from recalld_server.app import Endpoints, build_archive, build_embedder
from recalld_server.app.replicas import replica_names, replica_urls
from recalld_server.errors import StoreUnavailable, Unavailable
from recalld_server.models.base import ModelSetupError
from recalld_server.settings import Settings, SettingsError
from recalld_server.store.base import Archive
from recalld_server.store.files import FolderArchive
from recalld_server.store.postgres import MigrationError
from recalld_server.store.postgres.inspect import Inspection, inspect, inspect_standby
from recalld_server.store.redis import RedisClient, RedisOptions

Level = Literal["ok", "warn", "fail"]

CLOCK_SECONDS = 2.0
QUEUE_SECONDS = 300.0
LEAST_FREE_BYTES = 1 << 30
OLDEST_POSTGRES = 15
OLDEST_VECTOR = (0, 8)
PROBE = ".recalld-doctor"
"""A file that is put into the archive and removed."""
TEXT = "A text of the doctor's. 医生的一段话。"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at. `todo` says what to do when it is not ok."""

    level: Level
    what: str
    says: str
    todo: str = ""


async def examine(settings: Settings, endpoints: Endpoints) -> AsyncIterator[Finding]:
    """Everything, one after the other; a thing that does not answer keeps nothing else from being looked at."""
    yield Finding("ok", "versions", f"recalld {version('recalld-server')}, Python {platform.python_version()}")
    stored = ""
    try:
        found = await inspect(endpoints.database_url)
    except (StoreUnavailable, MigrationError) as error:
        todo = "start PostgreSQL, make room on its disk, or correct RECALLD_DATABASE_URL (user, password, host, name)"
        yield Finding("fail", "database", str(error), todo)
    else:
        stored = found.model
        for finding in database(found, settings):
            yield finding
    urls = replica_urls(settings)
    for name, url in zip(replica_names(len(urls)), urls, strict=True):
        yield await replica(name, url, endpoints.database_url, settings.replica_max_lag_seconds)
    yield await model(settings, endpoints, stored)
    yield await cache(endpoints)
    yield await archive(settings, endpoints)
    yield disk(endpoints.data_dir)


def database(found: Inspection, settings: Settings) -> Iterator[Finding]:
    """What is to be said of a database that answers."""
    old = found.major < OLDEST_POSTGRES
    says = f"PostgreSQL {found.version} answers in {found.seconds * 1000:.1f} ms, {found.size_bytes / 1e6:,.0f} MB"
    todo = f"PostgreSQL {OLDEST_POSTGRES} or newer is needed: upgrade it"
    yield Finding("fail" if old else "ok", "database", says, todo if old else "")
    yield _extension(found)
    yield _migrations(found)
    if found.unprotected:
        todo = "somebody changed the schema: restore it from the migrations, and find out who may read these tables"
        yield Finding("fail", "row-level security", f"not forced on {', '.join(found.unprotected)}", todo)
    elif found.role_problem:
        todo = "correct the role as the migrations made it; the tables' owner runs `recalld migrate`"
        yield Finding("fail", "row-level security", found.role_problem, todo)
    elif found.model or not found.pending:
        yield Finding("ok", "row-level security", "forced on every table, and the server's role is bound by it")
    off = abs(found.clock_ahead) > CLOCK_SECONDS
    says = f"the database's clock is {found.clock_ahead:+.2f} s from this machine's"
    todo = "set both clocks by NTP: expiry, schedules and `as_of` go by them"
    yield Finding("warn" if off else "ok", "clocks", says, todo if off else "")
    if found.unsafe:
        todo = "switch it on, unless this database may be lost"
        yield Finding(
            "warn", "durability", f"{', '.join(found.unsafe)} is off: a crash loses acknowledged writes", todo
        )
    wanted, limit = settings.workers * settings.database_pool_size, found.connection_limit
    short = wanted > limit - 10
    says = f"{found.connections} of {limit} in use; this server may open {wanted}"
    todo = "raise max_connections, lower RECALLD_DATABASE_POOL_SIZE, or put PgBouncer in between"
    yield Finding("warn" if short else "ok", "connections", says, todo if short else "")
    yield from _queues(found)


def _extension(found: Inspection) -> Finding:
    if not found.vector:
        todo = (
            "install pgvector 0.8 or newer on the server and run `recalld migrate` as a user who may create extensions"
        )
        return Finding("fail" if not found.pending else "warn", "pgvector", "not in this database", todo)
    numbers = tuple(int(part) for part in found.vector.split(".")[:2])
    says = f"pgvector {found.vector} in schema {found.vector_schema}"
    if numbers < OLDEST_VECTOR:
        return Finding(
            "fail", "pgvector", says, "0.8 or newer is needed: upgrade it, then ALTER EXTENSION vector UPDATE"
        )
    return Finding("ok", "pgvector", says)


def _migrations(found: Inspection) -> Finding:
    if not found.pending:
        return Finding("ok", "migrations", "the schema is current")
    names = ", ".join(found.pending)
    todo = "run `recalld migrate`; a server that starts applies those named pre by itself"
    return Finding("warn", "migrations", f"{len(found.pending)} to apply: {names}", todo)


def _queues(found: Inspection) -> Iterator[Finding]:
    for queue in found.queues:
        says = f"{queue.depth} wait, the oldest for {queue.age:.0f} s; {queue.failed} given up"
        if queue.failed:
            todo = "see the error of the reflections that failed in the last day"
            if queue.name == "index":
                todo = "see the index_error of memories with index_state FAILED, then `recalld reindex --failed`"
            yield Finding("warn", f"queue {queue.name}", says, todo)
        elif queue.age > QUEUE_SECONDS:
            todo = "is a server running, and does its model answer? See its log"
            yield Finding("warn", f"queue {queue.name}", says, todo)
        else:
            yield Finding("ok", f"queue {queue.name}", says)


async def replica(name: str, url: str, database_url: str, max_lag: float) -> Finding:
    """Looks at a standby that answers reads. While it cannot, the database does."""
    try:
        found = await inspect_standby(url, database_url)
    except StoreUnavailable as error:
        todo = "start it, or correct RECALLD_REPLICA_DATABASE_URL; meanwhile the database answers its reads"
        return Finding("warn", name, str(error), todo)
    if not found.same:
        todo = "correct RECALLD_REPLICA_DATABASE_URL: servers refuse to start with it"
        return Finding("fail", name, "is a copy of another database", todo)
    if not found.is_standby:
        todo = (
            "if it was promoted, let RECALLD_DATABASE_URL lead to it, and make a new standby (pg_rewind, pg_basebackup)"
        )
        return Finding("warn", name, "is no standby (any more), and is not asked", todo)
    says = f"PostgreSQL {found.version}, {found.behind:,} bytes and {found.seconds:.1f} s behind"
    if found.paused:
        return Finding("warn", name, f"{says}; its replay is paused", "SELECT pg_wal_replay_resume() there")
    if not found.receives:
        todo = "correct its primary_conninfo and see its log: the database may have dropped the log that it needs"
        return Finding("warn", name, f"{says}; it receives nothing", todo)
    if found.behind and found.seconds > max_lag:
        todo = "it is not asked while it is so far behind: see its disk, its network, and long queries on it"
        return Finding("warn", name, says, todo)
    return Finding("ok", name, says)


async def model(settings: Settings, endpoints: Endpoints, stored: str) -> Finding:
    """Asks the embedding model for a vector. `stored`: the model whose vectors the database holds; empty: none yet."""
    try:
        embedder = build_embedder(settings, endpoints.data_dir)
    except ModelSetupError as error:
        return Finding("fail", "model", str(error), "correct the RECALLD_EMBEDDING_* settings")
    try:
        begin = time.perf_counter()
        await embedder.start()
        loaded = time.perf_counter()
        batch = await embedder.embed_passages([TEXT])
        seconds = time.perf_counter() - loaded
    except ModelSetupError as error:
        return Finding("fail", "model", str(error), "install or configure what it names")
    except Unavailable as error:
        todo = "start it, or correct RECALLD_EMBEDDING_URL, the model's name and its key; meanwhile words still find"
        return Finding("fail", "model", f"{embedder.id}: {error}", todo)
    finally:
        await embedder.close()
    if batch.vectors[0] is None:
        return Finding("fail", "model", f"{embedder.id}: {batch.errors[0]}", "try another model, or ask who runs it")
    if stored and stored != embedder.id:
        todo = "configure the model of the database, or run `recalld reembed`"
        return Finding("fail", "model", f"the database holds vectors of {stored}, configured is {embedder.id}", todo)
    says = f"{embedder.id}, {embedder.dimensions} dimensions; loaded in {loaded - begin:.1f} s, a text in {seconds * 1000:.0f} ms"
    return Finding("ok", "model", says)


async def cache(endpoints: Endpoints) -> Finding:
    """Asks Redis for a sign of life."""
    if endpoints.redis_url is None:
        return Finding("ok", "redis", "none is configured, and none is needed")
    client = RedisClient(endpoints.redis_url, RedisOptions(timeout=2.0, probe_timeout=2.0))
    try:
        await client.start()
        if client.available:
            return Finding("ok", "redis", "answers")
    finally:
        await client.close()
    todo = "start it, or correct RECALLD_REDIS_URL; meanwhile nothing is lost, answers are slower"
    return Finding("warn", "redis", "does not answer", todo)


async def archive(settings: Settings, endpoints: Endpoints) -> Finding:
    """Puts a file into the archive, reads it and removes it; a folder that is not there yet is not made."""
    try:
        place = build_archive(settings, endpoints.data_dir)
    except SettingsError as error:
        return Finding("fail", "archive", str(error), "install the client, or unset RECALLD_ARCHIVE_URL")
    if place is None:
        return Finding("ok", "archive", "none is configured: what is archived stays in the database")
    where = str(place.folder) if isinstance(place, FolderArchive) else settings.archive_url
    if isinstance(place, FolderArchive) and not place.folder.exists():
        return _to_be_made(place.folder)
    try:
        begin = time.perf_counter()
        await _round_trip(place)
    except StoreUnavailable as error:
        todo = "mend it: until then nothing goes cold, and what is cold can be neither restored nor erased"
        return Finding("fail", "archive", f"{where}: {error}", todo)
    return Finding("ok", "archive", f"{where} takes a file and gives it back in {time.perf_counter() - begin:.2f} s")


def _to_be_made(folder: Path) -> Finding:
    above = next(path for path in folder.absolute().parents if path.exists())
    if above.is_dir() and os.access(above, os.W_OK | os.X_OK):
        return Finding("ok", "archive", f"{folder} will be made when something goes there")
    todo = f"make the folder, for the user that the server runs as, or let it write to {above}"
    return Finding("fail", "archive", f"{folder} is not there and cannot be made", todo)


async def _round_trip(place: Archive) -> None:
    await place.put(PROBE, PROBE.encode())
    try:
        if await place.get(PROBE) != PROBE.encode():
            raise StoreUnavailable("the archive does not give back what was put there")
    finally:
        await place.delete(PROBE)


def disk(data_dir: Path) -> Finding:
    """How much room there is where the data directory is, or will be."""
    place = next(path for path in (data_dir, *data_dir.parents) if path.exists())
    usage = shutil.disk_usage(place)
    says = f"{usage.free / 1e9:,.1f} GB free of {usage.total / 1e9:,.1f} at {data_dir}"
    if usage.free < LEAST_FREE_BYTES:
        return Finding("warn", "disk", says, "make room: a database without room stops taking writes")
    return Finding("ok", "disk", says)

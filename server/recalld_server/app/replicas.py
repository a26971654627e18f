"""The standbys that answer reads, where some are configured."""

from __future__ import annotations

from recalld_server.settings import Settings, SettingsError
from recalld_server.store.postgres import PoolOptions, PostgresStore, Replica, ReplicatedReads


def replica_urls(settings: Settings) -> list[str]:
    """The addresses of the standbys, in order."""
    return settings.replica_database_url.get_secret_value().split() if settings.replica_database_url else []


def replica_names(count: int) -> list[str]:
    """What they are called in health, figures and logs."""
    return ["replica"] if count == 1 else [f"replica-{number}" for number in range(1, count + 1)]


async def open_replicas(settings: Settings, store: PostgresStore) -> ReplicatedReads | None:
    """Those that are configured, looked at once; one may be away. Raises SettingsError for a copy of another database."""
    urls = replica_urls(settings)
    if not urls:
        return None
    seconds = settings.database_timeout_seconds
    options = PoolOptions(settings.database_pool_size, seconds, seconds, application_name="recalld replica")
    replicas = [
        Replica(name, url, options, max_lag=settings.replica_max_lag_seconds)
        for name, url in zip(replica_names(len(urls)), urls, strict=True)
    ]
    reads = ReplicatedReads(store, replicas)
    await reads.look()
    if foreign := [replica.name for replica in replicas if replica.foreign]:
        await reads.close()
        raise SettingsError(
            f"RECALLD_REPLICA_DATABASE_URL: {foreign[0]} is no standby of RECALLD_DATABASE_URL, but another database"
        )
    return reads

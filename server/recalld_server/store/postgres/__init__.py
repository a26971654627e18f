"""The store on PostgreSQL with pgvector."""

from recalld_server.store.postgres.candidates import SearchOptions
from recalld_server.store.postgres.maintenance import Maintenance, MaintenanceOptions
from recalld_server.store.postgres.migrate import migrate, pending
from recalld_server.store.postgres.migration import MigrationError
from recalld_server.store.postgres.pool import PoolOptions
from recalld_server.store.postgres.replica import Replica
from recalld_server.store.postgres.replicated import ReplicatedReads
from recalld_server.store.postgres.store import PostgresStore

__all__ = [
    "Maintenance",
    "MaintenanceOptions",
    "MigrationError",
    "PoolOptions",
    "PostgresStore",
    "Replica",
    "ReplicatedReads",
    "SearchOptions",
    "migrate",
    "pending",
]

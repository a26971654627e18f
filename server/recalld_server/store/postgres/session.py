"""The settings of a connection, and how it gets them: once when it is made, or anew in each transaction where a pooler
(PgBouncer in transaction mode) hands a server connection to whoever comes next."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import asyncpg

from recalld_server.store.postgres import codecs
from recalld_server.store.postgres.migrate import APP_ROLE, search_path


def session_settings(schema: str, statement_timeout: float, idle_timeout: float) -> dict[str, str]:
    """What each transaction runs under. `schema`: that of pgvector. Times in seconds."""
    return {
        "role": APP_ROLE,
        "search_path": search_path(schema),
        "timezone": "UTC",
        "jit": "off",
        # every statement names its namespace, and every index begins with it
        "enable_seqscan": "off",
        "statement_timeout": str(int(statement_timeout * 1000)),
        "idle_in_transaction_session_timeout": str(int(idle_timeout * 1000)),
        # an index scan goes on until the filters are satisfied
        "hnsw.iterative_scan": "relaxed_order",
        "hnsw.ef_search": "200",
    }


def in_transaction(settings: Mapping[str, str]) -> str:
    """A statement, to follow BEGIN, that gives one transaction these settings."""
    pairs = ((name, value.replace("'", "''")) for name, value in settings.items())
    return "; SELECT " + ", ".join(f"set_config('{name}', '{value}', true)" for name, value in pairs)


def pool_options(pooled: bool, application_name: str, settings: Mapping[str, str]) -> dict[str, Any]:
    """What asyncpg is told when it makes connections."""
    if not pooled:
        return {"server_settings": {"application_name": application_name, **settings}}
    # a statement that was prepared on one server connection is not there on the next
    return {"server_settings": {"application_name": application_name}, "statement_cache_size": 0}


async def register_codecs(connection: asyncpg.Connection, schema: str, *, pooled: bool) -> None:
    """Teaches a connection pgvector's types; behind a pooler in one transaction, so on one server connection."""
    if not pooled:
        await codecs.register(connection, schema)
        return
    async with connection.transaction():
        await codecs.register(connection, schema)

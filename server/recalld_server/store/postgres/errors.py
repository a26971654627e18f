"""What the driver reports, as errors of ours. The only place that looks at driver errors."""

from __future__ import annotations

import asyncio

import asyncpg

from recalld_server.errors import StoreUnavailable

DRIVER_ERRORS = (
    *(asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError),
    *(OSError, TimeoutError, asyncio.TimeoutError),
)
"""All that a call of the driver may raise, cancellation apart."""

_RETRY_AT_ONCE = ("40001", "40P01")  # serialization_failure, deadlock_detected
_DISK_FULL = "53100"
_BUSY = ("53", "55P03", "57014")  # insufficient_resources, lock_not_available, query_canceled (statement_timeout)
_AWAY = ("08", "57P", "25P03", "25P04")  # connection exceptions, shutdown and crash, idle in transaction


class StoreFault(Exception):
    """A fault of ours: the database refused a statement. Says the SQLSTATE and no value of any row."""


class Taken(StoreFault):
    """A row that must be the only one of its kind is there already."""


def translate(error: BaseException) -> Exception:
    """The error to raise instead. It holds neither SQL nor values: a driver's message may quote those."""
    code = getattr(error, "sqlstate", None) or ""
    if isinstance(error, asyncpg.PostgresError):
        if code.startswith(_RETRY_AT_ONCE):
            return StoreUnavailable("the database undid this because of another change at the same time", 0.05)
        if code == _DISK_FULL:
            return StoreUnavailable("the database's disk is full: make room on it", 5.0)
        if code.startswith(_BUSY):
            return StoreUnavailable("the database did not answer in time", 1.0)
        if code.startswith(_AWAY):
            return StoreUnavailable("the database is not there at the moment", 1.0)
        if code == "23505":
            return Taken("the database refused a second row of its kind (SQLSTATE 23505)")
        # Class 42 is about names in our own SQL; any other message may quote a row.
        detail = f": {error.args[0]}" if code.startswith("42") and error.args else ""
        return StoreFault(f"the database refused a statement (SQLSTATE {code}){detail}")
    if isinstance(error, TimeoutError):
        return StoreUnavailable("the database did not answer in time", 1.0)
    if isinstance(error, asyncpg.InterfaceError) and isinstance(error, ValueError):
        # asyncpg.DataError: an argument that no column can hold
        return StoreFault("a value could not be sent to the database")
    if isinstance(error, asyncpg.InterfaceError | asyncpg.InternalClientError):
        # the second is what a connection answers between the database's last word and the end of the socket
        return StoreUnavailable("the connection to the database was lost", 1.0)
    if isinstance(error, OSError):
        return StoreUnavailable("the database is not there at the moment", 1.0)
    return StoreFault(f"the database driver failed ({type(error).__name__})")

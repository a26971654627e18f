"""The embedded PostgreSQL: made, started, adopted and stopped in one data directory."""

import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from signal import SIGINT, SIGKILL, SIGQUIT, SIGTERM
from types import MappingProxyType
from urllib.parse import quote

from recalld_server.embedded import process
from recalld_server.embedded.binaries import PostgresBinaries, find_postgres, for_account_postgres
from recalld_server.embedded.errors import DataDirectoryError, EmbeddedError
from recalld_server.embedded.memory import shared_buffers
from recalld_server.embedded.places import (
    Account,
    account_for,
    is_known,
    open_data_dir,
    own_directory,
    reachable,
    run_directory,
)

SUPERUSER = "postgres"
PORT = 5432
"""Names the socket; no TCP port is opened."""

CLUSTER = "postgres"
LOCK = "postgres.lock"
SOCKET_NAME = f".s.PGSQL.{PORT}"
ENVIRONMENT = MappingProxyType({"LC_ALL": "C.UTF-8", "PATH": os.defpath, "TZ": "UTC"})

# terse: a DETAIL line may quote the values of a row, and those are somebody's memories.
DEFAULTS = MappingProxyType(
    {
        "cluster_name": "recalld",
        "max_connections": "100",
        "wal_compression": "on",
        "jit": "off",
        # plans made for what was there before a batch are slow after it
        "autovacuum_naptime": "10s",
        "log_checkpoints": "off",
        "log_error_verbosity": "terse",
    }
)
RESERVED = frozenset(
    {
        "listen_addresses",
        "port",
        "unix_socket_directories",
        "unix_socket_group",
        "unix_socket_permissions",
        "data_directory",
        "config_file",
        "hba_file",
        "ident_file",
        "external_pid_file",
    }
)
NO_SETTINGS: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class PostgresHandle:
    """A running PostgreSQL. `adopted`: another process started it. `pid` is 0 across PID namespaces."""

    socket_dir: Path
    port: int
    superuser: str
    adopted: bool
    pid: int

    def dsn(self, database: str = "postgres", user: str | None = None) -> str:
        """The libpq URI of `database` for `user` (the superuser unless given); the socket asks for no password."""
        name, base, host = (quote(part, safe="") for part in (user or self.superuser, database, str(self.socket_dir)))
        return f"postgresql://{name}@/{base}?host={host}&port={self.port}"


def holds_database(data_dir: Path) -> bool:
    """Whether a server has made its database in `data_dir`, or has begun to."""
    return (data_dir / CLUSTER).is_dir()


def start_postgres(
    data_dir: Path, *, binaries: Path | None = None, settings: Mapping[str, str] = NO_SETTINGS
) -> PostgresHandle:
    """Start PostgreSQL in `data_dir`, or adopt the one that runs there; returns when it takes connections.

    It listens on a unix socket only and gets a fast shutdown when this process ends, however it ends; then another
    process that shares `data_dir` calls this again. `settings` are server settings (``{"fsync": "off"}``), for a
    server that this call starts. `binaries`: see `find_postgres`. Blocks: 0.1–0.2 s, about 1 s the first time.

    Raises EmbeddedError: BinariesMissingError, DataDirectoryError, StartError.
    """
    _check(settings)
    root = open_data_dir(data_dir)
    cluster = root / CLUSTER
    account = account_for(root)
    sockets = run_directory(root, account, SOCKET_NAME)
    lock_path = root / LOCK

    def launch(lock: process.Lock) -> process.Child:
        return _launch(root, cluster, sockets, account, lock, find_postgres(binaries), settings)

    pid = process.start_or_adopt("PostgreSQL", lock_path, account, lambda: answering(sockets), launch)
    return PostgresHandle(sockets, PORT, SUPERUSER, not process.started_here(lock_path, pid), pid)


def postgres_ended(data_dir: Path) -> bool:
    """Whether the PostgreSQL of `data_dir`, whoever started it, has ended with all its processes."""
    return process.is_free(data_dir.resolve() / LOCK)


def stop_postgres(data_dir: Path) -> None:
    """Stop the PostgreSQL that this process started in `data_dir` (fast shutdown: clients are disconnected).

    Returns when it is gone. Leaves a server that another process started alone.
    """
    process.stop(data_dir.resolve() / LOCK, ((SIGINT, 30), (SIGQUIT, 10), (SIGKILL, 10)))


def answering(sockets: Path) -> int | None:
    """The process id of the server at `sockets` when it takes connections, else None (as pg_isready decides)."""
    body = b"\0\3\0\0" + f"user\0{SUPERUSER}\0database\0postgres\0\0".encode()
    reply = process.ask(sockets / SOCKET_NAME, (len(body) + 4).to_bytes(4) + body)
    # 57P03 cannot_connect_now: starting, recovering or stopping. Any other answer comes from a working server.
    if reply is None or not reply[0] or b"C57P03\0" in reply[0]:
        return None
    return reply[1]


def _check(settings: Mapping[str, str]) -> None:
    for name in settings:
        if not re.fullmatch(r"[a-z_][a-z0-9_]*(\.[a-z_][a-z0-9_]*)?", name):
            raise EmbeddedError(f"{name!r} is not the name of a PostgreSQL setting")
        if name in RESERVED:
            raise EmbeddedError(f"the PostgreSQL setting {name!r} belongs to the embedded server and cannot be changed")


def _launch(
    root: Path,
    cluster: Path,
    sockets: Path,
    account: Account,
    lock: process.Lock,
    found: PostgresBinaries,
    settings: Mapping[str, str],
) -> process.Child:
    bin_dir = for_account_postgres(found.bin, account, (root if reachable(root, account) else sockets) / "binaries")
    log = process.open_log(root / "postgres.log", account)
    try:
        if not _has_cluster(cluster, found.major):
            durable = settings.get("fsync", "on") != "off"
            _make_cluster(cluster, bin_dir, account, lock, log, durable=durable)
        _remove_leftovers(cluster, sockets)
        quoted = str(sockets).replace('"', '""')
        options = {
            **DEFAULTS,
            "shared_buffers": shared_buffers(),
            **settings,
            "listen_addresses": "",
            "unix_socket_directories": f'"{quoted}"',
        }
        child = process.spawn(
            [bin_dir / "postgres", "-D", _as_seen(cluster, account), *_flags(options)],
            account=account,
            directory=cluster,
            environment=ENVIRONMENT,
            lock=lock,
            log=log,
            death_signal=SIGINT,
        )
        process.wait_until("PostgreSQL", child, lambda: answering(sockets) is not None, log)
    finally:
        os.close(log.fd)
    return child


def _flags(options: Mapping[str, str]) -> list[str]:
    return [part for name, value in options.items() for part in ("-c", f"{name}={value}")]


def _as_seen(directory: Path, account: Account) -> str:
    """How a process of `account` that was started inside `directory` names it, also below a parent it cannot enter."""
    return str(directory) if reachable(directory, account) else "/proc/self/cwd"


def _has_cluster(cluster: Path, major: int) -> bool:
    """Whether a finished cluster is there. Raises DataDirectoryError when it is not ours or not for this `major`."""
    try:
        found = (cluster / "PG_VERSION").read_text().strip()
    except FileNotFoundError:
        if cluster.is_dir() and any(cluster.iterdir()):
            raise DataDirectoryError(
                f"{cluster} is not empty and not a PostgreSQL cluster. Move it away, or choose another --data-dir."
            ) from None
        return False
    except OSError as error:
        raise DataDirectoryError(f"cannot read {cluster}: {error}. Run as its owner.") from error
    if found != str(major):
        raise DataDirectoryError(
            f"{cluster} was made by PostgreSQL {found} and the binaries are {major}. Use binaries of {found}, "
            f"or export from there and import into a new --data-dir."
        )
    return True


def _make_cluster(
    cluster: Path, bin_dir: Path, account: Account, lock: process.Lock, log: process.Log, *, durable: bool
) -> None:
    """Make a cluster beside its place and move it there when it is finished, so that none is ever there half made."""
    if not is_known(account):
        raise DataDirectoryError(
            f"user id {account.uid} has no entry in the user database, and PostgreSQL makes no database without one. "
            "Add one (/etc/passwd), or run as a user that has it."
        )
    unfinished = cluster.with_name("postgres.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    own_directory(unfinished, account)
    child = process.spawn(
        [
            *(bin_dir / "initdb", "-D", _as_seen(unfinished, account), "-U", SUPERUSER, "-A", "trust", "-E", "UTF8"),
            *("--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C.UTF-8", "--lc-messages=C"),
            *([] if durable else ["--no-sync"]),
        ],
        account=account,
        directory=unfinished,
        environment=ENVIRONMENT,
        lock=lock,
        log=log,
        death_signal=SIGTERM,
    )
    process.wait_until("initdb", child, lambda: child.poll() == 0, log)
    unfinished.rename(cluster)


def _remove_leftovers(cluster: Path, sockets: Path) -> None:
    """Remove what a killed server left; PostgreSQL would believe it if its process id is in use again.

    We hold the lock, so no server that we started runs. Raises DataDirectoryError when one that we did not start does.
    """
    pid_file = cluster / "postmaster.pid"
    if pid_file.exists():
        pid = pid_file.read_text().split("\n", 1)[0].strip()
        if pid.isdecimal() and _runs_in(cluster, pid):
            raise DataDirectoryError(
                f"a PostgreSQL (process {pid}) that recalld did not start is using {cluster}. Stop it and start again."
            )
    for path in (pid_file, sockets / SOCKET_NAME, sockets / f"{SOCKET_NAME}.lock"):
        path.unlink(missing_ok=True)


def _runs_in(cluster: Path, pid: str) -> bool:
    # PostgreSQL works inside its data directory. OSError: gone, a zombie, or another user's and so not on our files.
    try:
        return Path("/proc", pid, "cwd").samefile(cluster)
    except OSError:
        return False

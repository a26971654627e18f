"""The embedded Valkey: started, adopted and stopped in one data directory."""

import os
from dataclasses import dataclass
from pathlib import Path
from signal import SIGKILL, SIGTERM
from types import MappingProxyType
from urllib.parse import quote

from recalld_server.embedded import process
from recalld_server.embedded.binaries import find_valkey, for_account_valkey
from recalld_server.embedded.places import Account, account_for, open_data_dir, own_directory, reachable, run_directory

LOCK = "valkey.lock"
SOCKET_NAME = "valkey.sock"
ENVIRONMENT = MappingProxyType({"LC_ALL": "C.UTF-8", "PATH": os.defpath, "TZ": "UTC"})

# All of it can be rebuilt from PostgreSQL: when memory is full, the least used goes and no write is refused, and nothing
# is written to disk, where it would outlive its erasure.
OPTIONS = MappingProxyType(
    {
        "port": "0",
        "unixsocketperm": "700",
        "dir": ".",
        "save": "",
        "appendonly": "no",
        "maxmemory": "256mb",
        "maxmemory-policy": "allkeys-lru",
        "daemonize": "no",
    }
)


@dataclass(frozen=True, slots=True)
class ValkeyHandle:
    """A running Valkey. `adopted`: another process started it. `pid` is 0 across PID namespaces."""

    socket: Path
    adopted: bool
    pid: int

    @property
    def url(self) -> str:
        """The ``unix://`` URL of the socket."""
        return f"unix://{quote(str(self.socket))}"


def start_valkey(data_dir: Path, *, binaries: Path | None = None) -> ValkeyHandle:
    """Start Valkey in `data_dir`, or adopt the one that runs there; returns when it answers.

    It listens on a unix socket only, keeps nothing on disk, and ends when this process ends, however it ends; then another process that shares `data_dir` calls this again. `binaries`: see `find_valkey`. Blocks: 0.05–0.1 s.

    Raises EmbeddedError: BinariesMissingError, DataDirectoryError, StartError.
    """
    root = open_data_dir(data_dir)
    files = root / "valkey"
    account = account_for(root)
    socket = run_directory(root, account, SOCKET_NAME) / SOCKET_NAME
    lock_path = root / LOCK

    def launch(lock: process.Lock) -> process.Child:
        return _launch(root, files, socket, account, lock, find_valkey(binaries))

    pid = process.start_or_adopt("Valkey", lock_path, account, lambda: answering(socket), launch)
    return ValkeyHandle(socket, not process.started_here(lock_path, pid), pid)


def valkey_ended(data_dir: Path) -> bool:
    """Whether the Valkey of `data_dir`, whoever started it, has ended with all its processes."""
    return process.is_free(data_dir.resolve() / LOCK)


def stop_valkey(data_dir: Path) -> None:
    """Stop the Valkey that this process started in `data_dir`.

    Returns when it is gone. Leaves a server that another process started alone.
    """
    process.stop(data_dir.resolve() / LOCK, ((SIGTERM, 20), (SIGKILL, 10)))


def answering(socket: Path) -> int | None:
    """The process id of the server at `socket` when it serves, else None (also while it loads its file)."""
    reply = process.ask(socket, b"PING\r\n")
    return reply[1] if reply and reply[0].startswith(b"+PONG") else None


def _launch(root: Path, files: Path, socket: Path, account: Account, lock: process.Lock, found: Path) -> process.Child:
    shelf = (root if reachable(root, account) else socket.parent) / "binaries"
    program = for_account_valkey(found, account, shelf)
    own_directory(files, account)
    socket.unlink(missing_ok=True)
    flags = [part for name, value in OPTIONS.items() for part in (f"--{name}", value)]
    log = process.open_log(root / "valkey.log", account)
    try:
        child = process.spawn(
            [program, "--unixsocket", socket, *flags],
            account=account,
            directory=files,
            environment=ENVIRONMENT,
            lock=lock,
            log=log,
            death_signal=SIGTERM,
        )
        process.wait_until("Valkey", child, lambda: answering(socket) is not None, log)
    finally:
        os.close(log.fd)
    return child

"""The files that the bridges and the keeper of one data directory share."""

from __future__ import annotations

import fcntl
import os
import pwd
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path


def default_data_dir() -> Path:
    """Where `recalld serve` keeps its data when it is told nothing."""
    if os.geteuid() == 0:
        return Path("/var/lib/recalld")
    state = os.environ.get("XDG_STATE_HOME", "")
    if os.path.isabs(state):
        return Path(state, "recalld")
    home = os.environ.get("HOME") or _home()
    return Path(home, ".local/state/recalld") if home else Path(f"/var/tmp/recalld-{os.geteuid()}")  # noqa: S108


def _home() -> str | None:
    with suppress(KeyError):
        home = pwd.getpwuid(os.geteuid()).pw_dir
        if os.access(home, os.W_OK | os.X_OK):
            return home
    return None


@dataclass(frozen=True, slots=True)
class Places:
    """Where they are."""

    data_dir: Path

    @property
    def folder(self) -> Path:
        """For the bridges' own files; only for this user."""
        return self.data_dir / "mcp"

    @property
    def users_lock(self) -> Path:
        """Held shared by each bridge, exclusively by a keeper that stops."""
        return self.folder / "users.lock"

    @property
    def start_lock(self) -> Path:
        """Held by the bridge that looks for a server, or starts one."""
        return self.folder / "start.lock"

    @property
    def keeper_lock(self) -> Path:
        """Held by the keeper for as long as it lives."""
        return self.folder / "keeper.lock"

    @property
    def addr(self) -> Path:
        """Where the keeper's server listens."""
        return self.folder / "addr"

    @property
    def log(self) -> Path:
        """What the server says."""
        return self.folder / "server.log"

    @property
    def root_key(self) -> Path:
        """The server's first key."""
        return self.data_dir / "root.key"

    def make(self) -> None:
        """Makes the folders that are not there. Raises OSError."""
        self.data_dir.parent.mkdir(parents=True, exist_ok=True)
        # The database of a server that runs as root runs as nobody, and must pass through.
        self.data_dir.mkdir(mode=0o711 if os.geteuid() == 0 else 0o700, exist_ok=True)
        self.folder.mkdir(mode=0o700, exist_ok=True)

    def running_at(self) -> str | None:
        """The address of the server that a keeper keeps; None when there is no keeper."""
        try:
            descriptor = try_lock(self.keeper_lock, fcntl.LOCK_SH)
            if descriptor is None:
                return self.addr.read_text()
            os.close(descriptor)
        except OSError:
            pass  # the folder is not there, or the keeper has only just begun
        return None


def try_lock(path: Path, kind: int) -> int | None:
    """The open descriptor that holds the lock until it is closed or the process ends; None when another holds it."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor

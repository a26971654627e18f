"""Where an embedded server keeps its files and sockets, and as whom it runs."""

import hashlib
import os
import pwd
import stat
from dataclasses import dataclass
from pathlib import Path

from recalld_server.embedded.errors import DataDirectoryError

SOCKET_PATH_LIMIT = 107
"""Bytes that fit in ``sockaddr_un.sun_path`` with its final NUL (unix(7))."""

# Fixed, not TMPDIR: two servers with different environments must agree on it.
SHORT_ROOT = Path("/tmp")  # noqa: S108


@dataclass(frozen=True, slots=True)
class Account:
    """The user and group that a server runs as."""

    uid: int
    gid: int


def default_data_dir() -> Path:
    """The data directory of a server that was given none.

    ``/var/lib/recalld`` for root; else ``$XDG_STATE_HOME/recalld`` when that is absolute, else
    ``~/.local/state/recalld``. Without ``HOME`` and without a writable home in the user database:
    ``/var/tmp/recalld-<uid>``, which survives a restart of the machine.
    """
    if os.geteuid() == 0:
        return Path("/var/lib/recalld")
    state = os.environ.get("XDG_STATE_HOME", "")
    if os.path.isabs(state):
        return Path(state, "recalld")
    home = os.environ.get("HOME") or _home_of(os.geteuid())
    if home:
        return Path(home, ".local/state/recalld")
    return Path(f"/var/tmp/recalld-{os.geteuid()}")  # noqa: S108


def _home_of(uid: int) -> str | None:
    try:
        home = pwd.getpwuid(uid).pw_dir
    except KeyError:
        return None
    return home if os.access(home, os.W_OK | os.X_OK) else None


def open_data_dir(data_dir: Path) -> Path:
    """Make `data_dir` if it is not there and return its real path.

    Raises DataDirectoryError when it cannot be made or written, or belongs to another user.
    """
    try:
        path = data_dir.resolve()
        # A server that runs as nobody must pass through a directory made by root.
        path.mkdir(mode=0o711 if os.geteuid() == 0 else 0o700, parents=True, exist_ok=True)
        owner = path.stat().st_uid
    except (OSError, RuntimeError) as error:
        raise DataDirectoryError(
            f"cannot use the data directory {data_dir}: {error}. Choose a writable one with --data-dir."
        ) from error
    if os.geteuid() not in (0, owner) and owner != 0:
        raise DataDirectoryError(
            f"the data directory {path} belongs to user id {owner}, not to this process ({os.geteuid()}). "
            "Run as its owner, or choose another with --data-dir."
        )
    if not os.access(path, os.W_OK | os.X_OK, effective_ids=True):
        raise DataDirectoryError(
            f"the data directory {path} is read-only, or not writable by user id {os.geteuid()}. "
            "Change that, or choose another with --data-dir."
        )
    return path


def account_for(root: Path) -> Account:
    """Who runs the servers of the data directory `root`: this user; for root its owner, or ``nobody`` when root owns it.

    Raises DataDirectoryError when there is no ``nobody``.
    """
    if os.geteuid() != 0:
        return Account(os.geteuid(), os.getegid())
    owner = root.stat()
    if owner.st_uid != 0:
        return Account(owner.st_uid, owner.st_gid)
    try:
        nobody = pwd.getpwnam("nobody")
    except KeyError as error:
        raise DataDirectoryError(
            "PostgreSQL refuses to run as root and there is no user 'nobody' here. Run as an ordinary user, "
            f"or give {root} to the user that shall run it."
        ) from error
    return Account(nobody.pw_uid, nobody.pw_gid)


def is_known(account: Account) -> bool:
    """Whether the user database names `account`; in a container the given user id often has no entry."""
    try:
        pwd.getpwuid(account.uid)
    except KeyError:
        return False
    return True


def reachable(path: Path, account: Account) -> bool:
    """Whether `account` may enter the directory `path` and each one above it."""
    if os.geteuid() != 0:
        return os.access(path, os.X_OK)
    return all(_permits(place, account, 0o1) for place in (path, *path.parents))


def readable(path: Path, account: Account) -> bool:
    """Whether `account` may read and enter or execute `path`, its parents aside."""
    return _permits(path, account, 0o5)


def _permits(path: Path, account: Account, bits: int) -> bool:
    found = path.stat()
    shift = 6 if found.st_uid == account.uid else 3 if found.st_gid == account.gid else 0
    return (found.st_mode >> shift) & bits == bits


def own_file(path: Path, flags: int, account: Account) -> int:
    """Open `path` with `flags`, made with mode 0600 for `account`, so that root leaves nothing it cannot open later."""
    fd = os.open(path, flags | os.O_CREAT, 0o600)
    if os.geteuid() == 0:
        os.fchown(fd, account.uid, account.gid)
    return fd


def own_directory(path: Path, account: Account) -> Path:
    """Make `path` if it is not there, for `account` alone (0700).

    Raises DataDirectoryError when something else is there, or it belongs to a third user.
    """
    try:
        path.mkdir(mode=0o700, exist_ok=True)
        found = path.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid not in (account.uid, os.geteuid()):
            raise DataDirectoryError(
                f"{path} is in the way: it is not a directory of user id {account.uid}. Remove it."
            )
        if found.st_uid != account.uid:
            os.chown(path, account.uid, account.gid)
        path.chmod(0o700)
    except OSError as error:
        raise DataDirectoryError(
            f"cannot prepare {path}: {error}. Correct its owner and permissions, or choose another --data-dir."
        ) from error
    return path


def run_directory(root: Path, account: Account, socket_name: str) -> Path:
    """The directory of the sockets, made if needed: ``root/run``, or a short one in /tmp named after `root`.

    The short one serves when the socket's path would pass SOCKET_PATH_LIMIT or cannot stand in a DSN, or when
    `account` cannot enter `root`.
    """
    path = root / "run"
    too_long = len(os.fsencode(path / socket_name)) > SOCKET_PATH_LIMIT
    # In a DSN a comma parts one host from the next, escaped or not.
    if too_long or "," in str(path) or not reachable(root, account):
        key = hashlib.sha256(os.fsencode(root)).hexdigest()[:16]
        path = SHORT_ROOT / f"recalld-{account.uid}-{key}"
    return own_directory(path, account)

"""Child processes that end with us, one lock per server, and the wait until a server answers.

The lock is an flock on a file. The one who starts a server takes it and lets the server inherit it, so it is held
exactly as long as any process of that server lives, whoever started it and however it ends. Nothing here trusts a
process id that was read from a file.
"""

import fcntl
import os
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from signal import Signals

from recalld_server.embedded.errors import DataDirectoryError, EmbeddedError, StartError
from recalld_server.embedded.places import Account, own_file

START_SECONDS = 120.0
"""How long a server may take to answer: crash recovery replays up to 1 GB of log."""
POLL_SECONDS = 0.005
LOG_BYTES = 1 << 20
LAUNCHER = Path(__file__).with_name("launcher.py")

Child = subprocess.Popen[bytes]

# By lock file: who started it (a forked worker inherits this table, not the children) and the child itself.
_children: dict[Path, tuple[int, Child]] = {}


@dataclass(frozen=True, slots=True)
class Log:
    """The output of one start, appended to a file."""

    path: Path
    fd: int
    start: int

    def tail(self) -> str:
        """The end of what was written since the start, at most 2,000 bytes."""
        with self.path.open("rb") as file:
            file.seek(max(self.start, os.fstat(self.fd).st_size - 2000))
            text = file.read().decode(errors="replace").strip()
        return f"\n{self.path} ends with:\n{text}" if text else f"\n{self.path} has nothing about this start."


def open_log(path: Path, account: Account) -> Log:
    """Open the log at `path`; what an earlier run left moves to ``<path>.1`` once it passes LOG_BYTES."""
    if path.exists() and path.stat().st_size > LOG_BYTES:
        path.replace(path.with_name(path.name + ".1"))
    fd = own_file(path, os.O_WRONLY | os.O_APPEND, account)
    return Log(path, fd, os.fstat(fd).st_size)


@dataclass(frozen=True, slots=True)
class Lock:
    """A held lock: the file and the descriptor that holds it."""

    path: Path
    fd: int


def try_lock(path: Path, account: Account) -> Lock | None:
    """Take the lock, or None while a server holds it or is being started."""
    try:
        fd = own_file(path, os.O_RDWR, account)
    except OSError as error:
        raise DataDirectoryError(
            f"cannot write in the data directory: {error}. Correct its owner, or choose another with --data-dir."
        ) from error
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(fd)
        return None
    return Lock(path, fd)


def is_free(path: Path) -> bool:
    """Whether nobody holds the lock: the server has ended, with all its processes. False where it was never started."""
    try:
        fd = os.open(path, os.O_RDWR)
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(fd)
    return True


def start_or_adopt(
    name: str, lock_path: Path, account: Account, answering: Callable[[], int | None], launch: Callable[[Lock], Child]
) -> int:
    """The process id of the one server under `lock_path`: of the running one, or of the one that `launch` starts.

    A server that is starting, stopping or recovering is waited for. Raises EmbeddedError.
    """
    if sys.platform != "linux":
        raise EmbeddedError("the embedded servers run on Linux only; configure a PostgreSQL and a Valkey to use")
    deadline = time.monotonic() + START_SECONDS
    while True:
        lock = try_lock(lock_path, account)
        if lock is not None:
            try:
                child = launch(lock)
            except OSError as error:
                raise DataDirectoryError(
                    f"cannot prepare {name} in {lock_path.parent}: {error}. Make room or correct what it names."
                ) from error
            finally:
                os.close(lock.fd)
            return child.pid
        if (pid := answering()) is not None:
            return pid
        if time.monotonic() > deadline:
            raise StartError(
                f"another process holds {lock_path} and its {name} has not answered for {START_SECONDS:.0f} s. "
                f"Find it with 'fuser {lock_path}', stop it, and start again."
            )
        time.sleep(POLL_SECONDS)


def spawn(
    command: Sequence[str | Path],
    *,
    account: Account,
    directory: Path,
    environment: Mapping[str, str],
    lock: Lock,
    log: Log,
    death_signal: Signals,
) -> Child:
    """Run `command` as `account` in `directory`, holding `lock`; it gets `death_signal` when this process ends."""
    arguments = [account.uid, account.gid, os.getpid(), int(death_signal), *command]
    started: Future[Child] = Future()

    def keep() -> None:
        try:
            child = subprocess.Popen(  # noqa: S603 - our own argument list, no shell
                [sys.executable, "-I", "-S", str(LAUNCHER), *map(str, arguments)],
                cwd=directory,
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=log.fd,
                stderr=log.fd,
                pass_fds=(lock.fd,),
                # A Ctrl-C in the terminal is for us; the servers stop after we have drained.
                start_new_session=True,
            )
        except OSError as error:
            started.set_exception(StartError(f"cannot run {sys.executable}: {error}"))
            return
        _children[lock.path] = (os.getpid(), child)
        started.set_result(child)
        child.wait()

    # The kernel sends the death signal when the *thread* that forked ends, so this one lives as long as the child.
    threading.Thread(target=keep, name="recalld-embedded", daemon=True).start()
    return started.result()


def wait_until(name: str, child: Child, done: Callable[[], bool], log: Log) -> None:
    """Return when `done()`. Raises StartError when the child ends first or it takes too long; then the child is gone."""
    deadline = time.monotonic() + START_SECONDS
    try:
        while not done():
            if (code := child.poll()) is not None and not done():
                raise StartError(f"{name} ended with code {code} while starting.{log.tail()}")
            if time.monotonic() > deadline:
                raise StartError(f"{name} was not ready within {START_SECONDS:.0f} s and was stopped.{log.tail()}")
            time.sleep(POLL_SECONDS)
    except BaseException:  # also a Ctrl-C: nobody else knows of the child yet
        child.kill()
        child.wait()
        raise


def started_here(lock_path: Path, pid: int) -> bool:
    """Whether `pid` is a living server that this process started under `lock_path`."""
    owner, child = _children.get(lock_path, (0, None))
    return child is not None and owner == os.getpid() and child.pid == pid and child.poll() is None


def stop(lock_path: Path, steps: Sequence[tuple[Signals, float]]) -> None:
    """End the server that this process started under `lock_path`, by each signal in turn with its seconds of patience.

    Does nothing when this process started none, so that a server which another one started is left to it.
    """
    owner, child = _children.get(lock_path, (0, None))
    if child is None or owner != os.getpid():
        return
    del _children[lock_path]
    for step, seconds in steps:
        child.send_signal(step)
        try:
            child.wait(seconds)
        except subprocess.TimeoutExpired:
            continue
        return


def ask(path: Path, request: bytes) -> tuple[bytes, int] | None:
    """Send `request` to the unix socket `path`: the first bytes of the answer and the server's process id.

    None when nothing answers within a second. The id comes from the kernel; it is 0 across PID namespaces.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(1)
        try:
            connection.connect(os.fspath(path))
            connection.sendall(request)
            answer = connection.recv(512)
        except OSError:
            return None
        peer = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    return answer, struct.unpack("3i", peer)[0]

"""Keeps the embedded server for as long as a bridge uses it: `python -m recalld_mcp.keeper DATA_DIR ADDR`."""

from __future__ import annotations

import ctypes
import fcntl
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

from recalld_mcp.places import Places, try_lock

STOP_SECONDS = 30.0
PR_SET_PDEATHSIG = 1
_OURS = ("ADDR", "KEY", "KEY_FILE", "NAMESPACE", "USER_ID", "AGENT_ID", "LISTEN", "DATA_DIR")
_TLS = ("TLS", "CA_FILE", "CERT_FILE", "CERT_KEY_FILE", "INSECURE")
NOT_THE_SERVERS = frozenset(f"RECALLD_{name}" for name in (*_OURS, *_TLS))
"""Variables of clients, and those that the keeper decides: the server refuses to start with one that it does not know."""


def main(data_dir: str, addr: str) -> int:
    """Runs the server until nobody uses it, it ends by itself, or this process is told to stop. Returns its exit code."""
    places = Places(Path(data_dir))
    if try_lock(places.keeper_lock, fcntl.LOCK_EX) is None:
        print("another keeper runs for this data directory", file=sys.stderr)  # noqa: T201
        return 1
    places.addr.write_text(addr)
    environment = {name: value for name, value in os.environ.items() if name not in NOT_THE_SERVERS}
    server = subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, "-m", "recalld_server", "serve", "--data-dir", data_dir, "--listen", addr],
        env=environment,
        stdin=subprocess.DEVNULL,
        preexec_fn=_end_with_parent,
    )
    signal.signal(signal.SIGTERM, lambda *_: server.terminate())
    # A daemon: when the server ends by itself, nothing waits for the bridges any more.
    threading.Thread(target=_stop_when_unused, args=(places, server), daemon=True).start()
    return server.wait()


def _stop_when_unused(places: Places, server: subprocess.Popen[bytes]) -> None:
    descriptor = os.open(places.users_lock, os.O_RDWR | os.O_CREAT, 0o600)
    # Held until this process ends: a bridge that comes now waits for that, and then starts anew.
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    server.terminate()
    try:
        server.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        server.kill()


def _end_with_parent() -> None:
    """In the child: when the keeper is killed, the server is told to stop. Only Linux has this."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))

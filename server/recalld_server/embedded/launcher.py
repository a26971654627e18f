"""Turns into a server: drops root, asks the kernel to be signalled when the parent dies, and execs.

Run as a script by `process.spawn`, never imported: ``launcher.py UID GID PARENT_PID SIGNAL COMMAND...``. It is a
program of its own because Python between fork and exec may deadlock in a process that has threads.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def main(uid: int, gid: int, parent: int, death_signal: int, command: list[str]) -> None:
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    os.umask(0o077)
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(gid)
        os.setuid(uid)
    # After setuid, which clears it.
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, death_signal, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_PDEATHSIG)")
    if os.getppid() != parent:
        sys.exit("the parent died first")
    os.execv(command[0], command)  # noqa: S606 - there must be no shell in between


if __name__ == "__main__":
    try:
        main(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]), sys.argv[5:])
    except OSError as error:
        sys.exit(f"cannot run {sys.argv[5]}: {error}")

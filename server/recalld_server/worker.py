"""One of several server processes: serves until its parent tells it to stop, or is gone.

usage: python -m recalld_server.worker PARENT_PID
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

from recalld_server.cli import main

PR_SET_PDEATHSIG = 1


def end_with(parent: int) -> None:
    """Lets this process be told to stop when its parent ends, however that ends. Does nothing outside of Linux."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != parent:
        sys.exit("recalld: the process that started this worker is gone")


if __name__ == "__main__":
    end_with(int(sys.argv[1]))
    sys.argv = ["recalld", "serve", "--worker"]
    main()

"""The `recalld-mcp` command."""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence

from recalld_mcp.options import read_options
from recalld_mcp.stdio import Wire


def main(arguments: Sequence[str] | None = None) -> None:
    """Serves until the client goes away, or until it is told to stop."""
    # the thread that reads standard input cannot be interrupted, so the default action ends us, as SIGTERM does
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    options = read_options(sys.argv[1:] if arguments is None else arguments)
    wire = Wire()
    # Only now: whatever these libraries print while they are imported must not reach the client.
    from recalld.errors import ConfigurationError
    from recalld_mcp import serve

    try:
        if options.transport == "stdio":
            serve.serve_stdio(options, wire)
        else:
            serve.serve_http(options)
    except* KeyboardInterrupt:
        sys.exit(130)
    except* BrokenPipeError:
        pass  # the client has gone; there is nobody left to tell
    except* ConfigurationError as group:
        sys.exit(f"recalld-mcp: {group.exceptions[0]}")

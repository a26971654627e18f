"""Asks the bridge at HOST:PORT whether it answers over HTTP. Ends with 0 when it does, else with 1 and a line that says why.

usage: python -m recalld_mcp.healthcheck HOST:PORT
"""

from __future__ import annotations

import http.client
import sys

SECONDS = 4.0


def check(address: str) -> str:
    """What is wrong; empty when the bridge answers. Without a key it refuses, which is an answer."""
    connection = http.client.HTTPConnection(address, timeout=SECONDS)
    try:
        connection.request("GET", "/mcp")
        status = connection.getresponse().status
    except OSError as error:
        return f"{address}: {error}"
    finally:
        connection.close()
    return f"{address}: HTTP {status}" if status >= 500 else ""


def main() -> None:
    sys.exit(check(sys.argv[1]) or 0)


if __name__ == "__main__":
    main()

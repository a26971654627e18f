"""A process that starts the embedded servers, for the tests beside it.

``peer.py IMPORT_PATH DATA_DIR``; IMPORT_PATH is joined by ``:``. Each line on stdin starts (or adopts) both
servers and is answered by one line of JSON; the end of stdin stops them. Standard library only: it also runs under
another user's interpreter.
"""

import json
import sys
from pathlib import Path

sys.path[:0] = sys.argv[1].split(":")

from recalld_server.embedded import (  # noqa: E402
    EmbeddedError,
    start_postgres,
    start_valkey,
    stop_postgres,
    stop_valkey,
)

data_dir = Path(sys.argv[2])
for _ in sys.stdin:
    try:
        postgres = start_postgres(data_dir, settings={"fsync": "off"})
        valkey = start_valkey(data_dir)
    except EmbeddedError as error:
        print(json.dumps({"error": type(error).__name__, "message": str(error)}), flush=True)
        continue
    answer = {
        "postgres": {"pid": postgres.pid, "adopted": postgres.adopted, "at": postgres.dsn()},
        "valkey": {"pid": valkey.pid, "adopted": valkey.adopted, "at": str(valkey.socket)},
    }
    print(json.dumps(answer), flush=True)
stop_postgres(data_dir)
stop_valkey(data_dir)

"""The short run of everything that measures speed. Example: python -m bench"""

from __future__ import annotations

import subprocess
import sys

for name in ("bench.write", "bench.search"):
    print(f"\n## {name}\n", flush=True)
    ended = subprocess.run([sys.executable, "-m", name, *sys.argv[1:]], check=False)
    if ended.returncode:
        sys.exit(ended.returncode)

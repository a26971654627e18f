#!/usr/bin/env bash
# The same from the shell. `recall --help` lists the commands.
set -euo pipefail

recall write "The release window is on Friday at 18:00." --tag release
recall write "发布负责人是小林。" --tag release --user-id lin
recall search "when is the release?" --top-k 1
recall list --tag release --json
recall stats

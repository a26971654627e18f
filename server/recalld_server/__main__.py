"""`python -m recalld_server` is `recalld`."""

from recalld_server.cli import main

main()

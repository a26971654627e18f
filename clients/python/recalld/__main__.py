"""`python -m recalld` is `recall`."""

from recalld.cli import main

main()

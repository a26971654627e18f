"""The chores of forgetting."""

from __future__ import annotations

from recalld_server.core.services import Core
from recalld_server.upkeep import Chore


def forgetting_chores(core: Core) -> list[Chore]:
    """What goes by itself, and what was begun by a server that has gone."""
    chores = [
        Chore("orders to forget", core.forgets.resume, 10.0),
        Chore("forgotten memories", core.retention.sweep_forgotten, 60.0),
        Chore("retention", core.retention.run, 60.0),
    ]
    if core.archives is not None:
        chores += [
            Chore("archive", core.archives.run, 300.0),
            Chore("stray files of the archive", core.archives.sweep, 3600.0),
        ]
    return chores

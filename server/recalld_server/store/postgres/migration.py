"""What a migration is."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass


class MigrationError(Exception):
    """The database cannot be brought to this version's schema; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Migration:
    """One file. `post` ones are destructive: applied on request only, when every server runs this version."""

    name: str
    post: bool
    sql: str
    source: str = ""
    """The file's text, where `sql` is another form of it."""

    @property
    def checksum(self) -> str:
        return hashlib.sha256((self.source or self.sql).encode()).hexdigest()

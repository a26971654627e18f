"""The archive in a folder."""

from recalld_server.store.files.archive import FolderArchive

__all__ = ["FolderArchive"]

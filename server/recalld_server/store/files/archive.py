"""Files of the archive in a folder that every server sees: a disk, or a shared mount."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from recalld_server.errors import StoreUnavailable

T = TypeVar("T")
PARTIAL = ".part"


class FolderArchive:
    """An Archive below a folder, which is made when it is needed; only its owner may read it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def folder(self) -> Path:
        """Where the files are; it may not be there yet."""
        return self._folder

    async def put(self, key: str, data: bytes) -> None:
        await self._off_the_loop(lambda: self._put(key, data))

    async def get(self, key: str) -> bytes | None:
        path = self._folder / key
        return await self._off_the_loop(lambda: path.read_bytes() if path.is_file() else None)

    async def delete(self, key: str) -> None:
        await self._off_the_loop(lambda: (self._folder / key).unlink(missing_ok=True))

    async def list(self) -> tuple[str, ...]:
        return await self._off_the_loop(self._list)

    def _put(self, key: str, data: bytes) -> None:
        path = self._folder / key
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        partial = path.with_name(f"{path.name}{PARTIAL}")
        try:
            descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            partial.replace(path)
        except OSError:
            # on a full disk what is half written would keep the room that is missing
            partial.unlink(missing_ok=True)
            raise
        # the name is durable only when its folder is
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def _list(self) -> tuple[str, ...]:
        paths = (path for path in self._folder.rglob("*") if path.is_file())
        return tuple(sorted(path.relative_to(self._folder).as_posix() for path in paths))

    async def _off_the_loop(self, work: Callable[[], T]) -> T:
        try:
            return await asyncio.to_thread(work)
        except OSError as error:
            raise StoreUnavailable(
                f"the archive cannot be used ({error.strerror}): see the folder's disk and owner"
            ) from None

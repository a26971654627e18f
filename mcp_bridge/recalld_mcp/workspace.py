"""From a project's folder to a namespace."""

from __future__ import annotations

import hashlib
import re
from pathlib import PurePosixPath, PureWindowsPath

_UNEXPANDED = re.compile(r"\$\{[^}]*\}|%\w+%")


def namespace_of(folder: str) -> str:
    """The namespace of a folder: `workspace/<name>-<hash>`, the same for every client that opens this folder.

    The hash is of the path as written, less a slash at the end, so that two projects of one name stay apart. Raises
    ValueError for a variable that the client did not fill in, and for an empty path.
    """
    if found := unexpanded(folder):
        raise ValueError(f"--workspace: this client does not fill in {found}: give the folder's path instead")
    path = folder.strip().rstrip("/\\") or folder.strip()
    if not path:
        raise ValueError("--workspace: is empty: give the folder's path")
    pure = PureWindowsPath(path) if "\\" in path or path[1:2] == ":" else PurePosixPath(path)
    name = re.sub(r"[^a-z0-9]+", "-", pure.name.lower()).strip("-")[:40].strip("-")
    mark = hashlib.sha256(path.encode(errors="surrogatepass")).hexdigest()[:10]
    return f"workspace/{name}-{mark}" if name else f"workspace/{mark}"


def unexpanded(text: str | None) -> str:
    """The first variable in a text that the client should have filled in; empty when there is none."""
    match = _UNEXPANDED.search(text or "")
    return match.group() if match else ""

"""What a first start makes: tenant `default`, namespace `default`, and one ADMIN key whose secret is stored nowhere else."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from pathlib import Path

from recalld_server.core.keys import FORM, mint, secret_hash
from recalld_server.errors import NamespaceExists
from recalld_server.model import Policy, Role
from recalld_server.store.base import Directory

TENANT = "default"
NAMESPACE = "default"
ROOT_AGENT = "root"


class RootKeyError(Exception):
    """The file of the root key cannot be used; the message says why and what to do."""


async def bootstrap(directory: Directory, root_key_file: Path) -> str | None:
    """Makes what is missing. Returns the root key when it was made just now, to be shown once; else None.

    The key in `root_key_file` is registered when the database does not know it; without a file, and only while the
    tenant has no key at all, one is minted and written there with mode 0600. Two servers that start at once on one file
    take turns. Raises RootKeyError.
    """
    tenant_id = await directory.ensure_tenant(TENANT)
    with suppress(NamespaceExists):
        await directory.create_namespace(tenant_id, NAMESPACE, description="made on first start", policy=Policy())
    root_key_file.parent.mkdir(parents=True, exist_ok=True)
    with open(root_key_file.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if root_key_file.exists():
            key = root_key_file.read_text().strip()
            match = FORM.fullmatch(key)
            if match is None:
                raise RootKeyError(f"{root_key_file} does not hold a key (rk_…): remove it, or put the right one there")
            found = await directory.find_key(match.group(1))
            if found is not None and found[1] != secret_hash(match.group(2)):
                raise RootKeyError(f"{root_key_file} holds another secret than the database knows for its id")
            fresh = None
        elif await directory.list_keys(tenant_id, before=None, limit=1):
            return None
        else:
            key = fresh = mint()[1]
            descriptor = os.open(root_key_file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w") as file:
                file.write(f"{key}\n")
            match, found = FORM.fullmatch(key), None
        assert match is not None
        if found is None:
            await directory.create_key(
                tenant_id,
                key_id=match.group(1),
                secret_hash=secret_hash(match.group(2)),
                agent_id=ROOT_AGENT,
                roles=frozenset({Role.ADMIN}),
                namespaces=(),
                description="the first key of this server",
                expire_time=None,
            )
        return fresh

"""Keys: who calls, and what they may do. A key is `rk_<id>_<secret>`; only the hash of its secret is stored."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import time
from collections.abc import Callable
from datetime import datetime, timedelta

from recalld_server.core import pages
from recalld_server.core.answers import from_json
from recalld_server.core.policy import Action, require
from recalld_server.core.types import CallOptions
from recalld_server.errors import InvalidCredential, InvalidField, ResourceNotFound
from recalld_server.model import Key, Page, Principal, Role, utc_now
from recalld_server.store.base import AnswerKnown, Directory

CACHE_SECONDS = 4.0
"""A revocation is effective everywhere within this time."""
CACHE_ENTRIES = 10_000
USE_NOTED_EVERY = timedelta(minutes=1)
FORM = re.compile(r"rk_([0-9a-f]{16})_([A-Za-z0-9-]{43})")


def secret_hash(secret: str) -> bytes:
    """What is stored of a secret. It holds 256 random bits, so a plain SHA-256 is enough."""
    return hashlib.sha256(secret.encode()).digest()


def mint() -> tuple[str, str, bytes]:
    """A new key: its id, the whole key, the hash of its secret."""
    key_id = secrets.token_hex(8)
    secret = secrets.token_urlsafe(32).replace("_", "-")
    return key_id, f"rk_{key_id}_{secret}", secret_hash(secret)


class Keys:
    """Authenticates callers and keeps the keys of a tenant."""

    def __init__(self, directory: Directory, clock: Callable[[], float] = time.monotonic) -> None:
        self._directory = directory
        self._clock = clock
        self._cache: dict[str, tuple[float, Key, bytes]] = {}
        self._noted: dict[str, datetime] = {}

    async def authenticate(self, authorization: str) -> Principal:
        """The holder of `Bearer rk_…`. Raises InvalidCredential, the same for every cause."""
        scheme, _, token = authorization.partition(" ")
        match = FORM.fullmatch(token.strip())
        if scheme.lower() != "bearer" or match is None:
            raise InvalidCredential
        key_id, secret = match.groups()
        key, stored = await self._find(key_id)
        if not hmac.compare_digest(secret_hash(secret), stored):
            raise InvalidCredential
        now = utc_now()
        if key.revoke_time is not None or (key.expire_time is not None and key.expire_time <= now):
            raise InvalidCredential
        if now - self._noted.get(key_id, key.create_time) >= USE_NOTED_EVERY or key_id not in self._noted:
            self._noted[key_id] = now
            await self._directory.key_used(key_id, now)
        return Principal(key.tenant_id, key.tenant, key.agent_id, key.roles, key.key_id, key.namespaces, key.confined)

    async def create(
        self,
        principal: Principal,
        *,
        agent_id: str,
        roles: frozenset[Role],
        namespaces: tuple[str, ...],
        description: str,
        expire_time: datetime | None,
        call: CallOptions,
    ) -> tuple[Key, str]:
        """A new key of the caller's tenant and its secret. A retry gets the key again, with an empty secret."""
        require(principal, Action.ADMINISTER)
        if principal.namespaces and not set(namespaces) <= set(principal.namespaces):
            raise InvalidField("namespaces", "may only name namespaces that your own key is good for")
        if principal.namespaces and not namespaces:
            raise InvalidField("namespaces", "must name namespaces, since your own key is good for some only")
        if expire_time is not None and expire_time <= utc_now():
            raise InvalidField("expire_time", "has passed")
        key_id, secret, stored = mint()
        try:
            key = await self._directory.create_key(
                principal.tenant_id,
                key_id=key_id,
                secret_hash=stored,
                agent_id=agent_id,
                roles=roles,
                namespaces=namespaces,
                description=description,
                expire_time=expire_time,
                confined=bool(principal.namespaces),
                request=call.request,
                actor=principal.actor,
            )
        except AnswerKnown as known:
            return from_json(Key, known.answer), ""
        return key, secret

    async def list(self, principal: Principal, *, page_size: int, page_token: str) -> Page[Key]:
        """The tenant's keys, newest first, without secrets; for a key that is good in some namespaces only, those that are
        good in no others."""
        require(principal, Action.ADMINISTER)
        place = pages.decode(page_token, "keys", (str, str))
        before = (pages.moment(str(place[0])), str(place[1])) if place else None
        keys = await self._directory.list_keys(
            principal.tenant_id, before=before, limit=page_size + 1, within=principal.namespaces or None
        )
        if len(keys) <= page_size:
            return Page(keys)
        last = keys[page_size - 1]
        return Page(keys[:page_size], pages.encode([last.create_time.isoformat(), last.key_id], "keys"))

    async def revoke(self, principal: Principal, key_id: str, call: CallOptions) -> Key:
        """Ends a key, once and for all; ending it again changes nothing. A retry gets the first answer."""
        require(principal, Action.ADMINISTER)
        try:
            key = await self._directory.revoke_key(
                principal.tenant_id,
                key_id,
                within=principal.namespaces or None,
                request=call.request,
                actor=principal.actor,
            )
        except AnswerKnown as known:
            return from_json(Key, known.answer)
        if key is None:
            raise ResourceNotFound("key")
        self._cache.pop(key_id, None)
        return key

    async def _find(self, key_id: str) -> tuple[Key, bytes]:
        now = self._clock()
        cached = self._cache.get(key_id)
        if cached and cached[0] > now:
            return cached[1], cached[2]
        self._cache.pop(key_id, None)
        found = await self._directory.find_key(key_id)
        if found is None:
            raise InvalidCredential
        if len(self._cache) >= CACHE_ENTRIES:
            self._cache.clear()
        self._cache[key_id] = (now + CACHE_SECONDS, *found)
        return found

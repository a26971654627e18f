"""Tokens of an issuer that is trusted: JSON Web Tokens, signed with a key of its published set."""

from __future__ import annotations

import asyncio
import json
import time
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jwt
import structlog

from recalld_server.core.identity import Claimed, Tenants
from recalld_server.errors import InvalidCredential, InvalidField
from recalld_server.model import Principal

log = structlog.get_logger(__name__)

LEEWAY_SECONDS = 30
"""By so much the issuer's clock may differ."""
FRESH_SECONDS = 300.0
"""How long a set of keys is used before it is read again."""
AGAIN_SECONDS = 10.0
"""How often a key that is not in the set makes it be read again at most."""
FETCH_SECONDS = 5.0
LARGEST_SET = 1 << 20


@dataclass(frozen=True, slots=True)
class TokenOptions:
    """Whose tokens are good, and where they say who holds them."""

    issuer: str
    audience: str
    keys: str
    """The issuer's JSON Web Key Set: a file, or an https address."""
    algorithms: tuple[str, ...] = ("RS256", "ES256", "EdDSA")
    tenant: str = ""
    """The tenant of every holder; empty: the claim says it."""
    tenant_claim: str = "tenant"
    agent_claim: str = "sub"
    roles_claim: str = "roles"
    namespaces_claim: str = "namespaces"


class Tokens:
    """Knows the holders of tokens."""

    def __init__(self, options: TokenOptions, tenants: Tenants, clock: Callable[[], float] = time.monotonic) -> None:
        self._options = options
        self._tenants = tenants
        self._clock = clock
        self._keys: Mapping[str, jwt.PyJWK] = {}
        self._read_at: float | None = None
        self._reading = asyncio.Lock()

    async def authenticate(self, authorization: str) -> Principal:
        """The holder of `Bearer …`. Raises InvalidCredential, the same for every cause."""
        scheme, _, token = authorization.partition(" ")
        if scheme.lower() != "bearer":
            raise InvalidCredential
        options = self._options
        try:
            header = jwt.get_unverified_header(token.strip())
            key = await self._key(str(header.get("kid", "")))
            claims: dict[str, Any] = jwt.decode(
                token.strip(),
                key,
                algorithms=list(options.algorithms),
                issuer=options.issuer,
                audience=options.audience,
                leeway=LEEWAY_SECONDS,
                options={"require": ["exp", "iss", "aud"]},
            )
            claimed = Claimed.of(
                options.tenant or claims.get(options.tenant_claim),
                claims.get(options.agent_claim),
                claims.get(options.roles_claim),
                claims.get(options.namespaces_claim),
            )
        except (jwt.PyJWTError, InvalidField):
            # what is wrong with it may quote it
            raise InvalidCredential from None
        return await claimed.principal(self._tenants, "jwt")

    async def _key(self, kid: str) -> jwt.PyJWK:
        if self._age() > FRESH_SECONDS or (kid not in self._keys and self._age() > AGAIN_SECONDS):
            async with self._reading:
                if self._age() > FRESH_SECONDS or (kid not in self._keys and self._age() > AGAIN_SECONDS):
                    await self._read()
        if kid not in self._keys:
            raise InvalidCredential
        return self._keys[kid]

    def _age(self) -> float:
        return float("inf") if self._read_at is None else self._clock() - self._read_at

    async def _read(self) -> None:
        """Reads the set again. When it cannot be read the one before stays in use."""
        self._read_at = self._clock()
        try:
            text = await asyncio.to_thread(_load, self._options.keys)
            keys = jwt.PyJWKSet.from_dict(json.loads(text)).keys
            self._keys = {key.key_id or "": key for key in keys}
        except (OSError, ValueError, jwt.PyJWTError) as error:
            log.warning("the keys of the token issuer cannot be read", cause=type(error).__name__)


def _load(place: str) -> bytes:
    if not place.startswith("https://"):
        return Path(place).read_bytes()
    with urllib.request.urlopen(place, timeout=FETCH_SECONDS) as answer:  # noqa: S310 - https, as just seen
        return bytes(answer.read(LARGEST_SET))

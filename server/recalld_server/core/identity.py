"""Who calls: by a key, by a token of an issuer that is trusted, or by the certificate of the connection."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol
from uuid import UUID

from recalld_server.core.names import check_agent, check_namespace, check_tenant
from recalld_server.errors import InvalidCredential, InvalidField
from recalld_server.model import Principal, Role


class Tenants(Protocol):
    """Where tenants are looked up."""

    async def find_tenant(self, name: str) -> UUID | None:
        """The tenant's id."""


class Authenticator(Protocol):
    """One way to know a caller."""

    async def authenticate(self, authorization: str) -> Principal:
        """Raises InvalidCredential."""


class IdentityError(Exception):
    """The settings about who may call cannot be used; the message says why."""


@dataclass(frozen=True, slots=True)
class Claimed:
    """What a certificate or a token says of its holder, checked for form."""

    tenant: str
    agent_id: str
    roles: frozenset[Role]
    namespaces: tuple[str, ...]

    @classmethod
    def of(cls, tenant: object, agent: object, roles: object, namespaces: object) -> Claimed:
        """`roles` and `namespaces` are lists of words, or words apart by spaces; roles that are none of ours are passed
        over. `namespaces` None: wherever the roles apply. Raises InvalidField, also where nothing is left to hold."""
        held = frozenset(Role[name.upper()] for name in _words(roles) if name.upper() in Role.__members__)
        if not held:
            raise InvalidField("roles", "has none of reader, writer, reflector, admin")
        places = tuple(check_namespace(name, "namespaces") for name in _words(namespaces))
        if namespaces is not None and not places:
            raise InvalidField("namespaces", "is empty")
        return cls(check_tenant(_text(tenant)), check_agent(_text(agent)), held, places)

    async def principal(self, tenants: Tenants, credential: str) -> Principal:
        """Raises InvalidCredential for a tenant that is not there: only operators make them."""
        tenant_id = await tenants.find_tenant(self.tenant)
        if tenant_id is None:
            raise InvalidCredential
        return Principal(tenant_id, self.tenant, self.agent_id, self.roles, credential, self.namespaces)


class Identity:
    """Knows callers. The metadata `authorization` counts before the certificate: a wrong one is never made good by it."""

    def __init__(
        self,
        keys: Authenticator,
        tokens: Authenticator | None = None,
        tenants: Tenants | None = None,
        subjects: Mapping[str, Claimed] | None = None,
    ) -> None:
        self._keys = keys
        self._tokens = tokens
        self._tenants = tenants
        self._subjects = subjects or {}

    async def authenticate(self, authorization: Sequence[str], names: Sequence[str], method: str) -> Principal:
        """`names` are those of the caller's verified certificate. Raises InvalidCredential, the same for every cause."""
        if len(authorization) > 1:
            raise InvalidCredential
        found = await (self._by_word(authorization[0]) if authorization else self._by_certificate(names))
        return replace(found, method=method)

    async def _by_word(self, authorization: str) -> Principal:
        _, _, word = authorization.partition(" ")
        by_key = self._tokens is None or word.lstrip().startswith("rk_")
        return await (self._keys if by_key or self._tokens is None else self._tokens).authenticate(authorization)

    async def _by_certificate(self, names: Sequence[str]) -> Principal:
        for name in names:
            if name in self._subjects and self._tenants is not None:
                return await self._subjects[name].principal(self._tenants, f"tls:{name}")
        raise InvalidCredential


def read_subjects(path: Path) -> dict[str, Claimed]:
    """From a JSON file: name in a certificate -> tenant, agent, roles, namespaces (left out: wherever the roles apply).
    Raises IdentityError."""
    try:
        given = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(given, dict):
            raise InvalidField("", "must be an object: name in the certificate -> tenant, agent, roles, namespaces")
        return {name: _subject(name, each) for name, each in given.items()}
    except (OSError, ValueError, InvalidField) as error:
        raise IdentityError(f"RECALLD_TLS_CLIENT_SUBJECTS_FILE: {path}: {error}") from error


def _subject(name: str, given: Any) -> Claimed:
    known = {"tenant", "agent", "roles", "namespaces"}
    if not isinstance(given, dict) or not given.keys() <= known:
        raise InvalidField(name, f"must be an object of {', '.join(sorted(known))}")
    return Claimed.of(given.get("tenant"), given.get("agent"), given.get("roles"), given.get("namespaces"))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _words(value: object) -> list[str]:
    if isinstance(value, str):
        return value.split()
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []

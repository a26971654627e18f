"""Tokens of a trusted issuer: who is let in, and who is not."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from recalld_server.core.tokens import AGAIN_SECONDS, FRESH_SECONDS, TokenOptions, Tokens
from recalld_server.errors import InvalidCredential
from recalld_server.model import Principal, Role

ISSUER, AUDIENCE, TENANT_ID = "https://issuer.test/", "recalld", UUID(int=3)


class Issuer:
    """Signs tokens, and publishes the keys in a file."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "keys.json"
        self.keys: dict[str, Any] = {}
        self.now = 0.0
        self.add("one")

    def add(self, kid: str) -> None:
        self.keys[kid] = ec.generate_private_key(ec.SECP256R1())
        self.publish()

    def publish(self) -> None:
        published = []
        for kid, key in self.keys.items():
            public = jwt.algorithms.ECAlgorithm.to_jwk(key.public_key(), as_dict=True)
            published.append({**public, "kid": kid, "alg": "ES256", "use": "sig"})
        self.file.write_text(json.dumps({"keys": published}))

    def token(self, kid: str = "one", *, key: Any = None, algorithm: str = "ES256", **changed: object) -> str:
        claims: dict[str, object] = {
            "iss": ISSUER,
            "aud": AUDIENCE,
            "exp": datetime.now(UTC) + timedelta(minutes=5),
            "sub": "planner",
            "tenant": "acme",
            "roles": ["reader", "writer", "superuser"],
        }
        claims |= changed
        claims = {name: value for name, value in claims.items() if value is not None}
        return jwt.encode(claims, key or self.keys[kid], algorithm, headers={"kid": kid})

    async def find_tenant(self, name: str) -> UUID | None:
        return TENANT_ID if name == "acme" else None

    def tokens(self, **options: str) -> Tokens:
        return Tokens(TokenOptions(ISSUER, AUDIENCE, str(self.file), **options), self, lambda: self.now)  # type: ignore[arg-type]


@pytest.fixture
def issuer(tmp_path: Path) -> Issuer:
    return Issuer(tmp_path)


async def test_a_good_token_says_who_calls(issuer: Issuer) -> None:
    token = issuer.token(namespaces=["team/search", "home"])
    who = await issuer.tokens().authenticate(f"Bearer {token}")
    roles = frozenset({Role.READER, Role.WRITER})
    assert who == Principal(TENANT_ID, "acme", "planner", roles, "jwt", ("team/search", "home"))


async def test_claims_can_have_other_names(issuer: Issuer) -> None:
    token = issuer.token(tenant=None, sub="x", client="planner", scope="writer openid", roles=None)
    tokens = issuer.tokens(tenant="acme", agent_claim="client", roles_claim="scope")
    who = await tokens.authenticate(f"Bearer {token}")
    assert (who.agent_id, who.roles, who.namespaces) == ("planner", frozenset({Role.WRITER}), ())


@pytest.mark.parametrize(
    "changed",
    [
        {"iss": "https://other.test/"},
        {"aud": "another"},
        {"aud": None},
        {"exp": datetime(2020, 1, 1, tzinfo=UTC)},
        {"exp": None},
        {"nbf": datetime(2100, 1, 1, tzinfo=UTC)},
        {"tenant": "gone"},
        {"tenant": None},
        {"tenant": ["acme"]},
        {"sub": "*"},
        {"sub": "beta/bob"},
        {"sub": ""},
        {"sub": "规划"},
        {"roles": []},
        {"roles": ["root"]},
        {"roles": None},
        {"namespaces": []},
        {"namespaces": ["*"]},
        {"namespaces": [7]},
    ],
    ids=str,
)
async def test_what_is_not_right_is_nobody(issuer: Issuer, changed: dict[str, object]) -> None:
    with pytest.raises(InvalidCredential):
        await issuer.tokens().authenticate(f"Bearer {issuer.token(**changed)}")  # type: ignore[arg-type]


def _signed_otherwise(token: str) -> str:
    body, signature = token.rsplit(".", 1)
    return f"{body}.{'A' if signature[0] != 'A' else 'B'}{signature[1:]}"


FORGED: list[Callable[[Issuer], str]] = [
    lambda issuer: "",
    lambda issuer: "a.b.c",
    lambda issuer: issuer.token(key=ec.generate_private_key(ec.SECP256R1())),
    lambda issuer: issuer.token(key=rsa.generate_private_key(65537, 2048), algorithm="RS256"),
    lambda issuer: issuer.token(key="a secret that is long enough to be taken as one", algorithm="HS256"),
    lambda issuer: jwt.encode({"sub": "planner"}, "", "none", headers={"kid": "one"}),
    lambda issuer: _signed_otherwise(issuer.token()),
]


@pytest.mark.parametrize("forge", FORGED, ids=range(len(FORGED)))
async def test_a_forged_token_is_nobody(issuer: Issuer, forge: Callable[[Issuer], str]) -> None:
    with pytest.raises(InvalidCredential):
        await issuer.tokens().authenticate(f"Bearer {forge(issuer)}")
    with pytest.raises(InvalidCredential):
        await issuer.tokens().authenticate(f"Basic {issuer.token()}")


async def test_new_keys_are_found_and_old_ones_forgotten(issuer: Issuer) -> None:
    tokens = issuer.tokens()
    await tokens.authenticate(f"Bearer {issuer.token()}")
    issuer.add("two")
    with pytest.raises(InvalidCredential):  # a stranger's key id must not make the set be read all the time
        await tokens.authenticate(f"Bearer {issuer.token('two')}")
    issuer.now += AGAIN_SECONDS + 1
    await tokens.authenticate(f"Bearer {issuer.token('two')}")
    old = issuer.token("one")
    del issuer.keys["one"]
    issuer.publish()
    issuer.now += FRESH_SECONDS + 1
    with pytest.raises(InvalidCredential):
        await tokens.authenticate(f"Bearer {old}")


async def test_keys_that_cannot_be_read_stay_as_they_were(issuer: Issuer) -> None:
    tokens = issuer.tokens()
    await tokens.authenticate(f"Bearer {issuer.token()}")
    issuer.file.write_text("{")
    issuer.now += FRESH_SECONDS + 1
    await tokens.authenticate(f"Bearer {issuer.token()}")
    fresh = issuer.tokens()
    with pytest.raises(InvalidCredential):
        await fresh.authenticate(f"Bearer {issuer.token()}")

"""The client of a Redis that is there: what is kept is the tenant's, and of the version that is asked for."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from uuid import UUID

import pytest
import structlog
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.valkeys import PATIENT

from recalld_server.store.redis import RedisAway, RedisClient, key
from recalld_server.store.redis.values import seal, unseal

ACME, ORION = UUID(int=1), UUID(int=2)
SPACE, OTHER = UUID(int=7), UUID(int=8)
MINUTE = timedelta(minutes=1)
TURN = "喝茶不加糖 / tea, no sugar".encode()


async def raw(client: RedisClient, name: str, value: bytes) -> None:
    await client.run(lambda redis: redis.set(name, value))


async def test_what_is_kept_is_read_back_under_its_own_name_only(client: RedisClient) -> None:
    assert client.available
    assert await client.set(ACME, SPACE, "turns", "a*", value=TURN, ttl=MINUTE)
    assert await client.set(ACME, SPACE, "turns", "ab", value=b"ab", ttl=MINUTE)
    assert await client.get(ACME, SPACE, "turns", "a*") == TURN
    for tenant, space, parts in (
        (ORION, SPACE, ("turns", "a*")),
        (ACME, OTHER, ("turns", "a*")),
        (ACME, None, ("turns", "a*")),
        (ACME, SPACE, ("turns", "a")),
        (ACME, SPACE, ("turns:a*",)),
    ):
        assert await client.get(tenant, space, *parts) is None
    assert await client.delete(ACME, SPACE, "turns", "a*")
    assert await client.get(ACME, SPACE, "turns", "a*") is None
    assert await client.get(ACME, SPACE, "turns", "ab") == b"ab"


async def test_a_value_of_another_tenant_is_not_read_wherever_it_lies(client: RedisClient) -> None:
    await raw(client, key(ACME, SPACE, "turns"), seal(ORION, b"", TURN))
    assert await client.get(ACME, SPACE, "turns") is None


async def test_only_the_version_that_is_asked_for_is_read(client: RedisClient) -> None:
    await client.set(ACME, SPACE, "turns", value=TURN, ttl=MINUTE, version=b"41")
    assert await client.get(ACME, SPACE, "turns", version=b"42") is None
    assert await client.get(ACME, SPACE, "turns") is None
    assert await client.get(ACME, SPACE, "turns", version=b"41") == TURN


@pytest.mark.parametrize(
    "stored", [b"", b"{}", b"\x00" * 40, b"\x02" + ACME.bytes + b"\x00\x00abc", b"\x01" + ACME.bytes]
)
async def test_a_value_of_another_release_is_absent(client: RedisClient, stored: bytes) -> None:
    await raw(client, key(ACME, SPACE, "turns"), stored)
    assert await client.get(ACME, SPACE, "turns") is None


@given(st.uuids(), st.uuids(), st.binary(max_size=20), st.binary(max_size=20), st.binary(max_size=50), st.binary())
def test_a_sealed_value_opens_for_its_tenant_and_version_alone(
    tenant: UUID, other: UUID, version: bytes, wrong: bytes, body: bytes, junk: bytes
) -> None:
    sealed = seal(tenant, version, body)
    assert unseal(tenant, version, sealed) == body
    assert (unseal(other, version, sealed) is None) == (other != tenant)
    assert (unseal(tenant, wrong, sealed) is None) == (wrong != version)
    assert unseal(tenant, version, junk) is None or junk[1:17] == tenant.bytes
    for length in range(len(sealed) - len(body)):
        assert unseal(tenant, version, sealed[:length]) is None


async def test_what_is_kept_does_not_stay_for_ever(client: RedisClient) -> None:
    await client.set(ACME, SPACE, "turns", value=TURN, ttl=MINUTE)
    assert 0 < await client.run(lambda redis: redis.pttl(key(ACME, SPACE, "turns"))) <= 60_000


async def test_a_refused_command_is_no_reason_to_go_on_without(client: RedisClient) -> None:
    await client.run(lambda redis: redis.rpush(key(ACME, SPACE, "turns"), b"x"))
    with structlog.testing.capture_logs() as logs:
        assert await client.get(ACME, SPACE, "turns") is None
    assert [entry["event"] for entry in logs] == ["Redis refused a command"]
    assert client.available
    assert await client.set(ACME, SPACE, "turns", value=TURN, ttl=MINUTE)


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 8))
def test_a_cancelled_command_leaves_no_answer_for_the_next(valkey: str, steps: int) -> None:
    async def run() -> None:
        client = RedisClient(valkey, PATIENT)
        await client.start()
        await client.set(ACME, None, "mine", value=b"mine", ttl=MINUTE)
        await client.set(ACME, None, "yours", value=b"yours", ttl=MINUTE)
        call = asyncio.create_task(client.get(ACME, None, "mine"))
        for _ in range(steps):
            await asyncio.sleep(0)
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
        assert [await client.get(ACME, None, "yours") for _ in range(3)] == [b"yours"] * 3
        await client.close()

    asyncio.run(run())


async def test_a_closed_client_is_away(client: RedisClient) -> None:
    await client.close()
    with pytest.raises(RedisAway):
        await client.run(lambda redis: redis.ping())
    assert await client.set(ACME, None, "x", value=b"", ttl=MINUTE) is False


@pytest.mark.parametrize("url", ["http://127.0.0.1", "127.0.0.1:6379", ""])
def test_another_address_is_refused(url: str) -> None:
    with pytest.raises(ValueError):
        RedisClient(url)

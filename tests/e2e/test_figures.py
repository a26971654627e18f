"""Figures are what a full count says."""

from __future__ import annotations

import asyncpg
import pytest
from tests.e2e.beside import Inside, fill

from recalld import AsyncClient, errors
from recalld_server.model import Visibility, utc_now


async def test_the_total_is_what_can_be_listed_and_the_rest_has_fields_of_its_own(
    client: AsyncClient, inside: Inside
) -> None:
    await fill(inside, 60)
    await fill(inside, 4, "private", visibility=Visibility.PRIVATE)
    await fill(inside, 3, "stranger", visibility=Visibility.PRIVATE, agent_id="somebody")
    ids = [memory.memory_id async for memory in client.list(user_ids=["alice"])]
    await client.forget(ids[:40])
    await client.forget(ids[40:45], mode="archive")
    await client.forget(ids[45:50], mode="erase")
    await fill(inside, 1, "over", expire_time=utc_now())
    stats = await client.stats()
    listed = [memory async for memory in client.list()]
    assert stats.total == len(listed) == 14
    # all that this agent may see, counted row by row
    rows = await inside.database.fetch(
        "SELECT kind, CASE WHEN state = 1 AND expire_time <= now() THEN 6 ELSE state END AS state, count(*) AS n"
        " FROM recalld.memories WHERE visibility = 2 OR agent_id = 'ann' GROUP BY 1, 2 ORDER BY 1, 2"
    )
    names = {1: "active", 4: "archived", 5: "forgotten", 6: "expired"}
    assert {each.state.value: each.count for each in stats.counts} == {names[row["state"]]: row["n"] for row in rows}
    size = await inside.database.fetchval(
        "SELECT sum(octet_length(content)) FROM recalld.memories WHERE visibility = 2 OR agent_id = 'ann'"
    )
    assert stats.content_bytes == size
    assert stats.mean_confidence == pytest.approx(1.0)


async def test_more_than_a_list_returns_at_once_is_counted_exactly(client: AsyncClient, inside: Inside) -> None:
    await fill(inside, 1203)
    assert (await client.stats()).total == 1203
    days = await inside.database.fetch("SELECT create_time::date AS day, count(*) FROM recalld.memories GROUP BY 1")
    counted = await inside.database.fetch("SELECT day, sum(n)::bigint FROM recalld.created_days GROUP BY 1")
    assert sorted(map(tuple, days)) == sorted(map(tuple, counted))


async def test_what_cannot_be_counted_is_an_error_and_never_nothing(
    client: AsyncClient, inside: Inside, database: str
) -> None:
    await fill(inside, 3)
    connection = await asyncpg.connect(database)
    try:
        await connection.execute("ALTER TABLE recalld.counts RENAME TO counts_away")
        with pytest.raises(errors.RecalldError):
            await client.stats()
        await connection.execute("ALTER TABLE recalld.counts_away RENAME TO counts")
    finally:
        await connection.close()
    assert (await client.stats()).total == 3

"""The doctor looks at standbys too, and says what to do about one that is not asked."""

from __future__ import annotations

from pathlib import Path

from tests.operate.replicated import until
from tests.operate.replication import Standby, run

from recalld_server.app import Endpoints
from recalld_server.doctor import Finding, examine
from recalld_server.embedded import PostgresHandle
from recalld_server.settings import read_settings


async def looked_at(primary: PostgresHandle, url: str, folder: Path) -> dict[str, Finding]:
    """What is said of the standbys."""
    settings = read_settings({}, embedder="hash", database_url=primary.dsn(), replica_database_url=url)
    found = [each async for each in examine(settings, Endpoints(folder, primary.dsn(), primary.dsn(), None))]
    return {each.what: each for each in found if each.what.startswith("replica")}


async def test_one_that_is_well(primary: PostgresHandle, standby: Standby, tmp_path: Path) -> None:
    async def well() -> bool:
        found = (await looked_at(primary, standby.dsn, tmp_path))["replica"]
        return found.level == "ok" and "behind" in found.says

    await until(well, "the standby is found well")


async def test_one_whose_replay_is_paused(primary: PostgresHandle, standby: Standby, tmp_path: Path) -> None:
    await standby.run("SELECT pg_wal_replay_pause()")
    await until(lambda: standby.run("SELECT pg_get_wal_replay_pause_state() = 'paused'"), "replay is paused")
    await run(primary.dsn(), "SELECT pg_logical_emit_message(true, 'recalld', 'something')")
    found = (await looked_at(primary, standby.dsn, tmp_path))["replica"]
    assert found.level == "warn"
    assert "paused" in found.says
    assert "pg_wal_replay_resume" in found.todo


async def test_one_that_was_promoted(primary: PostgresHandle, standby: Standby, tmp_path: Path) -> None:
    assert await standby.run("SELECT pg_promote()")
    found = (await looked_at(primary, standby.dsn, tmp_path))["replica"]
    assert (found.level, found.says) == ("warn", "is no standby (any more), and is not asked")


async def test_one_that_is_away_and_one_that_is_another_database(
    primary: PostgresHandle, postgres: PostgresHandle, tmp_path: Path
) -> None:
    nowhere = "postgresql://u:hunter2@127.0.0.1:1/x"
    found = await looked_at(primary, f"{nowhere} {postgres.dsn()}", tmp_path)
    assert found["replica-1"].level == "warn"
    assert "does not answer" in found["replica-1"].says
    assert found["replica-2"].level == "fail"
    assert "RECALLD_REPLICA_DATABASE_URL" in found["replica-2"].todo
    assert "hunter2" not in str(found)

"""What every place of the archive does: the folder, the bucket."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from tests.buckets import Buckets

from recalld_server.app.archive import build_archive
from recalld_server.errors import StoreUnavailable
from recalld_server.settings import read_settings
from recalld_server.store.base import Archive
from recalld_server.store.files import FolderArchive
from recalld_server.store.s3 import S3Archive

KEY = "0190-space/2025-03/a.jsonl.zst"
WHOLE = "kept in the cold 留在冷处".encode() + bytes(range(256))
SHORT = timedelta(seconds=2)


@pytest.fixture(params=["folder", "bucket"])
def archive(request: pytest.FixtureRequest, tmp_path: Path) -> Archive:
    if request.param == "folder":
        return FolderArchive(tmp_path / "cold")
    return S3Archive(request.getfixturevalue("buckets").make())


async def test_a_file_comes_back_as_it_was_put(archive: Archive) -> None:
    await archive.put(KEY, WHOLE)
    assert await archive.get(KEY) == WHOLE
    await archive.put(KEY, b"anew")
    assert await archive.get(KEY) == b"anew"
    await archive.put(KEY, b"")
    assert await archive.get(KEY) == b""


async def test_a_large_file_comes_back_whole(archive: Archive) -> None:
    large = WHOLE * 40_000
    await archive.put(KEY, large)
    assert await archive.get(KEY) == large


async def test_what_is_not_there_is_none_and_can_be_deleted(archive: Archive) -> None:
    assert await archive.list() == ()
    assert await archive.get(KEY) is None
    await archive.delete(KEY)
    await archive.put(KEY, WHOLE)
    await archive.delete(KEY)
    assert await archive.get(KEY) is None
    assert await archive.list() == ()


async def test_all_keys_are_listed(archive: Archive) -> None:
    keys = sorted([KEY, "0190-space/2025-03/manifest.json", "0191-other/2024-12/b.jsonl.zst"])
    for key in keys:
        await archive.put(key, WHOLE)
    assert await archive.list() == tuple(keys)


async def test_a_bucket_is_listed_past_the_first_page(buckets: Buckets, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOTO_S3_DEFAULT_MAX_KEYS", "3")
    archive = S3Archive(buckets.make())
    keys = [f"space/2025-03/{number:04}.zst" for number in range(10)]
    for key in keys:
        await archive.put(key, b"")
    assert await archive.list() == tuple(keys)


async def test_prefixes_of_a_bucket_do_not_see_each_other(buckets: Buckets) -> None:
    place = buckets.make("one")
    await S3Archive(place).put(KEY, WHOLE)
    assert await S3Archive(replace(place, prefix="two")).list() == ()
    assert await S3Archive(replace(place, prefix="")).list() == (f"one/{KEY}",)


async def every_call_says(archive: Archive, said: str) -> None:
    calls = (lambda: archive.put(KEY, WHOLE), lambda: archive.get(KEY), lambda: archive.delete(KEY), archive.list)
    for call in calls:
        with pytest.raises(StoreUnavailable, match=said) as caught:
            await call()
        assert "a-secret-key" not in str(caught.value)
        assert KEY not in str(caught.value)


async def test_a_bucket_that_does_not_exist_is_named_so(buckets: Buckets) -> None:
    await every_call_says(S3Archive(replace(buckets.make(), bucket="no-such-bucket-here")), "no such bucket")


async def test_an_object_store_that_is_away_is_unavailable_within_its_time(buckets: Buckets) -> None:
    place = replace(buckets.make(), endpoint="http://127.0.0.1:9")
    await every_call_says(S3Archive(place, SHORT), "does not answer")


async def test_a_folder_that_cannot_be_made_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StoreUnavailable, match="cannot be used"):
        await FolderArchive(tmp_path / "file" / "cold").put(KEY, WHOLE)


async def test_the_settings_say_which_it_is(buckets: Buckets, tmp_path: Path) -> None:
    place = buckets.make()
    secret = tmp_path / "secret"
    secret.write_text(f"{place.secret_key}\n")
    there = {
        "RECALLD_ARCHIVE_URL": f"s3://{place.bucket}/cold/files/",
        "RECALLD_ARCHIVE_S3_ENDPOINT": place.endpoint,
        "RECALLD_ARCHIVE_S3_ACCESS_KEY": place.access_key,
        "RECALLD_ARCHIVE_S3_SECRET_KEY_FILE": str(secret),
    }
    built = build_archive(read_settings(there), tmp_path)
    assert built is not None
    await built.put(KEY, WHOLE)
    assert await S3Archive(place).get(KEY) == WHOLE
    assert isinstance(build_archive(read_settings({}), tmp_path), FolderArchive)
    own = {"RECALLD_DATABASE_URL": "postgresql://db/recalld"}
    assert build_archive(read_settings(own), tmp_path) is None
    assert isinstance(build_archive(read_settings({**own, "RECALLD_ARCHIVE_DIR": "cold"}), tmp_path), FolderArchive)

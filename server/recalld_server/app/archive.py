"""The archive that is configured."""

from __future__ import annotations

from pathlib import Path

from recalld_server.settings import Settings, SettingsError
from recalld_server.store.base import Archive
from recalld_server.store.files import FolderArchive


def build_archive(settings: Settings, data_dir: Path) -> Archive | None:
    """Where the archive is; None: what is archived stays in the database. Raises SettingsError when a bucket is asked
    for and its client is not installed."""
    if settings.archive_url:
        return _bucket(settings)
    if settings.archive_dir is not None:
        return FolderArchive(settings.archive_dir)
    return FolderArchive(data_dir / "archive") if settings.database_url is None else None


def _bucket(settings: Settings) -> Archive:
    try:
        from recalld_server.store.s3 import S3Archive, S3Place
    except ImportError:
        raise SettingsError("RECALLD_ARCHIVE_URL: needs a client: pip install 'recalld-server[s3]'") from None
    bucket, _, prefix = settings.archive_url.removeprefix("s3://").partition("/")
    access, secret = settings.archive_s3_access_key, settings.archive_s3_secret_key
    return S3Archive(
        S3Place(
            bucket,
            prefix.strip("/"),
            endpoint=settings.archive_s3_endpoint,
            region=settings.archive_s3_region,
            access_key=access.get_secret_value() if access else "",
            secret_key=secret.get_secret_value() if secret else "",
        )
    )

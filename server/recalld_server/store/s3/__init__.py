"""The archive in a bucket."""

from recalld_server.store.s3.archive import S3Archive, S3Place

__all__ = ["S3Archive", "S3Place"]

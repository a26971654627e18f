"""Files of the archive in a bucket of S3, or of what speaks like it (MinIO, Ceph, R2)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from obstore.exceptions import BaseError, PermissionDeniedError, UnauthenticatedError
from obstore.store import S3Store

from recalld_server.errors import StoreUnavailable

if TYPE_CHECKING:
    from obstore.store import ClientConfig, RetryConfig, S3Config

CONNECT = timedelta(seconds=5)
WITHIN = timedelta(seconds=60)
"""Bounds every method, attempts and all."""
ATTEMPTS = 2
"""After the first."""


@dataclass(frozen=True, slots=True)
class S3Place:
    """A bucket and the way to it. Without keys those of the environment are used: AWS_*, or the machine's own role."""

    bucket: str
    prefix: str = ""
    endpoint: str = ""
    """URL; empty: Amazon's."""
    region: str = "us-east-1"
    access_key: str = field(default="", repr=False)
    secret_key: str = field(default="", repr=False)


class S3Archive:
    """An Archive below a prefix of a bucket, which must exist. Holds nothing that has to be closed."""

    def __init__(self, place: S3Place, within: timedelta = WITHIN) -> None:
        config: S3Config = {"region": place.region}
        if place.endpoint:
            config["endpoint"] = place.endpoint
        if place.access_key:
            config["access_key_id"] = place.access_key
            config["secret_access_key"] = place.secret_key
        client: ClientConfig = {
            "connect_timeout": min(CONNECT, within),
            "timeout": within,
            "allow_http": place.endpoint.startswith("http://"),
        }
        retry: RetryConfig = {"max_retries": ATTEMPTS, "retry_timeout": within}
        self._within = within.total_seconds()
        self._store = S3Store(
            place.bucket, prefix=place.prefix or None, config=config, client_options=client, retry_config=retry
        )

    async def put(self, key: str, data: bytes) -> None:
        async with self._asking():
            # in one request: what is cut off leaves no parts behind
            await self._store.put_async(key, data, use_multipart=False)

    async def get(self, key: str) -> bytes | None:
        async with self._asking():
            try:
                return bytes(await (await self._store.get_async(key)).bytes_async())
            except FileNotFoundError as error:
                if _no_bucket(error):
                    raise
                return None

    async def delete(self, key: str) -> None:
        async with self._asking():
            try:
                await self._store.delete_async(key)
            except FileNotFoundError as error:
                if _no_bucket(error):
                    raise

    async def list(self) -> tuple[str, ...]:
        async with self._asking():
            return tuple(sorted([each["path"] async for page in self._store.list_async() for each in page]))

    @asynccontextmanager
    async def _asking(self) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(self._within):
                yield
        except (BaseError, OSError) as error:
            # what the provider says may hold addresses and keys: only its kind is told
            raise StoreUnavailable(f"the archive cannot be used: {_advice(error)}") from None


def _no_bucket(error: Exception) -> bool:
    return "NoSuchBucket" in str(error)


def _advice(error: Exception) -> str:
    if isinstance(error, PermissionDeniedError | UnauthenticatedError) or "AccessDenied" in str(error):
        return (
            "the bucket refuses the key: see RECALLD_ARCHIVE_S3_ACCESS_KEY, and that it may get, put, list and delete"
        )
    if isinstance(error, FileNotFoundError) or _no_bucket(error):
        return "there is no such bucket: see RECALLD_ARCHIVE_URL, and make it"
    return f"the object store does not answer ({type(error).__name__}): see RECALLD_ARCHIVE_S3_ENDPOINT and _REGION"

"""An object store on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from uuid import uuid4

import pytest

from recalld_server.store.s3 import S3Place

KEYS = {"access_key": "an-access-key", "secret_key": "a-secret-key"}


@dataclass(frozen=True)
class Buckets:
    """Makes buckets in a server of moto's."""

    endpoint: str

    def make(self, prefix: str = "cold/files") -> S3Place:
        import boto3  # takes a second: for those who need it

        name = f"bucket-{uuid4()}"
        keys = {"aws_access_key_id": KEYS["access_key"], "aws_secret_access_key": KEYS["secret_key"]}
        boto3.client("s3", endpoint_url=self.endpoint, region_name="us-east-1", **keys).create_bucket(Bucket=name)
        return S3Place(name, prefix, self.endpoint, **KEYS)


@pytest.fixture(scope="session")
def buckets() -> Iterator[Buckets]:
    """A server of S3's protocol, for the whole run."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield Buckets(f"http://{host}:{port}")
    server.stop()

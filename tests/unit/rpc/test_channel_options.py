"""gRPC passes over options that it does not know, so a name that is wrong by a word would go unnoticed."""

from pathlib import Path

import pytest
from grpc._cython import cygrpc  # type: ignore[attr-defined]

from recalld import _channel
from recalld_server.rpc.server import RpcSettings

LIBRARY = Path(cygrpc.__file__).read_bytes()


@pytest.mark.parametrize("name", [name for name, _ in RpcSettings().options()])
def test_grpc_knows_each_option_of_the_server(name: str) -> None:
    assert name.encode() in LIBRARY


def test_grpc_knows_each_option_of_the_client() -> None:
    lines = Path(_channel.__file__).read_text().splitlines()
    names = [line.split('"')[1] for line in lines if line.strip().startswith('("grpc.')]
    assert names
    assert [name for name in names if name.encode() not in LIBRARY] == []

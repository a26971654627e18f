from __future__ import annotations

import grpc
import pytest
from tests.rpc.calling import METHODS, failure
from tests.rpc.doubles import FakeCore

from recalld_server.rpc.calls import SERVICES
from recalld_server.rpc.server import servicers

SERVING = servicers(FakeCore().core())
UNSERVED = [
    method
    for service in SERVICES
    for method in service.methods
    if not hasattr(SERVING.get(service.full_name), method.name)
]


@pytest.mark.parametrize("method", UNSERVED, ids=lambda method: method.name)
@pytest.mark.parametrize("request_bytes", [b"", b"\xff\xff\xff"])
async def test_what_is_not_served_says_so(channel: grpc.aio.Channel, method: object, request_bytes: bytes) -> None:
    failed = await failure(channel, method, request_bytes)
    assert (failed.code, failed.reason) == (grpc.StatusCode.UNIMPLEMENTED, "NOT_IMPLEMENTED")
    assert failed.metadata["method"] in failed.text


def test_a_servicer_has_no_method_that_the_contract_lacks() -> None:
    for servicer in SERVING.values():
        public = {name for name in dir(servicer) if not name.startswith("_")}
        assert public <= METHODS.keys()

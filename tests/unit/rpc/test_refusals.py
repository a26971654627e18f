"""What the log says of refused credentials."""

import structlog

from recalld_server.rpc.refusals import TOLD_EVERY, Refusals


def test_a_line_for_the_first_and_then_one_for_many() -> None:
    now = [0.0]
    refusals = Refusals(lambda: now[0])
    with structlog.testing.capture_logs() as logs:
        for moment in (0.0, 1.0, TOLD_EVERY - 0.1, TOLD_EVERY, TOLD_EVERY + 1):
            now[0] = moment
            refusals.tell("/recalld.v1.MemoryService/Stats", "ipv4:192.0.2.7:50123")
    assert [line["refused"] for line in logs] == [1, 3]
    assert logs[0] == {
        "event": "no valid credential",
        "log_level": "warning",
        "method": "recalld.v1.MemoryService/Stats",
        "peer": "ipv4:192.0.2.7",
        "refused": 1,
    }


def test_an_address_of_another_form_stays_as_it_is() -> None:
    with structlog.testing.capture_logs() as logs:
        Refusals().tell("/a/B", "unix:")
        Refusals().tell("/a/B", "ipv6:%5B::1%5D:50123")
    assert [line["peer"] for line in logs] == ["unix:", "ipv6:%5B::1%5D"]

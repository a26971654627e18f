"""The protocol of systemd: whoever started the server hears that it serves; whoever did not is not bothered."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from recalld_server import notify


@pytest.mark.parametrize("form", ["path", "abstract"])
def test_it_is_told_where_the_variable_says(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    address = str(tmp_path / "s") if form == "path" else f"@{tmp_path.name}-recalld"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ears:
        ears.bind(address if form == "path" else f"\0{address[1:]}")
        ears.settimeout(10)
        monkeypatch.setenv(notify.VARIABLE, address)
        notify.tell(notify.READY)
        assert ears.recv(100) == b"READY=1"


@pytest.mark.parametrize("address", [None, "", "/nowhere/at/all", "@nobody-listens-here", "vsock:1:2"])
def test_nobody_listening_is_no_fault(address: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(notify.VARIABLE, raising=False)
    if address is not None:
        monkeypatch.setenv(notify.VARIABLE, address)
    notify.tell(notify.READY)

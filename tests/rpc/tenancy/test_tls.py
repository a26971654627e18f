"""TLS: what is served, its renewal, and callers known by their certificates."""

from __future__ import annotations

import asyncio
import json
import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import UUID

import grpc
import pytest
from tests.rpc.calling import ADA, call, failure
from tests.rpc.doubles import FakeCore
from tests.rpc.tenancy.certificates import Issued, issue

from recalld.v1 import memory_service_pb2 as pb
from recalld_server.core.identity import Identity, IdentityError, read_subjects
from recalld_server.model import Role
from recalld_server.rpc.server import RpcServer, RpcSettings
from recalld_server.rpc.tls import Certificates, TlsError, TlsOptions

PLANNER = "spiffe://acme/planner"
TENANT_ID = UUID(int=5)


class OneTenant:
    async def find_tenant(self, name: str) -> UUID | None:
        return TENANT_ID if name == "acme" else None


class Served:
    def __init__(self, folder: Path, fake: FakeCore) -> None:
        self.folder, self.fake, self.port = folder, fake, 0
        self.authority = issue("authority")

    def channel(self, caller: Issued | None = None) -> grpc.aio.Channel:
        own = (caller.key, caller.pem) if caller else (None, None)
        credentials = grpc.ssl_channel_credentials(self.authority.pem, *own)
        # a pool of its own: a connection that is there already would not shake hands again
        options = [("grpc.use_local_subchannel_pool", 1)]
        return grpc.aio.secure_channel(f"localhost:{self.port}", credentials, options=options)

    async def shown(self) -> str:
        """The name in the certificate that is served to the next caller."""
        context = ssl.create_default_context(cadata=self.authority.pem.decode())

        def look() -> str:
            with (
                socket.create_connection(("localhost", self.port), timeout=20) as plain,
                context.wrap_socket(plain, server_hostname="localhost") as safe,
            ):
                certificate = safe.getpeercert()
            assert certificate is not None
            return str(certificate["subject"][0][0][1])

        return await asyncio.to_thread(look)


@asynccontextmanager
async def serving(folder: Path, *, mutual: bool = False, subjects: object = None) -> AsyncIterator[Served]:
    fake = FakeCore()
    served = Served(folder, fake)
    cert, key = issue("first", served.authority).put(folder, "server")
    roots, _ = served.authority.put(folder, "authority")
    identity = None
    if subjects is not None:
        (folder / "subjects.json").write_text(json.dumps(subjects))
        identity = Identity(fake.core().keys, None, OneTenant(), read_subjects(folder / "subjects.json"))
    tls = TlsOptions(cert, key, roots if mutual else None)
    server = RpcServer(fake.core(), RpcSettings(listen="localhost:0", reuse_port=False, tls=tls), identity=identity)
    served.port = int((await server.start()).rpartition(":")[2])
    try:
        yield served
    finally:
        await server.stop(grace=0)


async def test_a_key_is_taken_over_tls_and_nothing_without(tmp_path: Path) -> None:
    async with serving(tmp_path) as served:
        async with served.channel() as channel:
            await call(channel, "Stats", pb.StatsRequest())
        async with grpc.aio.insecure_channel(f"localhost:{served.port}") as channel:
            failed = await failure(channel, "Stats", pb.StatsRequest())
            assert failed.code is grpc.StatusCode.UNAVAILABLE


async def test_a_renewed_certificate_is_served_and_a_broken_one_is_not(tmp_path: Path) -> None:
    async with serving(tmp_path) as served:
        assert await served.shown() == "first"
        issue("second", served.authority).put(tmp_path, "server")
        assert await served.shown() == "second"
        third = issue("third", served.authority)
        (tmp_path / "server.pem").write_bytes(third.pem)  # the key is still the second's
        assert await served.shown() == "second"
        (tmp_path / "server.key").write_bytes(third.key)
        assert await served.shown() == "third"
        (tmp_path / "server.pem").unlink()
        assert await served.shown() == "third"


async def test_a_certificate_stands_for_an_agent(tmp_path: Path) -> None:
    subjects = {PLANNER: {"tenant": "acme", "agent": "planner", "roles": ["writer"], "namespaces": ["team"]}}
    async with (
        serving(tmp_path, mutual=True, subjects=subjects) as served,
        served.channel(issue("whoever", served.authority, [PLANNER])) as channel,
    ):
        await call(channel, "Stats", pb.StatsRequest(), ())
        who = served.fake.asked[-1].principal
        assert (who.tenant_id, who.tenant, who.agent_id) == (TENANT_ID, "acme", "planner")
        assert (who.roles, who.namespaces) == (frozenset({Role.WRITER}), ("team",))
        assert (who.key_id, who.method) == (f"tls:{PLANNER}", "Stats")
        # a key, when there is one, counts: a wrong one is not made good by the certificate
        failed = await failure(channel, "Stats", pb.StatsRequest(), (("authorization", "Bearer eve"),))
        assert failed.code is grpc.StatusCode.UNAUTHENTICATED
        await call(channel, "Stats", pb.StatsRequest(), ADA)
        assert served.fake.asked[-1].principal.agent_id == "ada"


async def test_a_certificate_that_stands_for_nobody_is_nobody(tmp_path: Path) -> None:
    subjects = {
        PLANNER: {"tenant": "acme", "agent": "planner", "roles": "writer"},
        "ghost": {"tenant": "gone", "agent": "ghost", "roles": "admin"},
    }
    async with serving(tmp_path, mutual=True, subjects=subjects) as served:
        for name, also in (("whoever", ["spiffe://acme/plan"]), ("other", [f"{PLANNER}/"]), ("ghost", [])):
            async with served.channel(issue(name, served.authority, also)) as channel:
                failed = await failure(channel, "Stats", pb.StatsRequest(), ())
                assert (failed.code, failed.reason) == (grpc.StatusCode.UNAUTHENTICATED, "INVALID_CREDENTIAL")
        for stranger in (None, issue("planner", issue("another authority"), [PLANNER])):
            async with served.channel(stranger) as channel:
                failed = await failure(channel, "Stats", pb.StatsRequest(), ())
                assert failed.code is grpc.StatusCode.UNAVAILABLE
        assert [asked for asked in served.fake.asked if asked.name != "keys.authenticate"] == []


def test_certificates_that_cannot_be_used_stop_the_start(tmp_path: Path) -> None:
    first, second = issue("first"), issue("second")
    cert, _ = first.put(tmp_path, "first")
    _, key = second.put(tmp_path, "second")
    with pytest.raises(TlsError, match="same pair"):
        Certificates(TlsOptions(cert, key))
    with pytest.raises(TlsError, match="cannot read"):
        Certificates(TlsOptions(tmp_path / "gone.pem", key))


@pytest.mark.parametrize(
    "given",
    [
        "[]",
        "{",
        '{"a": 1}',
        '{"a": {"tenant": "acme", "agent": "*", "roles": "admin"}}',
        '{"a": {"tenant": "acme", "agent": "beta/bob", "roles": "admin"}}',
        '{"a": {"tenant": "ACME", "agent": "b", "roles": "admin"}}',
        '{"a": {"tenant": "acme", "agent": "b", "roles": "root"}}',
        '{"a": {"tenant": "acme", "agent": "b", "roles": "admin", "namespaces": []}}',
        '{"a": {"tenant": "acme", "agent": "b", "roles": "admin", "namespaces": ["a_*"]}}',
        '{"a": {"tenant": "acme", "agent": "b", "roles": "admin", "namespace": ["a"]}}',
    ],
)
def test_subjects_that_cannot_be_meant_stop_the_start(tmp_path: Path, given: str) -> None:
    path = tmp_path / "subjects.json"
    path.write_text(given)
    with pytest.raises(IdentityError, match="RECALLD_TLS_CLIENT_SUBJECTS_FILE"):
        read_subjects(path)

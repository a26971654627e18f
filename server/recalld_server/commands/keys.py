"""Keys, beside the database: for operators, who can read all of it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID

import typer

from recalld_server.bootstrap import TENANT
from recalld_server.commands.common import DataDir, fail, with_store
from recalld_server.core.keys import mint
from recalld_server.core.names import check_agent, check_namespace
from recalld_server.model import Actor, Key, Role, utc_now
from recalld_server.store.base import Asker
from recalld_server.store.postgres import PostgresStore

OPERATOR = "operator"
"""The agent that the audit log names, without a key, for what is done here."""
PAGE = 500

Tenant = Annotated[str, typer.Option(help="In which tenant.")]
KeyId = Annotated[str, typer.Argument(help="Id of the key: its middle part.")]

app = typer.Typer(
    help="Keys of a tenant. Example: recalld key create --agent planner", no_args_is_help=True, add_completion=False
)


@app.command("create")
def create(
    agent: Annotated[str, typer.Option(help="The agent that the key stands for.")],
    role: Annotated[list[str] | None, typer.Option(help="reader, writer, reflector or admin; may be repeated.")] = None,
    namespace: Annotated[list[str] | None, typer.Option(help="Only for this namespace; may be repeated.")] = None,
    description: str = "",
    expires: Annotated[datetime | None, typer.Option(help="When it ends, UTC: 2027-01-01.")] = None,
    tenant: Tenant = TENANT,
    data_dir: DataDir = None,
) -> None:
    """Makes a key and prints it: this is the only time that its secret can be seen.

    Example: recalld key create --agent planner --role writer --namespace default
    """
    try:
        roles = frozenset(Role[name.upper()] for name in role or ["writer"])
    except KeyError as error:
        raise typer.BadParameter(f"{error.args[0].lower()} is not a role: reader, writer, reflector, admin") from error
    check_agent(agent)
    places = tuple(check_namespace(each) for each in namespace or ())
    ends = expires.replace(tzinfo=UTC) if expires else None
    if ends is not None and ends <= utc_now():
        raise typer.BadParameter("--expires has passed")

    async def work(store: PostgresStore) -> str:
        tenant_id = await known(store, tenant)
        asker = Asker(tenant_id, agent, roles)
        missing = [name for name in places if await store.find_namespace(asker, name) is None]
        if missing:
            # it may be made later: the key is good for it from then on
            typer.echo(f"there is no namespace {', '.join(missing)} yet: see `recalld namespace list`", err=True)
        return await _make(store, tenant_id, agent, roles, places, description, ends)

    typer.echo(with_store(data_dir, work))


@app.command("list")
def list_(tenant: Tenant = TENANT, data_dir: DataDir = None) -> None:
    """Lists keys, newest first, without secrets. Example: recalld key list"""

    async def work(store: PostgresStore) -> list[Key]:
        tenant_id, found = await known(store, tenant), list[Key]()
        while True:
            before = (found[-1].create_time, found[-1].key_id) if found else None
            page = await store.list_keys(tenant_id, before=before, limit=PAGE)
            found += page
            if len(page) < PAGE:
                return found

    for key in with_store(data_dir, work):
        roles = ",".join(sorted(role.name.lower() for role in key.roles))
        used = f"{key.last_use_time:%Y-%m-%d %H:%M}" if key.last_use_time else "never used"
        typer.echo(
            f"{key.key_id}  {key.agent_id:20} {roles:20} {_state(key):8} {used:16} {' '.join(key.namespaces) or 'everywhere'}"
        )


@app.command("revoke")
def revoke(key_id: KeyId, tenant: Tenant = TENANT, data_dir: DataDir = None) -> None:
    """Ends a key for good. Example: recalld key revoke 0123456789abcdef"""

    async def work(store: PostgresStore) -> Key | None:
        return await store.revoke_key(await known(store, tenant), key_id, actor=Actor(OPERATOR, "", "RevokeKey"))

    if with_store(data_dir, work) is None:
        fail(f"there is no key {key_id} in {tenant}: see `recalld key list`")
    typer.echo(f"revoked {key_id}")


@app.command("rotate")
def rotate(key_id: KeyId, tenant: Tenant = TENANT, data_dir: DataDir = None) -> None:
    """Makes a key with the same rights and prints it. The old one is good until it is revoked, so that nobody is locked out
    meanwhile.

    Example: recalld key rotate 0123456789abcdef
    """

    async def work(store: PostgresStore) -> str | None:
        tenant_id = await known(store, tenant)
        found = await store.find_key(key_id)
        if found is None or found[0].tenant_id != tenant_id or _state(found[0]) != "active":
            return None
        old = found[0]
        return await _make(
            store, tenant_id, old.agent_id, old.roles, old.namespaces, old.description, old.expire_time, old.confined
        )

    secret = with_store(data_dir, work)
    if secret is None:
        fail(f"there is no active key {key_id} in {tenant}: see `recalld key list`")
    typer.echo(secret)
    typer.echo(f"when it is in place: recalld key revoke {key_id}", err=True)


async def known(store: PostgresStore, name: str) -> UUID:
    """The tenant's id; ends the command when there is none."""
    tenant_id = await store.find_tenant(name)
    if tenant_id is None and name == TENANT:
        return await store.ensure_tenant(TENANT)
    if tenant_id is None:
        fail(f"there is no tenant {name}: see `recalld tenant list`, or make it with `recalld tenant create {name}`")
    return tenant_id


async def _make(
    store: PostgresStore,
    tenant_id: UUID,
    agent: str,
    roles: frozenset[Role],
    namespaces: tuple[str, ...],
    description: str,
    expire_time: datetime | None,
    confined: bool = False,
) -> str:
    key_id, secret, stored = mint()
    await store.create_key(
        tenant_id,
        key_id=key_id,
        secret_hash=stored,
        agent_id=agent,
        roles=roles,
        namespaces=namespaces,
        description=description,
        expire_time=expire_time,
        confined=confined,
        actor=Actor(OPERATOR, "", "CreateKey"),
    )
    return secret


def _state(key: Key) -> str:
    if key.revoke_time is not None:
        return "revoked"
    return "expired" if key.expire_time is not None and key.expire_time <= utc_now() else "active"

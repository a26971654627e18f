"""grants and audit."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

import typer

from recalld.cli import parse
from recalld.cli.common import Session, command
from recalld.enums import Role
from recalld.types.namespaces import Grant

RoleChoice: TypeAlias = Literal["reader", "writer", "reflector", "admin"]
Name = Annotated[str, typer.Argument(help="Name of the namespace.")]


def add(app: typer.Typer) -> None:
    """Adds the commands."""
    grants = typer.Typer(
        help="Who else may use a namespace. Example: recall grants list team/search", no_args_is_help=True
    )
    command(grants, "list")(list_grants)
    command(grants, "create")(create_grant)
    command(grants, "revoke")(revoke_grant)
    app.add_typer(grants, name="grants")
    command(app, "audit")(audit)


def create_grant(
    session: Session,
    name: Name,
    role: Annotated[RoleChoice, typer.Argument(help="What they may do.")],
    agent: Annotated[str | None, typer.Option(help="For this agent.")] = None,
    holders: Annotated[RoleChoice | None, typer.Option("--role", help="For everyone who has this role.")] = None,
    tenant: Annotated[str | None, typer.Option(help="For another tenant, by its name.")] = None,
    recursive: Annotated[bool, typer.Option("--recursive", help="Also for the namespaces below it.")] = False,
    expires: Annotated[str | None, typer.Option(help="When it ends: a time (2027-01-01).")] = None,
) -> None:
    """Lets an agent, everyone with a role, or another tenant use a namespace.

    Example: recall grants create team/search writer --agent planner
    """
    if sum(given is not None for given in (agent, holders, tenant)) != 1:
        raise typer.BadParameter("say for whom: one of --agent, --role and --tenant")
    made = session.client.grants.create(
        name,
        Role(role),
        agent_id=agent,
        grantee_role=Role(holders) if holders else None,
        tenant=tenant,
        recursive=recursive,
        expire_time=parse.instant(expires),
        timeout=session.timeout,
    )
    session.out.json(made) if session.out.as_json else session.out.text(made.grant_id)


def list_grants(session: Session, name: Name) -> None:
    """Lists the grants of a namespace, in the order in which they were made.

    Example: recall grants list team/search
    """
    found = session.client.grants.list(name, timeout=session.timeout)
    if session.out.as_json:
        for each in found:
            session.out.json(each)
        return
    session.out.table(
        ("grant", "for", "role", "below too", "ends", "made"),
        (
            (each.grant_id, _grantee(each), each.role, each.recursive, each.expire_time, each.create_time)
            for each in found
        ),
    )


def revoke_grant(
    session: Session, name: Name, grant_id: Annotated[str, typer.Argument(help="Id of the grant.")]
) -> None:
    """Ends a grant, on every server within seconds.

    Example: recall grants revoke team/search 01890a5d-ac96-774b-bcce-b302099a8057
    """
    session.client.grants.revoke(name, grant_id, timeout=session.timeout)
    session.out.json({"grant_id": grant_id}) if session.out.as_json else session.out.text(f"revoked {grant_id}")


def audit(
    session: Session,
    where: Annotated[str | None, typer.Option("--in", help="Only in this namespace.")] = None,
    agent: Annotated[str | None, typer.Option(help="Only by this agent.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="How many events at most.")] = 50,
) -> None:
    """Lists who did what, latest first: ids, never texts. Needs an ADMIN key.

    Example: recall audit --in team/search
    """
    events = session.client.audit_events(namespace=where, agent_id=agent, timeout=session.timeout)
    found = (event for event, _ in zip(events, range(limit), strict=False))
    if session.out.as_json:
        for each in found:
            session.out.json(each)
        return
    session.out.table(
        ("when", "agent", "key", "what", "where", "ended", "to which"),
        (
            (e.create_time, e.agent_id, e.key_id, e.action, e.namespace, e.outcome, " ".join(e.target_ids))
            for e in found
        ),
    )


def _grantee(grant: Grant) -> str:
    if grant.agent_id:
        return f"agent {grant.agent_id}"
    return f"tenant {grant.tenant}" if grant.tenant else f"role {grant.grantee_role}"

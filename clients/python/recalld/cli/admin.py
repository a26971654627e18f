"""namespaces and keys."""

from __future__ import annotations

import dataclasses
from typing import Annotated

import typer

from recalld.cli import parse
from recalld.cli.choices import words
from recalld.cli.common import Session, ask, command
from recalld.enums import Role
from recalld.types.namespaces import Namespace, Policy

Name = Annotated[str, typer.Argument(help="Name of the namespace.")]
Rules = Annotated[
    list[str] | None, typer.Option("--set", help="A rule of the policy: importance_threshold=0.6; can be repeated.")
]


def add(app: typer.Typer) -> None:
    """Adds the commands."""
    namespaces = typer.Typer(
        help="Namespaces and their policies. Example: recall namespaces list", no_args_is_help=True
    )
    command(namespaces, "list")(list_namespaces)
    command(namespaces, "create")(create_namespace)
    command(namespaces, "show")(show_namespace)
    command(namespaces, "update")(update_namespace)
    command(namespaces, "delete")(delete_namespace)
    app.add_typer(namespaces, name="namespaces")
    keys = typer.Typer(help="Keys of the tenant. Example: recall keys list", no_args_is_help=True)
    command(keys, "list")(list_keys)
    command(keys, "create")(create_key)
    command(keys, "revoke")(revoke_key)
    app.add_typer(keys, name="keys")


def list_namespaces(
    session: Session,
    parent: Annotated[str | None, typer.Option(help="Only this one and those below it.")] = None,
) -> None:
    """Lists the namespaces that the key may read.

    Example: recall namespaces list --parent team
    """
    found = session.client.namespaces.list(parent=parent, timeout=session.timeout)
    if session.out.as_json:
        for each in found:
            session.out.json(each)
        return
    session.out.table(
        ("name", "memories", "made", "description"),
        ((each.name, f"{each.memory_count:,}", each.create_time, each.description) for each in found),
    )


def create_namespace(
    session: Session,
    name: Name,
    description: Annotated[str | None, typer.Option(help="What it is for.")] = None,
    rules: Rules = None,
) -> None:
    """Makes a namespace.

    Example: recall namespaces create team/search --description "What the search agents know"
    """
    made = session.client.namespaces.create(
        name, description=description, policy=_policy(rules), timeout=session.timeout
    )
    _show(session, made)


def show_namespace(session: Session, name: Name) -> None:
    """Shows a namespace and its policy.

    Example: recall namespaces show team/search
    """
    _show(session, session.client.namespaces.get(name, timeout=session.timeout))


def update_namespace(
    session: Session,
    name: Name,
    description: Annotated[str | None, typer.Option(help="The new description.")] = None,
    rules: Rules = None,
    reset: Annotated[list[str] | None, typer.Option(help="A rule that goes back to its default.")] = None,
) -> None:
    """Changes a namespace's description and policy.

    Example: recall namespaces update team/search --set importance_threshold=0.6
    """
    # Written out, since None means "leave it" on the command line and UNSET in the client.
    policy, named = _policy(rules), reset or ()
    if description is None:
        made = session.client.namespaces.update(name, policy=policy, reset=named, timeout=session.timeout)
    else:
        made = session.client.namespaces.update(
            name, description=description, policy=policy, reset=named, timeout=session.timeout
        )
    _show(session, made)


def delete_namespace(
    session: Session, name: Name, yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False
) -> None:
    """Erases a namespace with all that it holds. Asks first.

    Example: recall namespaces delete team/old
    """
    count = session.client.namespaces.get(name, timeout=session.timeout).memory_count
    ask(f"Erase {name} with {count:,} memories for good?", yes=yes)
    counts = session.client.namespaces.delete(name, confirm=name, timeout=session.timeout)
    session.out.json(counts) if session.out.as_json else session.out.facts(counts)


def list_keys(session: Session) -> None:
    """Lists the keys, newest first.

    Example: recall keys list
    """
    found = session.client.keys.list(timeout=session.timeout)
    if session.out.as_json:
        for each in found:
            session.out.json(each)
        return
    session.out.table(
        ("key", "agent", "roles", "made", "last used", "ends", "revoked", "namespaces", "description"),
        (
            (
                each.key_id,
                each.agent_id,
                each.roles,
                each.create_time,
                each.last_use_time,
                each.expire_time,
                each.revoke_time,
                each.namespaces or "all",
                each.description,
            )
            for each in found
        ),
    )


def create_key(
    session: Session,
    agent_id: Annotated[str, typer.Argument(help="The agent that it stands for.")],
    role: Annotated[list[Role], words(Role, "What its holder may do.")],
    only: Annotated[list[str] | None, typer.Option(help="Good only in this namespace; can be repeated.")] = None,
    description: Annotated[str | None, typer.Option(help="What it is for.")] = None,
    expires: Annotated[str | None, typer.Option(help="When it ends: a time (2027-01-01).")] = None,
) -> None:
    """Makes a key and prints it, once: only its hash is stored.

    Example: recall keys create planner --role writer --only team/search
    """
    made = session.client.keys.create(
        agent_id,
        role,
        namespaces=only or (),
        description=description,
        expire_time=parse.instant(expires),
        timeout=session.timeout,
    )
    if session.out.as_json:
        session.out.json(made)
        return
    session.out.text(made.secret)
    session.out.note(f"key {made.key.key_id} of {made.key.agent_id}; it is not shown again")


def revoke_key(
    session: Session, key_id: Annotated[str, typer.Argument(help="Id of the key: its middle part.")]
) -> None:
    """Ends a key.

    Example: recall keys revoke 0h2k9d
    """
    ended = session.client.keys.revoke(key_id, timeout=session.timeout)
    session.out.json(ended) if session.out.as_json else session.out.text(f"revoked {ended.key_id}")


def _policy(rules: list[str] | None) -> Policy | None:
    given = parse.pairs(rules)
    if given is None:
        return None
    names = [field.name for field in dataclasses.fields(Policy)]
    for name in given:
        if name not in names:
            raise typer.BadParameter(f"{name!r} is not a rule; the rules are {', '.join(names)}")
    return Policy(**given)


def _show(session: Session, namespace: Namespace) -> None:
    if session.out.as_json:
        session.out.json(namespace)
        return
    session.out.facts(
        {
            "name": namespace.name,
            "description": namespace.description,
            "memories": f"{namespace.memory_count:,}",
            "made": namespace.create_time,
            "changed": namespace.update_time,
            **{field.name: getattr(namespace.policy, field.name) for field in dataclasses.fields(Policy)},
        }
    )

"""`recalld erase` and `recalld retention`: what goes, beside the database."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from typing import Annotated

import typer

from recalld_server.app import forgetting
from recalld_server.bootstrap import TENANT
from recalld_server.commands.common import Beside, DataDir, beside
from recalld_server.commands.keys import Tenant, known
from recalld_server.core.retention import Due
from recalld_server.core.types import CallOptions, ForgetOrder, Forgotten
from recalld_server.errors import NamespaceNotFound
from recalld_server.model import EVERY_AGENT, Filter, ForgetMode, Principal, Role, Scope, State

Name = Annotated[str, typer.Argument(help="The namespace.")]


def retention(
    namespace: Name,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would go, and why.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
    tenant: Tenant = TENANT,
    data_dir: DataDir = None,
) -> None:
    """Applies the rules of a namespace's policy now; servers do so every hour.

    Example: recalld retention team/search --dry-run
    """

    async def work(by: Beside) -> tuple[list[Due], int]:
        tenant_id = await known(by.store, tenant)
        found = await by.store.get_namespace(tenant_id, namespace)
        if found is None:
            raise NamespaceNotFound
        scope = Scope(tenant_id, found.namespace_id, namespace, EVERY_AGENT)
        async with forgetting(by.store, by.settings, by.endpoints, by.model_id) as (rules, _):
            due = await rules.due(scope, found.policy)
            return due, 0 if dry_run else await rules.apply(scope, found.policy)

    due, changed = beside(data_dir, work)
    for each in due if dry_run else ():
        shown = {name: str(value) for name, value in asdict(each).items()}
        typer.echo(json.dumps(shown) if as_json else f"{each.memory_id}  {each.action:8} {each.rule:15} {each.why}")
    counts = Counter(each.rule for each in due)
    told = "  ".join(f"{rule} {count:,}" for rule, count in sorted(counts.items())) or "nothing is due"
    typer.echo(told if dry_run else f"{changed:,} memories let go: {told}", err=dry_run)


def erase(
    namespace: Name,
    user_id: Annotated[list[str], typer.Option("--user-id", help="The person; can be repeated.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    tenant: Tenant = TENANT,
    data_dir: DataDir = None,
) -> None:
    """Erases all that is kept about a person in a namespace, private memories of every agent too. Asks first.

    Example: recalld erase team/support --user-id alice
    """
    filter = Filter(user_ids=tuple(user_id), states=tuple(State))

    async def work(by: Beside) -> Forgotten | None:
        operator = Principal(await known(by.store, tenant), tenant, EVERY_AGENT, frozenset({Role.ADMIN}), "")
        async with forgetting(by.store, by.settings, by.endpoints, by.model_id) as (_, forgets):
            order = ForgetOrder(filter=filter, mode=ForgetMode.ERASE, dry_run=True)
            plan = await forgets.forget(operator, namespace, order, CallOptions())
            asked = f"Erase {plan.count:,} memories and all sessions of these people?"
            if not yes and not typer.confirm(asked, err=True):
                return None
            order = ForgetOrder(filter=filter, mode=ForgetMode.ERASE, digest=plan.digest)
            return await forgets.forget(operator, namespace, order, CallOptions())

    done = beside(data_dir, work)
    if done is None or done.receipt is None:
        raise typer.Exit(1)
    counts = {"receipt_id": str(done.receipt.receipt_id), **dict(done.receipt.counts)}
    typer.echo(json.dumps(counts))

"""What a transaction sees, and for whom it acts, as the settings that row-level security and the audit log read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from recalld_server.model import Actor, Scope, new_id

READ = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
WRITE = "BEGIN ISOLATION LEVEL READ COMMITTED"


@dataclass(frozen=True, slots=True)
class Party:
    """What a transaction sees: this tenant, these namespaces, this agent's private memories."""

    tenant_id: UUID | None
    namespace_ids: frozenset[UUID]
    agent_id: str

    def settings(self) -> str:
        """As row-level security reads them; nothing in the text but digits of ids and of the agent's bytes."""
        tenant = str(UUID(int=self.tenant_id.int)) if self.tenant_id else ""
        ids = ",".join(str(UUID(int=each.int)) for each in self.namespace_ids)
        return (
            f"set_config('recalld.tenant_id', '{tenant}', true),"
            f" set_config('recalld.namespace_ids', '{f'{{{ids}}}' if ids else ''}', true),"
            f" set_config('recalld.agent_id', {_quoted(self.agent_id)}, true)"
        )


def parties(scopes: Sequence[Scope]) -> list[Party]:
    """The scopes by tenant, in the order given: whoever calls has another name in each. ValueError without any scope, and
    for two agents of one tenant."""
    places: dict[tuple[UUID, str], set[UUID]] = {}
    for scope in scopes:
        places.setdefault((scope.tenant_id, scope.agent_id), set()).add(scope.namespace_id)
    if not places or len({tenant for tenant, _ in places}) < len(places):
        raise ValueError("a transaction needs scopes, of one agent in each tenant")
    return [Party(tenant, frozenset(ids), agent) for (tenant, agent), ids in places.items()]


def opening(party: Party, actor: Actor, *, write: bool) -> str:
    """Begins a transaction and sets its scope, in one round trip. A writer commits without waiting for the disk, see
    `_BARRIERS`."""
    if not write:
        return f"{READ}; SELECT {party.settings()}"
    settings = f"{party.settings()}, set_config('synchronous_commit', 'off', true)"
    if actor.action:
        settings += (
            f", set_config('recalld.event_id', '{new_id()}', true), set_config('recalld.action', {_quoted(actor.action)}, true),"
            f" set_config('recalld.actor_id', {_quoted(actor.agent_id)}, true), set_config('recalld.key_id', {_quoted(actor.key_id)}, true)"
        )
    return f"{WRITE}; SELECT {settings}"


def _quoted(text: str) -> str:
    return f"convert_from(decode('{text.encode().hex()}', 'hex'), 'UTF8')"

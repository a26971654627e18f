"""Grants and the audit log."""

from __future__ import annotations

from recalld.v1 import namespace_service_pb2 as pb
from recalld_server.core.names import check_namespace
from recalld_server.errors import InvalidField
from recalld_server.model import AuditEvent, Grant, Grantee, Role
from recalld_server.rpc.convert.values import optional_time, to_timestamp
from recalld_server.store.base import NewGrant


def new_grant(message: pb.Grant) -> NewGrant:
    """What a grant is made of. Raises InvalidField."""
    check_namespace(message.namespace, "grant.namespace")
    which = message.WhichOneof("grantee")
    if which is None:
        raise InvalidField("grant", "must say for whom: one of agent_id, grantee_role and tenant")
    grantee, name = {
        "agent_id": (Grantee.AGENT, message.agent_id),
        "grantee_role": (Grantee.ROLE, Role(message.grantee_role).name if message.grantee_role else ""),
        "tenant": (Grantee.TENANT, message.tenant),
    }[which]
    expire_time = optional_time(message, "expire_time", "grant.")
    return NewGrant(grantee, name, Role(message.role), message.recursive, expire_time)


def grant(value: Grant) -> pb.Grant:
    """A grant as it is sent."""
    message = pb.Grant(
        grant_id=str(value.grant_id),
        namespace=value.namespace,
        role=int(value.role),  # type: ignore[arg-type]
        recursive=value.recursive,
        expire_time=to_timestamp(value.expire_time),
        create_time=to_timestamp(value.create_time),
    )
    if value.grantee is Grantee.AGENT:
        message.agent_id = value.name
    elif value.grantee is Grantee.ROLE:
        message.grantee_role = int(Role[value.name])  # type: ignore[assignment]
    else:
        message.tenant = value.name
    return message


def audit_event(value: AuditEvent) -> pb.AuditEvent:
    """An event as it is sent."""
    return pb.AuditEvent(
        event_id=str(value.event_id),
        create_time=to_timestamp(value.create_time),
        key_id=value.actor.key_id,
        agent_id=value.actor.agent_id,
        action=value.actor.action,
        namespace=value.namespace,
        target_ids=value.target_ids,
        outcome=value.outcome,
    )

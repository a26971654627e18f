"""Namespaces, policies, grants, keys and the audit log."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, cast

from recalld._convert.build import build, from_enum, to_enum
from recalld._convert.times import from_timestamp
from recalld.enums import ModelDownPolicy, Role, Visibility
from recalld.errors import FailedPrecondition
from recalld.types import namespaces as t
from recalld.v1 import memory_pb2 as pb
from recalld.v1 import namespace_service_pb2 as sv

_RULES = tuple(field.name for field in fields(t.Policy))


def to_policy(policy: t.Policy | None) -> sv.Policy | None:
    """The message of a policy's rules that are given; None stays None."""
    if policy is None:
        return None
    rules: dict[str, Any] = {name: getattr(policy, name) for name in _RULES}
    rules["default_visibility"] = to_enum(
        pb.Visibility, Visibility, policy.default_visibility, "policy.default_visibility"
    )
    rules["when_model_is_down"] = to_enum(
        sv.ModelDownPolicy, ModelDownPolicy, policy.when_model_is_down, "policy.when_model_is_down"
    )
    return build(sv.Policy, "policy", **rules)


def given_rules(policy: t.Policy | None) -> list[str]:
    """The names of the rules that are given."""
    return [] if policy is None else [name for name in _RULES if getattr(policy, name) is not None]


def from_policy(message: sv.Policy) -> t.Policy:
    """A policy; a rule that the server did not fill in is None."""
    rules: dict[str, Any] = {}
    for name in _RULES:
        field = sv.Policy.DESCRIPTOR.fields_by_name[name]
        known = not field.has_presence or message.HasField(cast(Any, name))
        rules[name] = getattr(message, name) if known else None
    rules["default_visibility"] = from_enum(pb.Visibility, Visibility, message.default_visibility)
    rules["when_model_is_down"] = from_enum(sv.ModelDownPolicy, ModelDownPolicy, message.when_model_is_down)
    return t.Policy(**rules)


def from_namespace(message: sv.Namespace) -> t.Namespace:
    """A namespace."""
    return t.Namespace(
        name=message.name,
        description=message.description,
        policy=from_policy(message.policy),
        etag=message.etag,
        create_time=from_timestamp(message, "create_time"),
        update_time=from_timestamp(message, "update_time"),
        memory_count=message.memory_count,
    )


def from_grant(message: sv.Grant) -> t.Grant:
    """A grant."""
    role = from_enum(sv.Role, Role, message.grantee_role) if message.HasField("grantee_role") else None
    return t.Grant(
        grant_id=message.grant_id,
        namespace=message.namespace,
        agent_id=message.agent_id,
        grantee_role=role,
        tenant=message.tenant,
        role=from_enum(sv.Role, Role, message.role),
        recursive=message.recursive,
        expire_time=from_timestamp(message, "expire_time"),
        create_time=from_timestamp(message, "create_time"),
    )


def from_key(message: sv.Key) -> t.Key:
    """A key."""
    return t.Key(
        key_id=message.key_id,
        agent_id=message.agent_id,
        roles=tuple(from_enum(sv.Role, Role, each) for each in message.roles),
        namespaces=tuple(message.namespaces),
        description=message.description,
        expire_time=from_timestamp(message, "expire_time"),
        create_time=from_timestamp(message, "create_time"),
        last_use_time=from_timestamp(message, "last_use_time"),
        revoke_time=from_timestamp(message, "revoke_time"),
    )


def from_new_key(message: sv.CreateKeyResponse) -> t.NewKey:
    """A key with its secret; raises FailedPrecondition when the secret went with an answer that never arrived."""
    if not message.secret:
        raise FailedPrecondition(
            f"key {message.key.key_id} was made by an earlier attempt whose answer, with the secret, was lost: "
            "revoke it and make another",
            reason="SECRET_LOST",
            metadata={"key_id": message.key.key_id},
        )
    return t.NewKey(from_key(message.key), message.secret)


def from_audit_event(message: sv.AuditEvent) -> t.AuditEvent:
    """Something that was done."""
    return t.AuditEvent(
        event_id=message.event_id,
        create_time=from_timestamp(message, "create_time"),
        key_id=message.key_id,
        agent_id=message.agent_id,
        action=message.action,
        namespace=message.namespace,
        target_ids=tuple(message.target_ids),
        outcome=message.outcome,
    )

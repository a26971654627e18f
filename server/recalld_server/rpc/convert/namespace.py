"""Namespaces, their policies, and keys."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from recalld.v1 import namespace_service_pb2
from recalld_server.core.policy import DEFAULTS
from recalld_server.core.schedule import is_schedule
from recalld_server.errors import InvalidField
from recalld_server.model import Key, Namespace, Policy, Visibility
from recalld_server.rpc.convert.values import optional_enum, prose, time_zone, to_timestamp

MODEL_DOWN = {
    namespace_service_pb2.MODEL_DOWN_POLICY_UNSPECIFIED: None,
    namespace_service_pb2.MODEL_DOWN_POLICY_REFUSE: False,
    namespace_service_pb2.MODEL_DOWN_POLICY_ACCEPT: True,
}
# All rules but these have the same name in the contract, and are optional there.
PECULIAR = frozenset(
    {"default_visibility", "accept_when_model_is_down", "reflection_schedule", "time_zone", "keep_query_text"}
)
RULES = {
    field.name: "accept_when_model_is_down" if field.name == "when_model_is_down" else field.name
    for field in namespace_service_pb2.Policy.DESCRIPTOR.fields
}
"""The domain's name of each rule, by the contract's."""
PLAIN = tuple(field.name for field in fields(Policy) if field.name not in PECULIAR)


def policy(message: namespace_service_pb2.Policy) -> Policy:
    """The rules that were given. Raises InvalidField."""
    plain: dict[str, Any] = {name: getattr(message, name) for name in PLAIN if message.HasField(name)}  # type: ignore[arg-type]
    return Policy(
        default_visibility=optional_enum(Visibility, message.default_visibility),
        accept_when_model_is_down=MODEL_DOWN[message.when_model_is_down],
        reflection_schedule=_cron_line(message.reflection_schedule) or None,
        time_zone=time_zone(message.time_zone, "policy.time_zone") if message.time_zone else None,
        keep_query_text=message.keep_query_text or None,
        **plain,
    )


def changes(request: namespace_service_pb2.UpdateNamespaceRequest) -> tuple[str | None, dict[str, object]]:
    """The new description, or None; and the new rules by name, None for a default. Raises InvalidField."""
    if not request.update_mask.paths:
        raise InvalidField("update_mask", "names nothing to change: give description, policy, or policy.RULE")
    given, description, rules = policy(request.policy), None, dict[str, object]()
    for at, path in enumerate(request.update_mask.paths):
        if path == "description":
            description = prose(request.description)
        elif path == "policy":
            rules |= {field.name: getattr(given, field.name) for field in fields(Policy)}
        elif path.startswith("policy.") and path.removeprefix("policy.") in RULES:
            name = RULES[path.removeprefix("policy.")]
            rules[name] = getattr(given, name)
        else:
            raise InvalidField(f"update_mask.paths[{at}]", "is not one of description, policy, or policy.RULE")
    return description, rules


def _cron_line(line: str) -> str:
    if line and not is_schedule(line):
        problem = "is no cron line that comes true: give minute, hour, day, month and weekday, such as 0 3 * * *"
        raise InvalidField("policy.reflection_schedule", problem)
    return line


def namespace(value: Namespace) -> namespace_service_pb2.Namespace:
    """A namespace as it is sent, with the defaults of its policy filled in."""
    return namespace_service_pb2.Namespace(
        name=value.name,
        description=value.description,
        policy=_policy(value.policy),
        etag=value.etag,
        create_time=to_timestamp(value.create_time),
        update_time=to_timestamp(value.update_time),
        memory_count=value.memory_count,
    )


def key(value: Key) -> namespace_service_pb2.Key:
    """A key as it is sent, without its secret."""
    return namespace_service_pb2.Key(
        key_id=value.key_id,
        agent_id=value.agent_id,
        roles=[int(role) for role in sorted(value.roles)],  # type: ignore[misc]
        namespaces=value.namespaces,
        description=value.description,
        expire_time=to_timestamp(value.expire_time),
        create_time=to_timestamp(value.create_time),
        last_use_time=to_timestamp(value.last_use_time),
        revoke_time=to_timestamp(value.revoke_time),
    )


def _policy(value: Policy) -> namespace_service_pb2.Policy:
    def rule(name: str) -> Any:
        given = getattr(value, name)
        return getattr(DEFAULTS, name) if given is None else given

    accept = rule("accept_when_model_is_down")
    return namespace_service_pb2.Policy(
        default_visibility=int(rule("default_visibility")),  # type: ignore[arg-type]
        when_model_is_down=(
            namespace_service_pb2.MODEL_DOWN_POLICY_ACCEPT if accept else namespace_service_pb2.MODEL_DOWN_POLICY_REFUSE
        ),
        reflection_schedule=rule("reflection_schedule"),
        time_zone=rule("time_zone"),
        keep_query_text=rule("keep_query_text"),
        **{name: rule(name) for name in PLAIN},
    )

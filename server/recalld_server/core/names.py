"""What may be a tenant, and what an agent: wherever a name does not come through the contract, which has its own rules."""

from __future__ import annotations

import re

from recalld_server.errors import InvalidField

AGENT = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._:@-]*[A-Za-z0-9])?")
TENANT = re.compile(r"[a-z0-9]([a-z0-9._-]*[a-z0-9])?")
NAMESPACE = re.compile(r"[a-z0-9]([a-z0-9._-]*[a-z0-9])?(/[a-z0-9]([a-z0-9._-]*[a-z0-9])?)*")
LONGEST = 200
"""Characters of an agent's or a namespace's name."""
LONGEST_TENANT = 63


def check_agent(name: str, field: str = "agent_id") -> str:
    """The name again. Raises InvalidField: `*` and TENANT/AGENT stand for others than one agent of the tenant."""
    if not AGENT.fullmatch(name) or len(name) > LONGEST:
        raise InvalidField(field, "must be letters, digits and . _ : @ -, beginning and ending with a letter or digit")
    return name


def check_tenant(name: str, field: str = "tenant") -> str:
    """The name again. Raises InvalidField: a tenant's name is the first part of what it shares."""
    if not TENANT.fullmatch(name) or len(name) > LONGEST_TENANT:
        raise InvalidField(
            field,
            f"must be at most {LONGEST_TENANT} lower-case letters, digits and . _ -, beginning and ending with a letter "
            "or digit",
        )
    return name


def check_namespace(name: str, field: str = "namespace") -> str:
    """The name again. Raises InvalidField."""
    if not NAMESPACE.fullmatch(name) or len(name) > LONGEST or ".." in name:
        raise InvalidField(field, "must be a name such as team/agent-1, in lower-case letters")
    return name

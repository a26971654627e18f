"""Namespaces, grants, keys, what leaves and who did what: how a call is passed on."""

from __future__ import annotations

import numpy as np
from google.protobuf.field_mask_pb2 import FieldMask
from tests.rpc.doubles import (
    EVENT,
    GRANT,
    ID,
    KEY,
    MEMORY,
    NAMESPACE,
    NOW,
)
from tests.rpc.passing.case import CALL, Case

from recalld.v1 import namespace_service_pb2 as ns
from recalld_server.core.moving import Exported
from recalld_server.model import (
    Filter,
    Grantee,
    Page,
    Policy,
    Role,
    TimeSpan,
)
from recalld_server.rpc import convert
from recalld_server.rpc.convert.values import to_timestamp
from recalld_server.store.base import Kept, NewGrant

CASES = [
    Case(
        "CreateNamespace",
        ns.CreateNamespaceRequest(
            name="team", description="茶\x00", policy=ns.Policy(importance_threshold=0.0, time_zone="Asia/Shanghai")
        ),
        "namespaces.create",
        ("team",),
        {"description": "茶", "policy": Policy(importance_threshold=0.0, time_zone="Asia/Shanghai"), "call": CALL},
        NAMESPACE,
        ns.CreateNamespaceResponse(namespace=convert.namespace(NAMESPACE)),
    ),
    Case(
        "GetNamespace",
        ns.GetNamespaceRequest(name="team"),
        "namespaces.get",
        ("team",),
        {},
        NAMESPACE,
        ns.GetNamespaceResponse(namespace=convert.namespace(NAMESPACE)),
    ),
    Case(
        "ListNamespaces",
        ns.ListNamespacesRequest(parent="team", page_size=1),
        "namespaces.list",
        (),
        {"parent": "team", "page_size": 1, "page_token": ""},
        Page((NAMESPACE,), "n"),
        ns.ListNamespacesResponse(namespaces=[convert.namespace(NAMESPACE)], next_page_token="n"),
    ),
    Case(
        "CreateKey",
        ns.CreateKeyRequest(agent_id="ben", roles=[2, 1], namespaces=["team"], expire_time=to_timestamp(NOW)),  # type: ignore[list-item]
        "keys.create",
        (),
        {
            "agent_id": "ben",
            "roles": frozenset({Role.READER, Role.WRITER}),
            "namespaces": ("team",),
            "description": "",
            "expire_time": NOW,
            "call": CALL,
        },
        (KEY, "rk_secret"),
        ns.CreateKeyResponse(key=convert.key(KEY), secret="rk_secret"),
    ),
    Case(
        "ListKeys",
        ns.ListKeysRequest(page_token="t"),
        "keys.list",
        (),
        {"page_size": 50, "page_token": "t"},
        Page((KEY,)),
        ns.ListKeysResponse(keys=[convert.key(KEY)]),
    ),
    Case(
        "RevokeKey",
        ns.RevokeKeyRequest(key_id="0" * 16),
        "keys.revoke",
        ("0" * 16, CALL),
        {},
        KEY,
        ns.RevokeKeyResponse(key=convert.key(KEY)),
    ),
    Case(
        "Export",
        ns.ExportRequest(namespace="team", filter={"user_ids": ["ada"]}, include_revisions=True),  # type: ignore[arg-type]
        "moving.export",
        ("team", Filter(user_ids=("ada",))),
        {"vectors": False, "revisions": True},
        [Exported(Kept(MEMORY)), Exported(Kept(MEMORY, (), np.array([1.0, 0.0], np.float32)), "m")],
        [
            ns.ExportResponse(record={"version": 1, "memory": convert.memory(MEMORY)}),  # type: ignore[arg-type]
            ns.ExportResponse(
                record={"version": 1, "memory": convert.memory(MEMORY), "vector": [1, 0], "embedding_model": "m"}  # type: ignore[arg-type]
            ),
        ],
    ),
    Case(
        "UpdateNamespace",
        ns.UpdateNamespaceRequest(
            name="team",
            description="茶\x00",
            policy=ns.Policy(importance_threshold=0.5, when_model_is_down=ns.MODEL_DOWN_POLICY_ACCEPT),
            update_mask=FieldMask(
                paths=[
                    "description",
                    "policy.importance_threshold",
                    "policy.when_model_is_down",
                    "policy.half_life_days",
                ]
            ),
            etag="e",
        ),
        "namespaces.update",
        ("team",),
        {
            "description": "茶",
            "rules": {"importance_threshold": 0.5, "accept_when_model_is_down": True, "half_life_days": None},
            "etag": "e",
            "call": CALL,
        },
        NAMESPACE,
        ns.UpdateNamespaceResponse(namespace=convert.namespace(NAMESPACE)),
    ),
    Case(
        "DeleteNamespace",
        ns.DeleteNamespaceRequest(name="team", confirm="team"),
        "namespaces.delete",
        ("team", CALL),
        {},
        {"memories": 2},
        ns.DeleteNamespaceResponse(counts={"memories": 2}),
    ),
    Case(
        "CreateGrant",
        ns.CreateGrantRequest(
            grant=ns.Grant(namespace="team", tenant="acme", role=ns.ROLE_READER, expire_time=to_timestamp(NOW))
        ),
        "sharing.create",
        ("team", NewGrant(Grantee.TENANT, "acme", Role.READER, False, NOW), CALL),
        {},
        GRANT,
        ns.CreateGrantResponse(grant=convert.grant(GRANT)),
    ),
    Case(
        "ListGrants",
        ns.ListGrantsRequest(namespace="team", page_size=2),
        "sharing.list",
        ("team",),
        {"page_size": 2, "page_token": ""},
        Page((GRANT,), "n"),
        ns.ListGrantsResponse(grants=[convert.grant(GRANT)], next_page_token="n"),
    ),
    Case(
        "RevokeGrant",
        ns.RevokeGrantRequest(namespace="team", grant_id=str(ID)),
        "sharing.revoke",
        ("team", ID, CALL),
        {},
        None,
        ns.RevokeGrantResponse(),
    ),
    Case(
        "ListAuditEvents",
        ns.ListAuditEventsRequest(namespace="team", agent_id="ada"),
        "audit.list",
        (),
        {"namespace": "team", "agent_id": "ada", "span": TimeSpan(), "page_size": 50, "page_token": ""},
        Page((EVENT,)),
        ns.ListAuditEventsResponse(events=[convert.audit_event(EVENT)]),
    ),
]

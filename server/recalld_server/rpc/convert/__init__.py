"""Between the messages of the contract and the words of the domain, one module for each part of the contract."""

from recalld_server.rpc.convert import metadata
from recalld_server.rpc.convert.context import context_query, context_response
from recalld_server.rpc.convert.export import export_record, exported
from recalld_server.rpc.convert.filter import filter_of
from recalld_server.rpc.convert.forget import forget_order, forget_response, precondition
from recalld_server.rpc.convert.grant import audit_event, grant, new_grant
from recalld_server.rpc.convert.memory import changes, draft, memory, revision
from recalld_server.rpc.convert.namespace import changes as namespace_changes
from recalld_server.rpc.convert.namespace import key, namespace, policy
from recalld_server.rpc.convert.reflection import reflect_order, reflection
from recalld_server.rpc.convert.review import review, review_state, verdict
from recalld_server.rpc.convert.search import search_query, search_response
from recalld_server.rpc.convert.session import (
    append_response,
    end_response,
    max_turns,
    session,
    session_response,
    session_state,
    turn_drafts,
)
from recalld_server.rpc.convert.stats import stats_response
from recalld_server.rpc.convert.values import optional_time, prose, time_span, uuid
from recalld_server.rpc.convert.watch import watch_query, watch_response
from recalld_server.rpc.convert.write import batch_item, checked_draft, write_options, write_result

__all__ = [
    "append_response",
    "audit_event",
    "batch_item",
    "changes",
    "checked_draft",
    "context_query",
    "context_response",
    "draft",
    "end_response",
    "export_record",
    "exported",
    "filter_of",
    "forget_order",
    "forget_response",
    "grant",
    "key",
    "max_turns",
    "memory",
    "metadata",
    "namespace",
    "namespace_changes",
    "new_grant",
    "optional_time",
    "policy",
    "precondition",
    "prose",
    "reflect_order",
    "reflection",
    "review",
    "review_state",
    "revision",
    "search_query",
    "search_response",
    "session",
    "session_response",
    "session_state",
    "stats_response",
    "time_span",
    "turn_drafts",
    "uuid",
    "verdict",
    "watch_query",
    "watch_response",
    "write_options",
    "write_result",
]

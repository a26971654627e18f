"""Between the messages of the contract and the words of the domain, one module for each part of the contract."""

from recalld_server.rpc.convert.context import context_query, context_response
from recalld_server.rpc.convert.filter import filter_of
from recalld_server.rpc.convert.forget import forget_order, forget_response, precondition
from recalld_server.rpc.convert.memory import changes, draft, memory, revision
from recalld_server.rpc.convert.namespace import key, namespace, policy
from recalld_server.rpc.convert.search import search_query, search_response
from recalld_server.rpc.convert.stats import stats_response
from recalld_server.rpc.convert.values import optional_time, prose, time_span, uuid
from recalld_server.rpc.convert.write import batch_item, checked_draft, write_options, write_result

__all__ = [
    "batch_item",
    "changes",
    "checked_draft",
    "context_query",
    "context_response",
    "draft",
    "filter_of",
    "forget_order",
    "forget_response",
    "key",
    "memory",
    "namespace",
    "optional_time",
    "policy",
    "precondition",
    "prose",
    "revision",
    "search_query",
    "search_response",
    "stats_response",
    "time_span",
    "uuid",
    "write_options",
    "write_result",
]

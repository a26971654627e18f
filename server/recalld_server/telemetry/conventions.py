"""Names of OpenTelemetry's semantic conventions that are used here.

Those of rpc and gen_ai are still in development there and have moved between packages before, so they are constants of
ours. Values never hold what a caller wrote.
"""

from __future__ import annotations

from typing import Final

ERROR_TYPE: Final = "error.type"

RPC_SYSTEM: Final = "rpc.system.name"
RPC_METHOD: Final = "rpc.method"
RPC_STATUS: Final = "rpc.response.status_code"

DB_SYSTEM: Final = "db.system.name"
DB_OPERATION: Final = "db.operation.name"
DB_SUMMARY: Final = "db.query.summary"
DB_STATUS: Final = "db.response.status_code"
DB_POOL: Final = "db.client.connection.pool.name"
DB_STATE: Final = "db.client.connection.state"

GEN_AI_OPERATION: Final = "gen_ai.operation.name"
GEN_AI_PROVIDER: Final = "gen_ai.provider.name"
GEN_AI_MODEL: Final = "gen_ai.request.model"
GEN_AI_INPUT_TOKENS: Final = "gen_ai.usage.input_tokens"
GEN_AI_OUTPUT_TOKENS: Final = "gen_ai.usage.output_tokens"
GEN_AI_TOKEN_TYPE: Final = "gen_ai.token.type"  # noqa: S105 - a name

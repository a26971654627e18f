"""The only reader of the environment. An unknown RECALLD_* variable, or a value that cannot be, is a refusal to start."""

from __future__ import annotations

import difflib
import ipaddress
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    field_validator,
    model_validator,
)

from recalld_server.setting_rules import check_together

PREFIX = "RECALLD_"
CLIENT_VARIABLES = frozenset(
    {
        "ADDR",
        "KEY",
        "KEY_FILE",
        "NAMESPACE",
        "TLS",
        "CA_FILE",
        "CERT_FILE",
        "CERT_KEY_FILE",
        "INSECURE",
        "USER_ID",
        "AGENT_ID",
    }
)
"""Read by clients, which may share the environment with a server."""
SECRETS = (
    "database_url",
    "migration_database_url",
    "replica_database_url",
    "redis_url",
    "embedding_api_key",
    "rerank_api_key",
    "chat_api_key",
    "otlp_headers",
    "archive_s3_access_key",
    "archive_s3_secret_key",
)
"""Each can also be given as the path of a file that holds it: RECALLD_DATABASE_URL_FILE and so on."""

NEVER_EMPTY = frozenset({"database_url", "migration_database_url", "redis_url"})
"""Others that are empty count as unset, as Compose and charts leave them; without these a server would do something else."""


class SettingsError(Exception):
    """A setting is unknown or cannot be. The message names it and says what would be right, on one line."""


def _address(value: str) -> str:
    host, separator, port = value.rpartition(":")
    if not separator or not host or not port.isdigit() or int(port) > 65535:
        raise ValueError("must be HOST:PORT, such as 127.0.0.1:50051")
    return value


def _database_addresses(value: SecretStr) -> SecretStr:
    addresses = value.get_secret_value().split()
    if not addresses or not all(each.startswith(("postgresql://", "postgres://")) for each in addresses):
        raise ValueError("must be postgresql://USER:PASSWORD@HOST:PORT/NAME")
    return value


def _redis_address(value: SecretStr) -> SecretStr:
    if not value.get_secret_value().startswith(("redis://", "rediss://", "unix://")):
        raise ValueError("must begin with redis://, rediss:// or unix://")
    return value


def _bucket(value: str) -> str:
    if value and not re.fullmatch(r"s3://[a-z0-9][a-z0-9._-]+(/[A-Za-z0-9._/-]*)?", value):
        raise ValueError("must be s3://BUCKET or s3://BUCKET/PREFIX")
    return value


def _metrics_address(value: str) -> str:
    if not value:
        return value
    return _address(f"127.0.0.1:{value}" if value.isdigit() else value)


class Settings(BaseModel):
    """Every setting, with its safe default."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    data_dir: Path | None = None
    """Where the embedded database, the encoder and the root key live. Default: the user's state directory."""
    listen: Annotated[str, AfterValidator(_address)] = "127.0.0.1:50051"
    """HOST:PORT of the API. Other than loopback only together with a database of your own or `allow_remote`."""
    allow_remote: bool = False
    """Allows the embedded default to listen on other than loopback."""
    workers: int = Field(1, ge=1, le=64)
    """Processes on the one port."""

    database_url: Annotated[SecretStr, AfterValidator(_database_addresses)] | None = None
    """PostgreSQL 15+ with pgvector 0.8+. Unset: the embedded one. One that does not answer is an error."""
    migration_database_url: Annotated[SecretStr, AfterValidator(_database_addresses)] | None = None
    """Used for migrations when the server's own user may not change the schema."""
    database_pooler: bool = False
    """PgBouncer in transaction mode is behind database_url; what needs a session of its own (migrations, change
    notifications) then goes to migration_database_url."""
    replica_database_url: Annotated[SecretStr, AfterValidator(_database_addresses)] | None = None
    """Streaming standbys of database_url that answer searches and other reads; several with spaces between, each the address
    of one server."""
    replica_max_lag_seconds: float = Field(5.0, gt=0, le=300)
    """A standby that is further behind is not asked."""
    database_pool_size: int = Field(10, ge=1, le=200)
    database_timeout_seconds: float = Field(10.0, gt=0, le=600)
    """Bounds every statement and every wait for a connection."""
    redis_url: Annotated[SecretStr, AfterValidator(_redis_address)] | None = None
    """Redis 7+ or Valkey. Unset: the embedded one with the embedded database, else none."""

    embedder: Literal["local", "openai", "tei", "hash"] = "local"
    embedding_model: str = ""
    embedding_url: str = ""
    embedding_api_key: SecretStr | None = None
    embedding_dimensions: int | None = Field(None, ge=8, le=4000)
    embedding_timeout_seconds: float = Field(10.0, gt=0, le=600)
    embedding_threads: int = Field(0, ge=0, le=64)
    """Threads of the local model; 0: as many as there are cores, divided among the workers."""

    reranker: Literal["none", "tei", "cohere"] = "none"
    """Whose /rerank endpoint judges the first hits; vLLM and others speak Cohere's."""
    rerank_url: str = ""
    rerank_model: str = ""
    rerank_api_key: SecretStr | None = None

    chat_url: str = ""
    """Base URL of an OpenAI-compatible chat model that distils, such as http://127.0.0.1:8080/v1; empty: rules distil."""
    chat_model: str = ""
    chat_api_key: SecretStr | None = None
    chat_timeout_seconds: float = Field(20.0, gt=0, le=600)
    """For one call, and for all that one write asks; distilling takes at least 60."""
    chat_run_tokens: int = Field(200_000, ge=1, le=100_000_000)
    """Tokens of question and answer that one reflection may use."""
    chat_run_calls: int = Field(50, ge=1, le=10_000)
    chat_run_seconds: float = Field(600.0, gt=0, le=86_400)
    chat_tenant_tokens: int = Field(0, ge=0)
    """Tokens that the reflections of one tenant may use within 24 hours; 0: no limit."""
    resolver: Literal["rules", "llm"] = "rules"
    """What tells whether a new statement repeats, replaces or contradicts a known one: rules, or rules and the chat model."""

    content_limit_bytes: int = Field(32 * 1024, ge=256, le=4 * 1024 * 1024)
    max_message_bytes: int = Field(16 * 1024 * 1024, ge=64 * 1024, le=256 * 1024 * 1024)
    max_concurrent_calls: int = Field(1000, ge=1, le=100_000)
    connection_age_seconds: int = Field(600, ge=10, le=86_400)
    compression: bool = False
    """Takes compressed requests, and compresses answers for those who take that: for slow networks and callers that are trusted."""
    drain_seconds: float = Field(0.0, ge=0, le=300)
    """How long the server still answers after it has said NOT_SERVING."""
    grace_seconds: float = Field(10.0, ge=0, le=300)
    """How long calls under way may take to end after that."""

    otlp_endpoint: str = ""
    """URL of an OpenTelemetry collector for traces and metrics, such as http://127.0.0.1:4317; empty: nothing is sent."""
    otlp_protocol: Literal["grpc", "http"] = "grpc"
    otlp_headers: SecretStr | None = None
    """key=value,key=value, for collectors that ask who sends."""
    trace_sample_ratio: float = Field(1.0, ge=0, le=1)
    """Share of the traces that begin here; a caller's decision is kept."""
    metrics_listen: Annotated[str, AfterValidator(_metrics_address)] = ""
    """PORT on loopback, or HOST:PORT, where Prometheus may ask at /metrics; empty: nowhere. Workers count up from it."""

    tls_cert_file: Path | None = None
    """PEM certificate chain of the server, with `tls_key_file`; read again when the files change. Unset: no TLS."""
    tls_key_file: Path | None = None
    tls_client_ca_file: Path | None = None
    """Only callers with a certificate that this authority signed may connect."""
    tls_client_subjects_file: Path | None = None
    """JSON: name in a caller's certificate -> tenant, agent, roles, namespaces; for callers without a key."""

    jwt_issuer: str = ""
    """Tokens of this issuer are taken beside keys. Needs `jwt_audience` and `jwt_keys`."""
    jwt_audience: str = ""
    jwt_keys: str = ""
    """The issuer's JSON Web Key Set: a file, or an https address."""
    jwt_algorithms: str = "RS256,ES256,EdDSA"
    jwt_tenant: str = ""
    """The tenant of every holder of a token; empty: the claim says it."""
    jwt_tenant_claim: str = "tenant"
    jwt_agent_claim: str = "sub"
    jwt_roles_claim: str = "roles"
    jwt_namespaces_claim: str = "namespaces"

    audit_retention_days: int = Field(365, ge=0, le=36_500)
    """Days for which the audit log is kept; 0: for ever."""

    limit_requests_per_second: float | None = Field(None, gt=0, le=1_000_000)
    """These five hold for each tenant that has no limit of its own (`recalld tenant limits`); unset: no limit."""
    limit_concurrent_calls: int | None = Field(None, ge=1, le=100_000)
    """In each server process."""
    limit_memories: int | None = Field(None, ge=0)
    limit_stored_bytes: int | None = Field(None, ge=0)
    limit_model_tokens_per_day: int | None = Field(None, ge=0)

    archive_dir: Path | None = None
    """Where what was archived goes cold: a folder that every server sees. Default: archive in the data directory with the
    embedded database, else none, and what is archived stays in the database."""
    archive_url: Annotated[str, AfterValidator(_bucket)] = ""
    """s3://BUCKET/PREFIX: a bucket of S3, or of what speaks like it, in place of a folder. Needs the extra `s3`."""
    archive_s3_endpoint: str = ""
    """URL of an object store that is not Amazon's, such as https://minio.internal:9000."""
    archive_s3_region: str = "us-east-1"
    archive_s3_access_key: SecretStr | None = None
    """With `archive_s3_secret_key`; unset: those of the environment (AWS_*), or the machine's own role."""
    archive_s3_secret_key: SecretStr | None = None
    root_key_file: Path | None = None
    """Holds the first ADMIN key; made on first start when absent. Default: root.key in the data directory."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    log_format: Literal["console", "json"] = "console"

    @field_validator("archive_dir", "archive_s3_access_key", "archive_s3_secret_key", mode="before")
    @classmethod
    def _empty_is_unset(cls, value: object) -> object:
        """Compose and Helm pass on what nobody chose as empty."""
        return None if value == "" else value

    @model_validator(mode="after")
    def _together(self) -> Settings:
        check_together(self)
        return self

    @property
    def host(self) -> str:
        return self.listen.rpartition(":")[0].strip("[]")

    @property
    def loopback(self) -> bool:
        """Whether only this machine can reach the API."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False


def read_settings(environment: Mapping[str, str] | None = None, **overrides: Any) -> Settings:
    """The settings of the environment, with those of the command line over them (None: not given). Raises SettingsError."""
    environment = os.environ if environment is None else environment
    values: dict[str, Any] = {}
    for name, value in environment.items():
        if not name.startswith(PREFIX) or name.removeprefix(PREFIX) in CLIENT_VARIABLES:
            continue
        field = name.removeprefix(PREFIX).lower()
        from_file = field.endswith("_file") and field.removesuffix("_file") in SECRETS
        field = field.removesuffix("_file") if from_file else field
        if field not in Settings.model_fields:
            raise SettingsError(f"{name} is not a setting: {_nearest(field)}")
        if from_file and value:
            value = _read_secret(name, value)
        if not value and field not in NEVER_EMPTY:
            continue
        if field in values:
            raise SettingsError(f"{PREFIX}{field.upper()} is given twice, as it is and as a file: keep one")
        values[field] = value
    values.update({name: value for name, value in overrides.items() if value is not None})
    try:
        return Settings(**values)
    except ValidationError as error:
        raise SettingsError(_one_line(error)) from None


def _read_secret(name: str, path: str) -> str:
    try:
        return Path(path).read_text().strip()
    except UnicodeDecodeError:
        raise SettingsError(f"{name}: {path} is not text") from None
    except OSError as error:
        raise SettingsError(f"{name}: cannot read {path} ({error.strerror})") from error


def _nearest(field: str) -> str:
    near = difflib.get_close_matches(field, Settings.model_fields, n=1)
    return f"did you mean {PREFIX}{near[0].upper()}?" if near else "remove it, or see `recalld settings`"


def _one_line(error: ValidationError) -> str:
    first = error.errors()[0]
    message = str(first["msg"]).removeprefix("Value error, ")
    field, _, said = (str(first["loc"][0]), "", message) if first["loc"] else message.partition(": ")
    return f"{PREFIX}{field.upper()}: {said}"

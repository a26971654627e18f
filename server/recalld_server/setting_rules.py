"""Which settings must be set together, and which cannot be. Messages begin with the setting that is to be changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recalld_server.settings import Settings

ASYMMETRIC = frozenset({"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"})
"""Signatures whose key may be published."""


def check_together(settings: Settings) -> None:
    """Raises ValueError for settings that contradict each other, or lack another."""
    for check in (_consistent, _identity, _one_archive):
        check(settings)


def _consistent(settings: Settings) -> None:
    if not settings.loopback and settings.database_url is None and not settings.allow_remote:
        raise ValueError(
            f"listen: {settings.listen} is not loopback: set RECALLD_DATABASE_URL, or RECALLD_ALLOW_REMOTE=true"
        )
    if settings.workers > 1 and settings.listen.endswith(":0"):
        raise ValueError("listen: several workers need one port, and 0 lets the system choose one for each")
    if settings.database_pooler and settings.migration_database_url is None:
        raise ValueError("migration_database_url: is needed with RECALLD_DATABASE_POOLER, past the pooler")
    if settings.replica_database_url is not None and settings.database_url is None:
        raise ValueError("replica_database_url: needs RECALLD_DATABASE_URL, whose standby it is")
    if settings.embedder in ("openai", "tei") and not settings.embedding_url:
        raise ValueError(f"embedding_url: is needed with RECALLD_EMBEDDER={settings.embedder}")
    if settings.embedder in ("openai", "tei") and not settings.embedding_model:
        raise ValueError(f"embedding_model: is needed with RECALLD_EMBEDDER={settings.embedder}")
    if settings.otlp_endpoint and not settings.otlp_endpoint.startswith(("http://", "https://")):
        raise ValueError("otlp_endpoint: must be a URL, such as http://127.0.0.1:4317")
    if settings.resolver == "llm" and not settings.chat_url:
        raise ValueError("chat_url: is needed with RECALLD_RESOLVER=llm")
    if settings.reranker != "none" and not settings.rerank_url:
        raise ValueError(f"rerank_url: is needed with RECALLD_RERANKER={settings.reranker}")
    if settings.chat_url and not settings.chat_url.startswith(("http://", "https://")):
        raise ValueError("chat_url: must be a URL, such as http://127.0.0.1:8080/v1")
    if bool(settings.chat_url) != bool(settings.chat_model):
        raise ValueError("chat_model: chat_url and chat_model are needed together")


def _identity(settings: Settings) -> None:
    if (settings.tls_cert_file is None) != (settings.tls_key_file is None):
        raise ValueError("tls_cert_file: is needed together with RECALLD_TLS_KEY_FILE, and the other way round")
    if settings.tls_client_ca_file is not None and settings.tls_cert_file is None:
        raise ValueError("tls_client_ca_file: needs RECALLD_TLS_CERT_FILE and RECALLD_TLS_KEY_FILE")
    if settings.tls_client_subjects_file is not None and settings.tls_client_ca_file is None:
        raise ValueError("tls_client_subjects_file: needs RECALLD_TLS_CLIENT_CA_FILE, or anyone could claim a name")
    given = [bool(value) for value in (settings.jwt_issuer, settings.jwt_audience, settings.jwt_keys)]
    if any(given) and not all(given):
        raise ValueError("jwt_issuer: RECALLD_JWT_ISSUER, _AUDIENCE and _KEYS are needed together")
    if "://" in settings.jwt_keys and not settings.jwt_keys.startswith("https://"):
        raise ValueError("jwt_keys: must be a file or an https:// address")
    if unsigned := set(settings.jwt_algorithms.split(",")) - ASYMMETRIC:
        raise ValueError(f"jwt_algorithms: {min(unsigned)} is not one of {', '.join(sorted(ASYMMETRIC))}")


def _one_archive(settings: Settings) -> None:
    if settings.archive_url and settings.archive_dir is not None:
        raise ValueError("archive_url: is one place, RECALLD_ARCHIVE_DIR another: set one of them")
    if settings.archive_s3_endpoint and not settings.archive_s3_endpoint.startswith(("http://", "https://")):
        raise ValueError("archive_s3_endpoint: must be a URL, such as https://minio.internal:9000")
    if (settings.archive_s3_access_key is None) != (settings.archive_s3_secret_key is None):
        raise ValueError("archive_s3_access_key: is needed together with RECALLD_ARCHIVE_S3_SECRET_KEY")
    if not settings.archive_url and (settings.archive_s3_endpoint or settings.archive_s3_access_key is not None):
        raise ValueError("archive_url: is needed with RECALLD_ARCHIVE_S3_ENDPOINT or _ACCESS_KEY")

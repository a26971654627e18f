"""Who may call, as the settings say."""

from __future__ import annotations

from recalld_server.core.identity import Authenticator, Identity, Tenants, read_subjects
from recalld_server.core.tokens import TokenOptions, Tokens
from recalld_server.rpc.tls import TlsOptions
from recalld_server.settings import Settings


def build_identity(settings: Settings, keys: Authenticator, tenants: Tenants) -> Identity:
    """Keys; and tokens and certificates where they are set up. Raises IdentityError."""
    file = settings.tls_client_subjects_file
    return Identity(keys, _tokens(settings, tenants), tenants, read_subjects(file) if file else None)


def tls_options(settings: Settings) -> TlsOptions | None:
    """The certificates to serve with."""
    if settings.tls_cert_file is None or settings.tls_key_file is None:
        return None
    return TlsOptions(settings.tls_cert_file, settings.tls_key_file, settings.tls_client_ca_file)


def _tokens(settings: Settings, tenants: Tenants) -> Tokens | None:
    if not settings.jwt_issuer:
        return None
    options = TokenOptions(
        issuer=settings.jwt_issuer,
        audience=settings.jwt_audience,
        keys=settings.jwt_keys,
        algorithms=tuple(settings.jwt_algorithms.split(",")),
        tenant=settings.jwt_tenant,
        tenant_claim=settings.jwt_tenant_claim,
        agent_claim=settings.jwt_agent_claim,
        roles_claim=settings.jwt_roles_claim,
        namespaces_claim=settings.jwt_namespaces_claim,
    )
    return Tokens(options, tenants)

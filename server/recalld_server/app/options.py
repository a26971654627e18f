"""From the settings to the options of each part."""

from __future__ import annotations

from datetime import timedelta

from recalld_server.app.callers import tls_options
from recalld_server.rpc.server import RpcSettings
from recalld_server.settings import Settings
from recalld_server.store.postgres import MaintenanceOptions
from recalld_server.telemetry import TelemetryOptions


def telemetry_options(settings: Settings) -> TelemetryOptions:
    host, _, port = settings.metrics_listen.rpartition(":")
    headers = settings.otlp_headers
    return TelemetryOptions(
        otlp_endpoint=settings.otlp_endpoint,
        otlp_protocol=settings.otlp_protocol,
        otlp_headers=headers.get_secret_value() if headers else "",
        sample_ratio=settings.trace_sample_ratio,
        metrics_host=host.strip("[]"),
        metrics_port=int(port or 0),
    )


def upkeep_options(settings: Settings) -> MaintenanceOptions:
    days = settings.audit_retention_days
    return MaintenanceOptions(keep_audit=timedelta(days=days) if days else None)


def rpc_settings(settings: Settings) -> RpcSettings:
    return RpcSettings(
        listen=settings.listen,
        max_message_bytes=settings.max_message_bytes,
        max_concurrent_rpcs=settings.max_concurrent_calls,
        connection_age_seconds=settings.connection_age_seconds,
        compression=settings.compression,
        tls=tls_options(settings),
        # a server that is alone must not share its port with one of another database, unnoticed
        reuse_port=settings.workers > 1,
    )

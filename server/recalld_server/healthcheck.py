"""Asks the server on this machine whether it serves. Ends with 0 when it does, else with 1 and a line that says why.

usage: python -m recalld_server.healthcheck [HOST:PORT]    default: where RECALLD_LISTEN says, on loopback where that is everywhere

With RECALLD_TLS_CERT_FILE it trusts that certificate, and shows it where callers must show one.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import grpc
from grpc_health.v1 import health_pb2

SECONDS = 4.0
EVERYWHERE = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "[::]": "[::1]"}  # noqa: S104 - to be told from one address


def check(address: str, cert_file: str = "", key_file: str = "") -> str:
    """What is wrong; empty when the server serves."""
    try:
        channel = _channel(address, cert_file, key_file)
    except (OSError, ValueError) as error:
        return f"{cert_file}: {error}"
    with channel:
        ask = channel.unary_unary(
            "/grpc.health.v1.Health/Check",
            request_serializer=health_pb2.HealthCheckRequest.SerializeToString,
            response_deserializer=health_pb2.HealthCheckResponse.FromString,
        )
        try:
            answer = ask(health_pb2.HealthCheckRequest(), timeout=SECONDS)
        except grpc.RpcError as error:
            return f"{address}: {error.code().name}"
    if answer.status == health_pb2.HealthCheckResponse.SERVING:
        return ""
    return f"{address}: {health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status)}"


def address_of(listen: str) -> str:
    """Where a server that listens there is reached from its own machine."""
    host, _, port = listen.rpartition(":")
    return f"{EVERYWHERE.get(host, host)}:{port}"


def _channel(address: str, cert_file: str, key_file: str) -> grpc.Channel:
    if not cert_file:
        return grpc.insecure_channel(address)
    certificate, key = Path(cert_file).read_bytes(), Path(key_file).read_bytes()
    credentials = grpc.ssl_channel_credentials(certificate, key, certificate)
    # asked by its address and not by its name, which the certificate is about
    return grpc.secure_channel(address, credentials, [("grpc.ssl_target_name_override", _name(certificate))])


def _name(certificate: bytes) -> str:
    """A name that the certificate is for."""
    from cryptography import x509  # only where TLS is configured

    first = x509.load_pem_x509_certificate(certificate)
    try:
        names = first.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return "localhost"
    found = [*names.get_values_for_type(x509.DNSName), *map(str, names.get_values_for_type(x509.IPAddress))]
    return found[0].replace("*", "any") if found else "localhost"


def main() -> None:
    setting = os.environ.get
    address = sys.argv[1] if len(sys.argv) > 1 else address_of(setting("RECALLD_LISTEN") or "127.0.0.1:50051")
    sys.exit(check(address, setting("RECALLD_TLS_CERT_FILE", ""), setting("RECALLD_TLS_KEY_FILE", "")) or 0)


if __name__ == "__main__":
    main()

"""Asks the server on this machine whether it serves. Ends with 0 when it does, else with 1 and a line that says why.

usage: python -m recalld_server.healthcheck [HOST:PORT]    default: the port of RECALLD_LISTEN on loopback
"""

from __future__ import annotations

import os
import sys

import grpc
from grpc_health.v1 import health_pb2

SECONDS = 4.0


def check(address: str) -> str:
    """What is wrong; empty when the server serves."""
    with grpc.insecure_channel(address) as channel:
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


def main() -> None:
    port = os.environ.get("RECALLD_LISTEN", "127.0.0.1:50051").rpartition(":")[2]
    sys.exit(check(sys.argv[1] if len(sys.argv) > 1 else f"127.0.0.1:{port}") or 0)


if __name__ == "__main__":
    main()

"""A server whose spans, figures and log are watched."""

from __future__ import annotations

import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import grpc
from google.protobuf.message import Message

import recalld
from recalld_server.demo import process
from recalld_server.demo.receiver import Receiver

SERVICE = "recalld.v1.MemoryService"
SAMPLED, NOT_SAMPLED = "01", "00"
SOON = {"OTEL_BSP_SCHEDULE_DELAY": "100"}
"""Spans are sent at once."""


@dataclass(frozen=True)
class World:
    """A server that is watched."""

    running: process.Running
    receiver: Receiver
    metrics_port: int

    @property
    def environment(self) -> dict[str, str]:
        return SOON | {"RECALLD_OTLP_ENDPOINT": self.receiver.endpoint}

    @contextmanager
    def client(self, namespace: str) -> Iterator[recalld.Client]:
        with recalld.Client(self.running.address, key=self.running.root_key, namespace=namespace) as client:
            client.namespaces.create(namespace)
            yield client

    def figures(self) -> str:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.metrics_port}/metrics") as answer:
            text: str = answer.read().decode()
            return text

    def traced(self, method: str, request: Message, trace: int, flags: str = SAMPLED) -> None:
        """Makes a call as a caller of a language of its own would, within a trace."""
        metadata = (
            ("authorization", f"Bearer {self.running.root_key}"),
            ("traceparent", f"00-{trace:032x}-{7:016x}-{flags}"),
        )
        with grpc.insecure_channel(self.running.address) as channel:
            call: grpc.UnaryUnaryMultiCallable[Message, bytes] = channel.unary_unary(
                f"/{SERVICE}/{method}", request_serializer=lambda each: each.SerializeToString()
            )
            call(request, metadata=metadata, timeout=20)

"""From the contract to gRPC's method handlers, for what is served and for what is not."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

import grpc
from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor
from google.protobuf.message import DecodeError, Message
from google.protobuf.message_factory import GetMessageClass

from recalld_server.errors import InvalidField, NotImplementedYet, RecalldError
from recalld_server.rpc.calls import Context

MAKE: dict[tuple[bool, bool], Callable[..., grpc.RpcMethodHandler[Any, Any]]] = {
    (False, False): grpc.unary_unary_rpc_method_handler,
    (False, True): grpc.unary_stream_rpc_method_handler,
    (True, False): grpc.stream_unary_rpc_method_handler,
    (True, True): grpc.stream_stream_rpc_method_handler,
}
"""By request streaming and response streaming."""


def handlers(service: ServiceDescriptor, servicer: object) -> dict[str, grpc.RpcMethodHandler[Any, Any]]:
    """A handler for every method of the service. A method that the servicer lacks raises NotImplementedYet."""
    return {method.name: _handler(method, getattr(servicer, method.name, None)) for method in service.methods}


def _handler(method: MethodDescriptor, behaviour: Callable[..., Any] | None) -> grpc.RpcMethodHandler[Any, Any]:
    make = MAKE[method.client_streaming, method.server_streaming]
    serialize = GetMessageClass(method.output_type).SerializeToString
    if behaviour is None:
        # the request is not read: the answer does not depend on it
        return make(_unserved(method), request_deserializer=None, response_serializer=serialize)
    return make(behaviour, request_deserializer=_decoder(method), response_serializer=serialize)


def _decoder(method: MethodDescriptor) -> Callable[[bytes], Message | RecalldError]:
    """gRPC answers UNKNOWN when a decoder raises, so what cannot be decoded becomes an error for the handler to raise."""
    message_class = GetMessageClass(method.input_type)

    def decode(data: bytes) -> Message | RecalldError:
        try:
            return message_class.FromString(data)
        except DecodeError:
            return InvalidField(
                "",
                f"the request is not a {method.input_type.full_name}: it is broken, has text that is not UTF-8, or is nested too deep",
            )

    return decode


def _unserved(method: MethodDescriptor) -> Callable[[Any, Context], Any]:
    name = f"{method.containing_service.name}.{method.name}"

    async def refuse(request: object, context: Context) -> Message:
        raise NotImplementedYet(name)

    async def refuse_stream(request: object, context: Context) -> AsyncIterator[Message]:
        raise NotImplementedYet(name)
        yield  # makes it a generator

    return refuse_stream if method.server_streaming else refuse

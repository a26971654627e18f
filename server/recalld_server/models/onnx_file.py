"""Writes an ONNX model file without the onnx package (a large one that would be needed for this alone).

An ONNX file is a protocol buffer; the field numbers are those of onnx.proto of the ONNX project, which never change.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

MICROSOFT: Final = "com.microsoft"
"""The domain of the fused operators of onnxruntime."""

_IR_VERSION: Final = 8
_OPERATORS: Final = 17
_ELEMENT_TYPES: Final = {"float32": 1, "int8": 3, "int64": 7}
_FLOAT, _INT, _INTS = 1, 2, 7


class Graph:
    """A graph under construction. Every method that adds something gives the name of the value it makes."""

    def __init__(self) -> None:
        self._nodes: list[bytes] = []
        self._constants: list[bytes] = []

    def constant(self, name: str, values: npt.NDArray[Any]) -> str:
        """A tensor that belongs to the model."""
        dims = b"".join(_int(1, size) for size in values.shape)
        kind = _int(2, _ELEMENT_TYPES[values.dtype.name])
        self._constants.append(dims + kind + _bytes(8, name) + _bytes(9, np.ascontiguousarray(values).tobytes()))
        return name

    def node(
        self,
        operator: str,
        inputs: Sequence[str],
        *outputs: str,
        domain: str = "",
        **attributes: float | int | list[int],
    ) -> str:
        """An operation; gives its first output."""
        parts = [_bytes(1, name) for name in inputs] + [_bytes(2, name) for name in outputs]
        parts += [_bytes(4, operator), *(_bytes(5, _attribute(k, v)) for k, v in attributes.items())]
        self._nodes.append(b"".join(parts) + (_bytes(7, domain) if domain else b""))
        return outputs[0]

    def model(self, inputs: Mapping[str, Sequence[int | str]], outputs: Mapping[str, Sequence[int | str]]) -> bytes:
        """The file. Inputs and outputs are float32; a str in a shape names a size that is free."""
        parts = [_bytes(1, node) for node in self._nodes] + [_bytes(2, "encoder")]
        parts += [_bytes(5, constant) for constant in self._constants]
        parts += [_bytes(11, _value(name, shape)) for name, shape in inputs.items()]
        parts += [_bytes(12, _value(name, shape)) for name, shape in outputs.items()]
        used = [_bytes(8, _bytes(1, "") + _int(2, _OPERATORS)), _bytes(8, _bytes(1, MICROSOFT) + _int(2, 1))]
        return _int(1, _IR_VERSION) + _bytes(7, b"".join(parts)) + b"".join(used)


def _value(name: str, shape: Sequence[int | str]) -> bytes:
    dims = b"".join(_bytes(1, _int(1, size) if isinstance(size, int) else _bytes(2, size)) for size in shape)
    return _bytes(1, name) + _bytes(2, _bytes(1, _int(1, _ELEMENT_TYPES["float32"]) + _bytes(2, dims)))


def _attribute(name: str, value: float | int | list[int]) -> bytes:
    if isinstance(value, float):
        return _bytes(1, name) + _varint(2 << 3 | 5) + struct.pack("<f", value) + _int(20, _FLOAT)
    if isinstance(value, int):
        return _bytes(1, name) + _int(3, value) + _int(20, _INT)
    return _bytes(1, name) + b"".join(_int(8, number) for number in value) + _int(20, _INTS)


def _bytes(field: int, value: bytes | str) -> bytes:
    data = value.encode() if isinstance(value, str) else value
    return _varint(field << 3 | 2) + _varint(len(data)) + data


def _int(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    data = bytearray()
    while value > 127:
        data.append(value & 127 | 128)
        value >>= 7
    data.append(value)
    return bytes(data)

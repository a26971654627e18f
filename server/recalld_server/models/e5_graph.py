"""The encoder of multilingual-e5-small as an ONNX graph for onnxruntime, in int8.

One window at a time: (1, tokens, width) → (1, width), the mean over the tokens. Windows are not run together: the
scale at which onnxruntime rounds activations is taken over its whole input, so in a batch a text's vector would depend
on the other texts (measured after centring: cosine down to .955 with itself), and on a CPU a batch of short texts is no
faster than the same texts one by one.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from recalld_server.models.e5_weights import Weights
from recalld_server.models.onnx_file import MICROSOFT, Graph

GRAPH_VERSION: Final = 1
"""Raise it with any change that could change a vector: it is part of the model's id and of the file's name."""
INPUT: Final = "embedded"
OUTPUT: Final = "pooled"

# Seven bits: with eight, CPUs without VNNI saturate while they add up, and give other vectors than those with it.
_LARGEST: Final = 63


def build(weights: Weights) -> bytes:
    """The ONNX file (22 MB)."""
    graph = Graph()
    width = weights.width
    value = graph.node(
        "LayerNormalization",
        [
            INPUT,
            graph.constant("first.scale", weights.floats("emb.ln.w")),
            graph.constant("first.bias", weights.floats("emb.ln.b")),
        ],
        "first",
        axis=-1,
        epsilon=float(weights.epsilon),
    )
    thirds = graph.constant("thirds", np.array([width] * 3, np.int64))
    for layer in range(weights.layers):
        own = f"l{layer}."
        joined = _linear(graph, weights, value, [own + "q", own + "k", own + "v"], width, own + "qkv")
        graph.node("Split", [joined, thirds], own + "query", own + "key", own + "value", axis=-1)
        attended = graph.node(
            "MultiHeadAttention",
            [own + "query", own + "key", own + "value"],
            own + "attended",
            domain=MICROSOFT,
            num_heads=weights.heads,
        )
        mixed = _linear(graph, weights, attended, [own + "ao"], width, own + "mixed")
        value = _add_and_norm(graph, weights, value, mixed, own + "aln")
        wide = _linear(graph, weights, value, [own + "fi"], width, own + "wide")
        active = graph.node("Gelu", [wide], own + "active", domain=MICROSOFT)
        narrow = _linear(graph, weights, active, [own + "fo"], weights.inner, own + "narrow")
        value = _add_and_norm(graph, weights, value, narrow, own + "oln")
    graph.node("ReduceMean", [value], OUTPUT, axes=[1], keepdims=0)
    return graph.model({INPUT: (1, "tokens", width)}, {OUTPUT: (1, width)})


def _linear(graph: Graph, weights: Weights, value: str, names: list[str], columns: int, output: str) -> str:
    """value · Wᵀ + b with one scale per output column; several matrices of one input become one."""
    matrix = np.concatenate([weights.matrix(name + ".w", columns) for name in names]).T
    scale = np.abs(matrix).max(axis=0) / _LARGEST
    return graph.node(
        "DynamicQuantizeMatMul",
        [
            value,
            graph.constant(output + ".weight", np.rint(matrix / scale).astype(np.int8)),
            graph.constant(output + ".scale", scale.astype(np.float32)),
            graph.constant(output + ".zero", np.zeros(len(scale), np.int8)),
            graph.constant(output + ".bias", np.concatenate([weights.floats(name + ".b") for name in names])),
        ],
        output,
        domain=MICROSOFT,
    )


def _add_and_norm(graph: Graph, weights: Weights, value: str, change: str, name: str) -> str:
    return graph.node(
        "SkipLayerNormalization",
        [
            value,
            change,
            graph.constant(name + ".scale", weights.floats(name + ".w")),
            graph.constant(name + ".bias", weights.floats(name + ".b")),
        ],
        name,
        domain=MICROSOFT,
        epsilon=float(weights.epsilon),
    )

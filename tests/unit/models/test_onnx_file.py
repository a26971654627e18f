"""A graph that is written here runs in onnxruntime."""

from __future__ import annotations

import importlib
import math

import numpy as np

from recalld_server.models.onnx_file import MICROSOFT, Graph


def test_a_graph_computes_what_it_says() -> None:
    graph = Graph()
    weight = np.arange(6, dtype=np.float32).reshape(2, 3) - 2.5
    product = graph.node("MatMul", ["x", graph.constant("w", weight)], "product")
    active = graph.node("Gelu", [product], "active", domain=MICROSOFT)
    graph.node("ReduceMean", [active], "y", axes=[-2], keepdims=0)
    onnxruntime = importlib.import_module("onnxruntime")
    session = onnxruntime.InferenceSession(graph.model({"x": ("rows", 2)}, {"y": (3,)}))
    x = np.array([[1, 2], [-1, 0.5], [300, -4]], np.float32)
    (y,) = session.run(["y"], {"x": x})
    wide = x @ weight
    erf = np.vectorize(math.erf)
    np.testing.assert_allclose(y, (wide * 0.5 * (1 + erf(wide / np.sqrt(2)))).mean(axis=0), rtol=1e-4)
    assert [(i.name, i.shape) for i in session.get_inputs()] == [("x", ["rows", 2])]

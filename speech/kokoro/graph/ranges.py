"""The values that a generator's convolutions take in and give out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto, TensorProto, helper

from speech.kokoro.graph.model_graph import ModelGraph
from speech.kokoro.graph.static_int8 import Range, input_of, output_of

_LOWEST, _HIGHEST = "ReduceMin", "ReduceMax"
_AXIS = "ranges/axis"


def measuring(graph: ModelGraph, names: Iterable[str]) -> tuple[ModelProto, list[str]]:
    """A model that gives, for both sides of each named convolution, each channel's lowest and
    highest value; and the names of these outputs."""
    graph.add_constant(_AXIS, np.asarray([2], np.int64))
    convolutions = {node.name: node for node in graph.of_kind("Conv")}
    outputs = []
    for name in names:
        node = convolutions[name]
        for side, tensor in ((input_of(name), node.input[0]), (output_of(name), node.output[0])):
            for kind in (_LOWEST, _HIGHEST):
                outputs.append(_end(side, kind))
                graph.nodes.append(
                    helper.make_node(kind, [tensor, _AXIS], [outputs[-1]], keepdims=0)
                )
    graph.index()
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs]
    return graph.extract(list(graph.model.graph.input), ends), outputs


def widened(
    ranges: Mapping[str, Range], seen: Mapping[str, NDArray[np.float32]]
) -> dict[str, Range]:
    """``ranges`` with what one run of the measuring model gave."""
    sides = {name.removesuffix(f"/{_LOWEST}") for name in seen if name.endswith(_LOWEST)}
    wider = dict(ranges)
    for side in sides:
        low, high = (seen[_end(side, kind)].ravel() for kind in (_LOWEST, _HIGHEST))
        if side in wider:
            low, high = np.minimum(low, wider[side][0]), np.maximum(high, wider[side][1])
        wider[side] = np.stack([low, high])
    return wider


def _end(side: str, kind: str) -> str:
    return f"{side}/{kind}"

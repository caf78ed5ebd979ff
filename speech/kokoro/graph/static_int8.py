"""Convolutions in int8 with ranges measured beforehand.

``uint8`` activations with ``int8`` weights run as ``QLinearConv``, several times as fast as
float32 where the processor has VNNI and about twice where it has AVX2. Every channel has a range
of its own, on both sides, at no cost: what comes in is rounded channel by channel and the
channels' steps are worked into the weights; what goes out is scaled as the weights' scales are,
which are a channel's own anyway. Against one range for all channels that is 6 dB less noise.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray
from onnx import NodeProto, helper

from speech.kokoro.graph.model_graph import ModelGraph, UnknownGraphError

Range = NDArray[np.float32]
"""``[2, channels]``: lowest and highest value of each channel."""

_LEVELS = 255
_WEIGHT_LEVELS = 127
_LEAST = 1e-8
_INT32 = 2**31 - 1


def input_of(convolution: str) -> str:
    """The name its input's range goes by."""
    return f"{convolution}/in"


def output_of(convolution: str) -> str:
    """The name its output's range goes by."""
    return f"{convolution}/out"


def quantise(graph: ModelGraph, ranges: Mapping[str, Range], names: Iterable[str]) -> None:
    """Compute the named convolutions in int8.

    ``ranges``: of each one's input and output, by ``input_of`` and ``output_of``. Raises
    ``UnknownGraphError`` for a name that is none of the graph's convolutions.
    """
    convolutions = {node.name: node for node in graph.of_kind("Conv")}
    rounded: dict[int, list[NodeProto]] = {}
    for name in names:
        if name not in convolutions:
            raise UnknownGraphError(f"no convolution {name}")
        rounded[id(convolutions[name])] = _quantised(graph, convolutions[name], ranges)
    graph.nodes = [new for node in graph.nodes for new in rounded.get(id(node), [node])]
    graph.index()


def _quantised(graph: ModelGraph, node: NodeProto, ranges: Mapping[str, Range]) -> list[NodeProto]:
    def constant(what: str, value: NDArray[np.generic]) -> str:
        return graph.add_constant(f"{node.name}/{what}", value)

    steps_in, zero_in = _steps(ranges[input_of(node.name)])
    steps_out, zero_out = _steps(ranges[output_of(node.name)])
    weights = graph.value(node.input[1]).astype(np.float64) * _per_input(steps_in, node, graph)
    scale = np.maximum(np.abs(weights).max(axis=(1, 2)), _LEAST) / _WEIGHT_LEVELS
    rounded = np.round(weights / scale[:, None, None]).astype(np.int8)
    bias = np.zeros(len(scale))
    if len(node.input) > 2:
        bias = graph.value(node.input[2]).astype(np.float64)
    one = constant("one", np.ones((), np.float32))
    product = helper.make_node(
        "QLinearConv",
        [
            f"{node.name}/q_in",
            one,
            constant("zero_in", np.asarray(zero_in, np.uint8)),
            constant("weights", rounded),
            constant("scale", (scale / steps_out).astype(np.float32)),
            constant("weights_zero", np.zeros(len(scale), np.int8)),
            one,
            constant("zero_out", np.asarray(zero_out, np.uint8)),
            constant("bias", np.clip(np.round(bias / scale), -_INT32, _INT32).astype(np.int32)),
        ],
        [f"{node.name}/q_out"],
        name=node.name,
    )
    product.attribute.extend(node.attribute)

    def border(kind: str, source: str, steps: NDArray[np.float64], zero: int, to: str) -> NodeProto:
        inputs = [
            source,
            constant(f"{kind}_steps", steps.astype(np.float32)),
            constant(f"{kind}_zeros", np.full(len(steps), zero, np.uint8)),
        ]
        return helper.make_node(kind, inputs, [to], name=f"{node.name}/{kind}", axis=1)

    return [
        border("QuantizeLinear", node.input[0], steps_in, zero_in, f"{node.name}/q_in"),
        product,
        border("DequantizeLinear", f"{node.name}/q_out", steps_out, zero_out, node.output[0]),
    ]


def _steps(values: Range) -> tuple[NDArray[np.float64], int]:
    """Each channel's step, and the one level that stands for 0 in all of them.

    One level for all, because what is padded with 0 is padded with one level.
    """
    low = np.minimum(values[0].astype(np.float64), 0.0)
    high = np.maximum(values[1].astype(np.float64), 0.0)
    share = -low.sum() / max((high - low).sum(), _LEAST)
    zero = int(np.clip(round(_LEVELS * share), 1, _LEVELS - 1))
    return np.maximum(np.maximum(-low / zero, high / (_LEVELS - zero)), _LEAST), zero


def _per_input(
    steps: NDArray[np.float64], node: NodeProto, graph: ModelGraph
) -> NDArray[np.float64]:
    inputs = graph.value(node.input[1]).shape[1]
    if inputs != len(steps):
        raise UnknownGraphError(f"{node.name} has {inputs} inputs, {len(steps)} were measured")
    return steps[None, :, None]

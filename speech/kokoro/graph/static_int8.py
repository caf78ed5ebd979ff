"""Convolutions in int8 with ranges measured beforehand.

``uint8`` activations with ``int8`` weights a channel run as ``QLinearConv``, several times
as fast as float32 where the processor has VNNI. Ranges must be known before: with frozen
norms they no longer move with the utterance.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray
from onnx import NodeProto, helper

from speech.kokoro.graph.model_graph import ModelGraph

Range = tuple[float, float]


def quantise(graph: ModelGraph, ranges: Mapping[str, Range], names: Iterable[str]) -> int:
    """Put the named convolutions between quantise and dequantise nodes; returns how many.

    ``ranges``: lowest and highest value of each convolution's input and output tensor.
    """
    chosen = set(names)
    nodes: list[NodeProto] = []
    count = 0
    for node in graph.nodes:
        if node.name in chosen and node.op_type == "Conv":
            nodes.extend(_quantised(graph, node, ranges))
            count += 1
        else:
            nodes.append(node)
    graph.nodes = nodes
    graph.index()
    return count


def _quantised(graph: ModelGraph, node: NodeProto, ranges: Mapping[str, Range]) -> list[NodeProto]:
    x, weights, out = node.input[0], node.input[1], node.output[0]
    x_scale, x_nodes, x_name = _rounded(graph, x, f"{node.name}/in", ranges[x])
    weight_scale, weight_node, weight_name = _weights(graph, node.name, graph.value(weights))
    inputs = [x_name, weight_name]
    bias_nodes: list[NodeProto] = []
    if len(node.input) > 2:
        bias = graph.value(node.input[2]).astype(np.float64)
        bias_nodes, bias_name = _bias(graph, node.name, bias, x_scale * weight_scale)
        inputs.append(bias_name)
    raw = f"{out}_raw"
    product = helper.make_node("Conv", inputs, [raw], name=node.name)
    product.attribute.extend(node.attribute)
    _, out_nodes, _ = _rounded(graph, raw, f"{node.name}/out", ranges[out], result=out)
    return [*x_nodes, weight_node, *bias_nodes, product, *out_nodes]


def _rounded(
    graph: ModelGraph, tensor: str, name: str, values: Range, result: str | None = None
) -> tuple[float, list[NodeProto], str]:
    """Nodes that round ``tensor`` to 256 steps of its range, and what they make."""
    low, high = min(values[0], 0.0), max(values[1], 0.0)
    scale = max((high - low) / 255.0, 1e-8)
    zero = int(np.clip(round(-low / scale), 0, 255))
    scale_name = graph.add_constant(f"{name}_scale", np.asarray(scale, np.float32))
    zero_name = graph.add_constant(f"{name}_zero", np.asarray(zero, np.uint8))
    result = result or f"{name}_rounded"
    return (
        scale,
        [
            helper.make_node(
                "QuantizeLinear", [tensor, scale_name, zero_name], [f"{name}_q"], name=f"{name}_q"
            ),
            helper.make_node(
                "DequantizeLinear", [f"{name}_q", scale_name, zero_name], [result], name=f"{name}_d"
            ),
        ],
        result,
    )


def _weights(
    graph: ModelGraph, name: str, weights: NDArray[np.float32]
) -> tuple[NDArray[np.float64], NodeProto, str]:
    """Weights in int8 with a scale for each output channel."""
    largest = np.abs(weights).max(axis=tuple(range(1, weights.ndim))).astype(np.float64)
    scale = np.maximum(largest, 1e-8) / 127.0
    shape = (-1, *[1] * (weights.ndim - 1))
    rounded = np.clip(np.round(weights / scale.reshape(shape)), -127, 127).astype(np.int8)
    inputs = [
        graph.add_constant(f"{name}/w_int8", rounded),
        graph.add_constant(f"{name}/w_scale", scale.astype(np.float32)),
        graph.add_constant(f"{name}/w_zero", np.zeros(len(scale), np.int8)),
    ]
    result = f"{name}/w_rounded"
    return scale, helper.make_node("DequantizeLinear", inputs, [result], axis=0), result


def _bias(
    graph: ModelGraph, name: str, bias: NDArray[np.float64], scale: NDArray[np.float64]
) -> tuple[list[NodeProto], str]:
    rounded = np.clip(np.round(bias / scale), -(2**31), 2**31 - 1).astype(np.int32)
    inputs = [
        graph.add_constant(f"{name}/b_int32", rounded),
        graph.add_constant(f"{name}/b_scale", scale.astype(np.float32)),
        graph.add_constant(f"{name}/b_zero", np.zeros(len(scale), np.int32)),
    ]
    result = f"{name}/b_rounded"
    return [helper.make_node("DequantizeLinear", inputs, [result], axis=0)], result

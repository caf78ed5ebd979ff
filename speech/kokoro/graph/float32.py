"""A dynamically quantised export with its weights as float32 again.

Dynamic quantisation measures the range of each activation at run time, over whatever
stretch it is given: a chunk would come out otherwise than the whole. It is also no faster
here (``ConvInteger`` has no fast path in onnxruntime).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from onnx import NodeProto, helper

from speech.kokoro.graph.model_graph import ModelGraph, UnknownGraphError

_FLOAT_OF = {"ConvInteger": "Conv", "MatMulInteger": "MatMul"}


def to_float32(graph: ModelGraph, wanted: Callable[[str], bool] = lambda name: True) -> int:
    """Replace every quantised convolution and matrix product; returns how many there were.

    ``wanted`` tells by the name it will have which to replace, if not all.

    Looks for quantise → integer product → (bias) → cast → scale, as onnxruntime's dynamic
    quantiser writes it. Raises ``UnknownGraphError`` for anything else.
    """
    replaced: dict[int, NodeProto] = {}
    dropped: set[int] = set()
    for node in graph.nodes:
        if node.op_type in _FLOAT_OF and wanted(_name(node)):
            product, scaled, between = _float_node(graph, node)
            replaced[id(scaled)] = product
            dropped.update(map(id, [node, *between]))
    graph.nodes = [replaced.get(id(n), n) for n in graph.nodes if id(n) not in dropped]
    graph.index()
    return len(replaced)


def _float_node(graph: ModelGraph, node: NodeProto) -> tuple[NodeProto, NodeProto, list[NodeProto]]:
    """The float node, the one whose place it takes, and those that fall away."""
    quantise = graph.producer.get(node.input[0])
    if quantise is None or quantise.op_type != "DynamicQuantizeLinear":
        raise UnknownGraphError(f"{node.name} is quantised in an unknown way")
    inputs, between = [quantise.input[0]], []
    result = node.output[0]
    following = graph.consumers[result][0]
    bias = None
    if following.op_type == "Add":
        bias = _float_bias(graph, next(name for name in following.input if name != result))
        between.append(following)
        result = following.output[0]
    cast = graph.only_consumer(result, "Cast")
    scaled = graph.only_consumer(cast.output[0], "Mul")
    between.append(cast)
    scales = next(name for name in scaled.input if name != cast.output[0])
    inputs.append(graph.add_constant(f"{node.input[1]}_float32", _weights(graph, node, scales)))
    inputs.extend([bias] if bias else [])
    product = helper.make_node(
        _FLOAT_OF[node.op_type], inputs, [scaled.output[0]], name=_name(node)
    )
    product.attribute.extend(node.attribute)
    return product, scaled, between


def _name(node: NodeProto) -> str:
    return node.name.removesuffix("_quant")


def _weights(graph: ModelGraph, node: NodeProto, scales: str) -> NDArray[np.float32]:
    product = graph.producer.get(scales)
    weight_scale = next((n for n in product.input if n in graph.constants), None) if product else ""
    if not weight_scale:
        raise UnknownGraphError(f"{node.name} has no constant weight scale")
    weights = graph.value(node.input[1]).astype(np.float32)
    scale = graph.value(weight_scale).astype(np.float32)
    zero = np.zeros((), np.float32)
    if len(node.input) > 3 and node.input[3]:
        zero = graph.value(node.input[3]).astype(np.float32)
    if node.op_type == "ConvInteger":
        scale, zero = (_per_channel(value, weights.ndim) for value in (scale, zero))
    result: NDArray[np.float32] = ((weights - zero) * scale).astype(np.float32)
    return result


def _per_channel(value: NDArray[np.float32], dimensions: int) -> NDArray[np.float32]:
    return value.reshape(-1, *[1] * (dimensions - 1)) if np.size(value) > 1 else value


def _float_bias(graph: ModelGraph, name: str) -> str:
    """The float bias that the integer one is computed from at run time."""
    while name not in graph.constants:
        if name not in graph.producer:
            raise UnknownGraphError(f"{name}: no bias found")
        name = graph.producer[name].input[0]
    return name

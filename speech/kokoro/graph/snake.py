"""Kokoro's activation ``y + sin(a * y)^2 / a`` before int8, in fewer steps.

With ``u = 2 * a * y`` it is ``(u + 1 - cos(u)) / (2 * a)``. The first factor goes to the gain and
offset that ``y`` was made with, the last to the steps of the rounding that follows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from onnx import NodeProto, helper

from speech.kokoro.graph.model_graph import ModelGraph


@dataclass(frozen=True)
class _Snake:
    """``out = quantise(y + sin(a * y)^2 / a)`` with ``y = gain * x + offset``.

    ``root``: what ``x`` was divided by beforehand, where it was.
    """

    quantise: NodeProto
    x: str
    root: str | None
    gain: str
    offset: str
    a: NDArray[np.float32]


def shorten(graph: ModelGraph) -> None:
    """Shorten every such activation whose result is rounded, and only there: elsewhere the
    last factor would have nowhere to go."""
    shortened: dict[int, list[NodeProto]] = {}
    for node in graph.of_kind("QuantizeLinear"):
        snake = _snake(graph, node)
        if snake is not None:
            shortened[id(node)] = _short(graph, snake)
    graph.nodes = [new for node in graph.nodes for new in shortened.get(id(node), [node])]
    graph.index()


def _snake(graph: ModelGraph, quantise: NodeProto) -> _Snake | None:
    added = _made_by(graph, quantise.input[0], "Add")
    for y, waved in _orders(added):
        scaled = _made_by(graph, waved, "Mul")
        for _, squared in _orders(scaled):
            power = _made_by(graph, squared, "Pow")
            sine = _made_by(graph, power.input[0], "Sin") if power else None
            inner = _made_by(graph, sine.input[0], "Mul") if sine else None
            for a, argument in _orders(inner):
                if argument == y and a in graph.constants:
                    return _of(graph, quantise, y, graph.value(a).astype(np.float32))
    return None


def _of(graph: ModelGraph, quantise: NodeProto, y: str, a: NDArray[np.float32]) -> _Snake | None:
    shifted = _made_by(graph, y, "Add")
    if shifted is None or not (a > 0).all():
        return None
    for product, offset in _orders(shifted):
        gained = _made_by(graph, product, "Mul")
        for x, gain in _orders(gained):
            if not _is_input(graph, gain) or not _is_input(graph, offset):
                continue
            divided = _made_by(graph, x, "Div")
            if divided is None:
                return _Snake(quantise, x, None, gain, offset, a)
            return _Snake(quantise, divided.input[0], divided.input[1], gain, offset, a)
    return None


def _short(graph: ModelGraph, snake: _Snake) -> list[NodeProto]:
    node = snake.quantise
    nodes: list[NodeProto] = []

    def add(kind: str, what: str, *inputs: str) -> str:
        name = f"{node.name}/{what}"
        nodes.append(helper.make_node(kind, inputs, [name], name=name))
        return name

    twice = graph.add_constant(f"{node.name}/twice", 2 * snake.a)
    one = graph.add_constant(f"{node.name}/one", np.ones((), np.float32))
    gain = add("Mul", "gain", snake.gain, twice)
    if snake.root is not None:
        gain = add("Div", "rooted", gain, snake.root)
    offset = add("Mul", "offset", snake.offset, twice)
    u = add("Add", "u", add("Mul", "gained", snake.x, gain), offset)
    waved = add("Add", "waved", add("Sub", "less", u, add("Cos", "cos", u)), one)
    steps = (graph.value(node.input[1]) * 2 * snake.a.ravel()).astype(np.float32)
    rounded = NodeProto()
    rounded.CopyFrom(node)
    rounded.input[:2] = [waved, graph.add_constant(f"{node.name}/twice_steps", steps)]
    return [*nodes, rounded]


def _is_input(graph: ModelGraph, name: str) -> bool:
    return name not in graph.producer and name not in graph.constants


def _made_by(graph: ModelGraph, tensor: str, kind: str) -> NodeProto | None:
    node = graph.producer.get(tensor)
    return node if node is not None and node.op_type == kind else None


def _orders(node: NodeProto | None) -> list[tuple[str, str]]:
    """Both orders of a node's two inputs; none of none."""
    if node is None:
        return []
    first, second = node.input
    return [(first, second), (second, first)]

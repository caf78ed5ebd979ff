"""What lies between two convolutions in int8, as a table.

What comes out of the first has 256 values a channel. Norm, activation and rounding make another
byte of each, so they are computed for 256 values and looked up for all others: the same bytes, in
a fifth of the time.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from onnx import NodeProto, TensorProto, helper

from speech.kokoro.graph.model_graph import ModelGraph

_LEVELS = 256
_ELEMENTWISE = frozenset({"Add", "Sub", "Mul", "Div", "Pow", "Sqrt", "Sin", "LeakyRelu"})
_TIME_AXIS = 2


def tabulate(graph: ModelGraph, narrow: Collection[str]) -> None:
    """Look up what is a function of one dequantised byte and its channel.

    ``narrow``: names of inputs with one value a channel, ``[1, channels, 1]``.
    """
    replaced: dict[int, list[NodeProto]] = {}
    for node in graph.of_kind("QuantizeLinear"):
        chain = _Chain(graph, narrow)
        if chain.follow(node.input[0]) and chain.source is not None:
            replaced[id(node)] = _looked_up(graph, node, chain.source, chain.nodes)
    graph.nodes = [new for node in graph.nodes for new in replaced.get(id(node), [node])]
    graph.index()


class _Chain:
    """The nodes from one ``DequantizeLinear``, ``source``, to a tensor, in order."""

    def __init__(self, graph: ModelGraph, narrow: Collection[str]) -> None:
        self._graph, self._narrow = graph, narrow
        self._wide: dict[str, bool] = {}
        self.source: NodeProto | None = None
        self.nodes: list[NodeProto] = []

    def follow(self, tensor: str) -> bool:
        """Whether ``tensor`` depends on that node, channel by channel, and on nothing else."""
        try:
            return self._is_wide(tensor)
        except _NotAFunctionError:
            return False

    def _is_wide(self, tensor: str) -> bool:
        if tensor not in self._wide:
            self._wide[tensor] = self._look(tensor)
        return self._wide[tensor]

    def _look(self, tensor: str) -> bool:
        if tensor in self._graph.constants or tensor in self._narrow:
            return False
        node = self._graph.producer.get(tensor)
        if node is None:
            raise _NotAFunctionError
        if node.op_type == "ReduceMean":  # over time: one value a channel
            return False
        if node.op_type == "DequantizeLinear":
            return self._begins_at(node)
        if node.op_type not in _ELEMENTWISE:
            raise _NotAFunctionError
        wide = [self._is_wide(name) for name in node.input]  # all, as each may add nodes
        if any(wide):
            self.nodes.append(node)
        return any(wide)

    def _begins_at(self, node: NodeProto) -> bool:
        if self.source is not None and self.source is not node:
            raise _NotAFunctionError
        self.source = node
        return True


class _NotAFunctionError(Exception):
    """Of one byte and its channel."""


def _looked_up(
    graph: ModelGraph, quantise: NodeProto, source: NodeProto, chain: list[NodeProto]
) -> list[NodeProto]:
    """Nodes that give what ``quantise`` gives: the chain over all levels, and the look-up."""

    def own(name: str) -> str:
        return f"{quantise.name}/{name}"

    steps = graph.value(source.input[1]).reshape(1, -1, 1)
    zero = int(graph.value(source.input[2]).flat[0])
    levels = np.arange(_LEVELS, dtype=np.float32).reshape(1, 1, -1) - np.float32(zero)
    renamed = {source.output[0]: own("levels")}
    table = [
        helper.make_node(
            "Mul",
            [
                graph.add_constant(own("level_steps"), steps),
                graph.add_constant(own("level_numbers"), levels),
            ],
            [own("levels")],
            name=own("levels"),
        )
    ]
    for node in [*chain, quantise]:
        copy = NodeProto()
        copy.CopyFrom(node)
        copy.name = own(f"table/{node.output[0]}")
        copy.input[:] = [renamed.get(name, name) for name in node.input]
        renamed |= {name: own(f"table/{name}") for name in node.output}
        copy.output[:] = [renamed[name] for name in node.output]
        table.append(copy)
    place, result = own("place"), quantise.output[0]
    return [
        *table,
        helper.make_node("Cast", [source.input[0]], [place], name=place, to=TensorProto.INT32),
        helper.make_node(
            "GatherElements",
            [renamed[result], place],
            [result],
            name=own("look_up"),
            axis=_TIME_AXIS,
        ),
    ]

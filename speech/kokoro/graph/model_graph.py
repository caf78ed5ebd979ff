"""An ONNX graph with what rewriting needs at hand."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import NodeProto, helper, numpy_helper

from speech.errors import ModelFileError


class UnknownGraphError(ModelFileError):
    """The export is built otherwise than those known; whole sentences still work."""


class ModelGraph:
    """A model's nodes, who makes and who uses each tensor, and its constants."""

    def __init__(self, model: onnx.ModelProto) -> None:
        self.model = model
        self.nodes: list[NodeProto] = list(model.graph.node)
        self.constants = {tensor.name: tensor for tensor in model.graph.initializer}
        self.index()

    def index(self) -> None:
        """Look the nodes over again after a change."""
        self.producer = {name: node for node in self.nodes for name in node.output}
        self.consumers: dict[str, list[NodeProto]] = defaultdict(list)
        for node in self.nodes:
            for name in node.input:
                self.consumers[name].append(node)

    def only_consumer(self, tensor: str, kind: str) -> NodeProto:
        """The one node that uses ``tensor``; raises ``UnknownGraphError`` otherwise."""
        users = self.consumers[tensor]
        if len(users) != 1 or users[0].op_type != kind:
            raise UnknownGraphError(f"{tensor} is not used by one {kind}")
        return users[0]

    def of_kind(self, kind: str) -> list[NodeProto]:
        """All nodes of an operator, in graph order."""
        return [node for node in self.nodes if node.op_type == kind]

    def value(self, name: str) -> NDArray[Any]:
        """A constant as an array; raises ``UnknownGraphError`` where it is computed."""
        if name not in self.constants:
            raise UnknownGraphError(f"{name} is not a constant")
        array: NDArray[Any] = np.asarray(numpy_helper.to_array(self.constants[name]))
        return array

    def add_constant(self, name: str, value: NDArray[Any]) -> str:
        """Add a constant, or keep the one of that name."""
        if name not in self.constants:
            self.constants[name] = numpy_helper.from_array(value, name)
        return name

    def ancestors(self, outputs: Iterable[str], stop: Iterable[str] = ()) -> list[NodeProto]:
        """The nodes that ``outputs`` need, not going beyond the tensors of ``stop``."""
        seen, waiting, needed = set(stop), list(outputs), set()
        while waiting:
            name = waiting.pop()
            if name in seen:
                continue
            seen.add(name)
            if (node := self.producer.get(name)) is not None:
                needed.add(id(node))
                waiting.extend(name for name in node.input if name)
        return [node for node in self.nodes if id(node) in needed]

    def descendants(self, sources: Iterable[str]) -> list[NodeProto]:
        """The nodes that use any of ``sources``, directly or not."""
        reached = set(sources)
        found = []
        for node in self.nodes:
            if reached.intersection(node.input):
                found.append(node)
                reached.update(node.output)
        return found

    def extract(
        self, inputs: Sequence[onnx.ValueInfoProto], outputs: Sequence[onnx.ValueInfoProto]
    ) -> onnx.ModelProto:
        """The part of the graph between these tensors, as a model of its own."""
        nodes = self.ancestors([o.name for o in outputs], [i.name for i in inputs])
        used = {name for node in nodes for name in node.input}
        constants = [tensor for name, tensor in self.constants.items() if name in used]
        graph = helper.make_graph(nodes, "kokoro", list(inputs), list(outputs), constants)
        return helper.make_model(
            graph, opset_imports=self.model.opset_import, ir_version=self.model.ir_version
        )


def attribute(node: NodeProto, name: str, default: Any = None) -> Any:
    """A node's attribute as a Python value."""
    for found in node.attribute:
        if found.name == name:
            return helper.get_attribute_value(found)
    return default

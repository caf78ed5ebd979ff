"""What lies between two convolutions in int8 is looked up, the same to the bit."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import NodeProto

from speech.kokoro.graph.model_graph import ModelGraph
from speech.kokoro.graph.static_int8 import quantise
from speech.kokoro.graph.tables import tabulate
from tests.kokoro.small_graphs import (
    NARROW,
    constants,
    convolution,
    feed,
    graph_of,
    measured,
    norm,
    run,
    snake,
)

FIRST, SECOND = convolution("first", "x", "c"), convolution("second", "s", "y")


def in_int8(nodes: list[NodeProto], *, tables: bool) -> onnx.ModelProto:
    model = graph_of(nodes, constants(1), ("x", *NARROW))
    names = ["first", "second"]
    graph = ModelGraph(model)
    quantise(graph, measured(model, feed(1), names), names)
    if tables:
        tabulate(graph, NARROW)
    return graph.extract(list(model.graph.input), list(model.graph.output))


def look_ups(model: onnx.ModelProto) -> int:
    return sum(node.op_type == "GatherElements" for node in model.graph.node)


@pytest.mark.parametrize(
    "between", [snake("c", "s"), [*norm("c", "n"), *snake("n", "s")]], ids=["folded", "measuring"]
)
def test_a_function_of_one_byte_is_looked_up(between: list[NodeProto]) -> None:
    nodes = [*FIRST, *between, *SECOND]
    computed, looked_up = in_int8(nodes, tables=False), in_int8(nodes, tables=True)
    assert (look_ups(computed), look_ups(looked_up)) == (0, 1)
    for seed in (1, 2):
        np.testing.assert_array_equal(run(looked_up, feed(seed))[0], run(computed, feed(seed))[0])


@pytest.mark.parametrize(
    "first",
    [convolution("first", "x", "c", residual="x"),
     [*convolution("first", "x", "c0"), onnx.helper.make_node("Tanh", ["c0"], ["c"])]],
    ids=["of two tensors", "unknown"],
)  # fmt: skip
def test_anything_else_is_computed(first: list[NodeProto]) -> None:
    assert look_ups(in_int8([*first, *snake("c", "s"), *SECOND], tables=True)) == 0


def test_an_input_with_a_value_for_each_moment_is_no_constant() -> None:
    nodes = [*FIRST, *snake("c", "s"), *SECOND]
    model = graph_of(nodes, constants(1), ("x", *NARROW))
    graph = ModelGraph(model)
    quantise(graph, measured(model, feed(1), ["first", "second"]), ["first", "second"])
    tabulate(graph, ["gain"])
    assert not graph.of_kind("GatherElements")

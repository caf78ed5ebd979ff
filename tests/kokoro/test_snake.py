"""The shortened activation rounds to the same bytes, but for values between two of them."""

from __future__ import annotations

import numpy as np
import onnx
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import NodeProto

from speech.kokoro.graph.model_graph import ModelGraph
from speech.kokoro.graph.snake import shorten
from speech.kokoro.graph.static_int8 import quantise
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


def bytes_of(model: onnx.ModelProto, seed: int, least: float, *, short: bool) -> np.ndarray:
    """What the activation is rounded to."""
    graph = ModelGraph(model)
    quantise(graph, measured(model, feed(seed), ["second"]), ["second"])
    if short:
        shorten(graph)
        assert bool(graph.of_kind("Cos")) == (least > 0)
    ends = [onnx.helper.make_tensor_value_info("second/q_in", onnx.TensorProto.UINT8, None)]
    return run(graph.extract(list(model.graph.input), ends), feed(seed))[0].astype(int)


def model_of(nodes: list[NodeProto], seed: int, least: float) -> onnx.ModelProto:
    return graph_of(
        [*nodes, *convolution("second", "s", "y")], constants(seed, least), ("x", *NARROW)
    )


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([1e-4, 0.05, 1.0]))
def test_the_same_bytes(seed: int, least: float) -> None:
    for nodes in (snake("x", "s"), [*norm("x", "n"), *snake("n", "s")]):
        model = model_of(nodes, seed, least)
        long, short = (bytes_of(model, seed, least, short=short) for short in (False, True))
        assert np.abs(long - short).max() <= 1
        assert np.mean(long != short) < 0.01


def test_a_negative_wave_number_is_left_alone() -> None:
    model = model_of(snake("x", "s"), 3, -1.0)
    assert np.array_equal(
        bytes_of(model, 3, -1.0, short=False), bytes_of(model, 3, -1.0, short=True)
    )


def test_an_activation_that_is_not_rounded_is_left_alone() -> None:
    graph = ModelGraph(model_of(snake("x", "s"), 3, 0.05))
    shorten(graph)
    assert not graph.of_kind("Cos")

"""Convolutions in int8: near float32, whatever the channels' scales, and measured ranges."""

from __future__ import annotations

import numpy as np
import onnx
import onnxruntime
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from speech.kokoro.graph.model_graph import ModelGraph, UnknownGraphError
from speech.kokoro.graph.ranges import measuring, widened
from speech.kokoro.graph.static_int8 import Range, input_of, output_of, quantise
from speech.kokoro.graph.variants import quantised
from speech.kokoro.precision import snr_db

Audio = NDArray[np.float32]
CHANNELS, WIDTH = 24, 96


def convolution(weights: Audio, bias: Audio | None, dilation: int = 1) -> onnx.ModelProto:
    """One convolution ``c`` that keeps the width."""
    pad = dilation * (weights.shape[2] - 1) // 2
    constants = {"w": weights} | ({} if bias is None else {"b": bias})
    node = helper.make_node(
        "Conv", ["x", *constants], ["y"], name="c", dilations=[dilation], pads=[pad, pad],
        kernel_shape=[weights.shape[2]],
    )  # fmt: skip
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in "xy"]
    tensors = [numpy_helper.from_array(value, name) for name, value in constants.items()]
    graph = helper.make_graph([node], "g", ends[:1], ends[1:], tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)


def run(model: onnx.ModelProto, x: Audio, names: list[str] | None = None) -> list[Audio]:
    options = onnxruntime.SessionOptions()
    # Without VNNI sums of products may overflow; so they are computed another way, as exactly.
    options.add_session_config_entry("session.x64quantprecision", "1")
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    return list(session.run(names, {"x": x}))


def measured(model: onnx.ModelProto, *inputs: Audio) -> dict[str, Range]:
    ranges: dict[str, Range] = {}
    measure, names = measuring(ModelGraph(model), ["c"])
    for x in inputs:
        ranges = widened(ranges, dict(zip(names, run(measure, x, names), strict=True)))
    return ranges


def example(seed: int, kernel: int, spread: float) -> tuple[onnx.ModelProto, Audio]:
    """Channels whose scales lie far apart, on both sides."""
    random = np.random.default_rng(seed)
    scales = np.exp(random.normal(0, spread, (2, CHANNELS, 1))).astype(np.float32)
    weights = random.laplace(0, 1, (CHANNELS, CHANNELS, kernel)).astype(np.float32)
    weights *= scales[0][:, :, None] / scales[1][None, :, :]
    x = random.normal(0.2, 1, (1, CHANNELS, WIDTH)).astype(np.float32) * scales[1]
    bias = random.normal(0, 1, CHANNELS).astype(np.float32) * scales[0].ravel()
    return convolution(weights, bias, dilation=1 + seed % 3), x


def in_int8(model: onnx.ModelProto, ranges: dict[str, Range]) -> onnx.ModelProto:
    graph = ModelGraph(model)
    quantise(graph, ranges, ["c"])
    return graph.extract(list(model.graph.input), list(model.graph.output))


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([1, 3, 7]), st.floats(0, 2))
def test_every_channel_keeps_its_detail(seed: int, kernel: int, spread: float) -> None:
    model, x = example(seed, kernel, spread)
    exact = run(model, x)[0]
    rounded = run(in_int8(model, measured(model, x)), x)[0]
    detail = [snr_db(a, b) for a, b in zip(exact[0], rounded[0], strict=True)]
    assert min(detail) > 30


def test_a_convolution_without_a_bias() -> None:
    model = convolution(np.ones((2, 2, 1), np.float32), None)
    x = np.array([[[0.5, -1.0, 2.0], [0.0, 4.0, -2.0]]], np.float32)
    rounded = run(in_int8(model, measured(model, x)), x)[0]
    assert np.allclose(rounded, run(model, x)[0], atol=0.06)


def test_what_is_padded_with_is_exactly_zero() -> None:
    model = convolution(np.ones((1, 1, 3), np.float32), None)
    x = np.full((1, 1, 3), 7.3, np.float32)
    edge, middle, _ = run(in_int8(model, measured(model, x)), x)[0][0, 0]
    assert edge == pytest.approx(2 / 3 * middle, rel=0.02)


def test_values_beyond_the_range_are_clipped() -> None:
    model = convolution(np.ones((1, 1, 1), np.float32), None)
    small, large = (np.full((1, 1, 4), value, np.float32) for value in (1.0, 50.0))
    rounded = run(in_int8(model, measured(model, small)), large)[0]
    assert float(rounded.max()) == pytest.approx(1.0, rel=0.02)


def test_a_silent_channel_is_no_division_by_zero() -> None:
    model = convolution(np.zeros((2, 2, 1), np.float32), None)
    x = np.zeros((1, 2, 5), np.float32)
    assert not run(in_int8(model, measured(model, x)), x)[0].any()


def test_ranges_cover_all_that_was_seen() -> None:
    model = convolution(np.array([[[2.0]]], np.float32), None)
    seen = [np.array([[values]], np.float32) for values in ([1, 2], [-3, 0])]
    ranges = measured(model, *seen)
    assert ranges[input_of("c")].ravel().tolist() == [-3, 2]
    assert ranges[output_of("c")].ravel().tolist() == [-6, 4]


def test_an_unknown_convolution_is_named() -> None:
    with pytest.raises(UnknownGraphError, match="no convolution nowhere"):
        quantise(ModelGraph(example(0, 1, 0)[0]), {}, ["nowhere"])


def test_ranges_of_another_model_are_refused() -> None:
    model, _ = example(0, 1, 0)
    ranges = {side("c"): np.ones((2, 3), np.float32) for side in (input_of, output_of)}
    with pytest.raises(UnknownGraphError, match="24 inputs, 3 were measured"):
        quantise(ModelGraph(model), ranges, ["c"])


def test_without_ranges_nothing_is_rounded() -> None:
    model, x = example(1, 3, 0)
    assert np.array_equal(run(quantised(model, {}, "fast"), x)[0], run(model, x)[0])

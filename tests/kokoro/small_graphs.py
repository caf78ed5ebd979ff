"""Small graphs as Kokoro's generator is built, for tests of what rewrites it."""

from __future__ import annotations

import numpy as np
import onnx
import onnxruntime
from numpy.typing import NDArray
from onnx import NodeProto, TensorProto, helper, numpy_helper

from speech.kokoro.graph.model_graph import ModelGraph
from speech.kokoro.graph.ranges import measuring, widened
from speech.kokoro.graph.static_int8 import Range

Audio = NDArray[np.float32]
CHANNELS = 6
NARROW = ("gain", "offset")


def graph_of(
    nodes: list[NodeProto], constants: dict[str, NDArray[np.generic]], inputs: tuple[str, ...]
) -> onnx.ModelProto:
    """Nodes from ``inputs`` to ``y``."""
    starts = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in inputs]
    end = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    tensors = [numpy_helper.from_array(value, name) for name, value in constants.items()]
    graph = helper.make_graph(nodes, "g", starts, [end], tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)


def run(
    model: onnx.ModelProto, feed: dict[str, Audio], names: list[str] | None = None
) -> list[Audio]:
    """The outputs on the CPU; sums in int8 are exact without VNNI too."""
    options = onnxruntime.SessionOptions()
    options.add_session_config_entry("session.x64quantprecision", "1")
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    return list(session.run(names, feed))


def measured(model: onnx.ModelProto, feed: dict[str, Audio], names: list[str]) -> dict[str, Range]:
    """The ranges of the named convolutions over one run."""
    measure, outputs = measuring(ModelGraph(model), names)
    return widened({}, dict(zip(outputs, run(measure, feed, outputs), strict=True)))


def convolution(name: str, source: str, to: str, *, residual: str = "") -> list[NodeProto]:
    """A convolution with the weights ``NAME/w``; ``residual`` is added to what it gives."""
    made = f"{to}_alone" if residual else to
    nodes = [helper.make_node("Conv", [source, f"{name}/w"], [made], name=name, pads=[1, 1])]
    return [*nodes, *([helper.make_node("Add", [made, residual], [to])] if residual else [])]


def snake(source: str, to: str) -> list[NodeProto]:
    """``h + sin(a * h)^2 / a`` of ``h = gain * source + offset``."""
    make = helper.make_node
    return [
        make("Mul", [source, "gain"], ["gained"]),
        make("Add", ["gained", "offset"], ["h"]),
        make("Mul", ["a", "h"], ["ah"]),
        make("Sin", ["ah"], ["sine"]),
        make("Pow", ["sine", "two"], ["squared"]),
        make("Mul", ["a_inverse", "squared"], ["waved"]),
        make("Add", ["h", "waved"], [to]),
    ]


def norm(source: str, to: str) -> list[NodeProto]:
    """``source`` less its mean, by its deviation."""
    make = helper.make_node
    return [
        make("ReduceMean", [source, "axis"], ["mean"]),
        make("Sub", [source, "mean"], ["centred"]),
        make("Mul", ["centred", "centred"], ["square"]),
        make("ReduceMean", ["square", "axis"], ["variance"]),
        make("Add", ["variance", "epsilon"], ["padded"]),
        make("Sqrt", ["padded"], ["root"]),
        make("Div", ["centred", "root"], [to]),
    ]


def constants(seed: int, least: float = 0.05) -> dict[str, NDArray[np.generic]]:
    """What the nodes above use; ``a`` is ``least`` to 2."""
    random = np.random.default_rng(seed)
    a = random.uniform(least, 2.0, (1, CHANNELS, 1)).astype(np.float32)
    shape = (CHANNELS, CHANNELS, 3)
    return {
        "a": a,
        "a_inverse": (1 / a).astype(np.float32),
        "two": np.asarray(2.0, np.float32),
        "axis": np.asarray([2], np.int64),
        "epsilon": np.asarray(1e-5, np.float32),
        "first/w": random.normal(0, 0.3, shape).astype(np.float32),
        "second/w": random.normal(0, 0.3, shape).astype(np.float32),
    }


def feed(seed: int, width: int = 400) -> dict[str, Audio]:
    """``x``, a gain and an offset for each channel."""
    random = np.random.default_rng(seed + 1)
    return {
        "x": random.normal(0, 1, (1, CHANNELS, width)).astype(np.float32),
        "gain": random.uniform(0.5, 2, (1, CHANNELS, 1)).astype(np.float32),
        "offset": random.normal(0, 1, (1, CHANNELS, 1)).astype(np.float32),
    }

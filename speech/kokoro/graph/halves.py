"""The graphs that a streaming Kokoro runs."""

from __future__ import annotations

from dataclasses import dataclass

import onnx
from onnx import TensorProto, helper

from speech.kokoro.graph.cut import Cut
from speech.kokoro.graph.model_graph import ModelGraph

X, PITCH, SOURCE, DURATIONS, AUDIO = "x", "pitch", "source", "durations", "audio"


def gain(layer: int) -> str:
    """Name of a layer's gain, and of the folded gain that takes its place."""
    return f"gain_{layer}"


def offset(layer: int) -> str:
    """Name of a layer's offset, and of the folded offset that takes its place."""
    return f"offset_{layer}"


def mean(layer: int) -> str:
    """Name of the mean of a layer's input."""
    return f"mean_{layer}"


def variance(layer: int) -> str:
    """Name of the variance of a layer's input."""
    return f"variance_{layer}"


@dataclass(frozen=True)
class Halves:
    """``front``: tokens, style, speed → x, pitch, durations, gains and offsets.

    ``whole``: x, source, gains, offsets → audio, and each layer's mean and variance.
    ``chunk``: x, source, folded gains and offsets → audio. ``source``: pitch → source.
    """

    front: onnx.ModelProto
    source: onnx.ModelProto
    whole: onnx.ModelProto
    chunk: onnx.ModelProto


def split(graph: ModelGraph, cut: Cut) -> Halves:
    """Cut the graph; the tensors at the cut get names of ours."""
    layers = range(len(cut.norms))
    front = published_front(graph, cut)
    ends = [_floats(X), _floats(SOURCE)]
    style = _style(cut)
    source = graph.extract([_floats(PITCH)], [_floats(SOURCE)])
    seen = [_floats(name(k)) for name in (mean, variance) for k in layers]
    whole = graph.extract([*ends, *style], [_floats(AUDIO), *seen])
    _fold_norms(graph, cut)
    chunk = graph.extract([*ends, *style], [_floats(AUDIO)])
    return Halves(front, source, whole, chunk)


def published_front(graph: ModelGraph, cut: Cut) -> onnx.ModelProto:
    """``front`` of a graph as it is: ``cut`` may have been found in the same export's float32
    form. The tensors at the cut get names of ours."""
    _rename(graph, _names(cut))
    durations = helper.make_tensor_value_info(DURATIONS, TensorProto.INT64, None)
    ends = [_floats(X), _floats(PITCH), durations, *_style(cut)]
    return graph.extract(list(graph.model.graph.input), ends)


def _style(cut: Cut) -> list[onnx.ValueInfoProto]:
    return [_floats(name(k)) for name in (gain, offset) for k in range(len(cut.norms))]


def _floats(name: str) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, None)


def _names(cut: Cut) -> dict[str, list[str]]:
    """New names of each tensor; layers that share a mean give it several."""
    names: dict[str, list[str]] = {
        cut.x: [X],
        cut.pitch: [PITCH],
        cut.source: [SOURCE],
        cut.durations: [DURATIONS],
        cut.audio: [AUDIO],
    }
    for k, norm in enumerate(cut.norms):
        for old, new in (
            (norm.mean, mean(k)),
            (norm.variance, variance(k)),
            (norm.gain, gain(k)),
            (norm.offset, offset(k)),
        ):
            names.setdefault(old, []).append(new)
    return names


def _rename(graph: ModelGraph, names: dict[str, list[str]]) -> None:
    """Give the tensors their new names; further names of one tensor are copies of it."""
    first = {old: new[0] for old, new in names.items()}
    nodes = []
    for node in graph.nodes:
        for side in (node.input, node.output):
            for place, name in enumerate(side):
                side[place] = first.get(name, name)
        nodes.append(node)
        nodes.extend(
            helper.make_node("Identity", [new[0]], [copy])
            for new in names.values()
            if new[0] in node.output
            for copy in new[1:]
        )
    graph.nodes = nodes
    graph.index()


def _fold_norms(graph: ModelGraph, cut: Cut) -> None:
    """Norms become one product and one sum: their mean and variance are known beforehand."""
    layer_of = {id(norm.last): k for k, norm in enumerate(cut.norms)}
    nodes = []
    for node in graph.nodes:
        k = layer_of.get(id(node))
        if k is None:
            nodes.append(node)
            continue
        x, out = cut.norms[k].x, node.output[0]
        nodes.append(helper.make_node("Mul", [x, gain(k)], [f"{out}_gained"], name=f"gain{k}"))
        nodes.append(
            helper.make_node("Add", [f"{out}_gained", offset(k)], [out], name=f"offset{k}")
        )
    graph.nodes = nodes
    graph.index()

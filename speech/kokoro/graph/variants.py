"""The precisions that the prepared graphs come in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np
import onnx

from speech.kokoro.graph.cut import Cut
from speech.kokoro.graph.float32 import to_float32
from speech.kokoro.graph.halves import SOURCE, X, published_front
from speech.kokoro.graph.model_graph import ModelGraph
from speech.kokoro.graph.snake import shorten
from speech.kokoro.graph.static_int8 import Range, input_of, quantise
from speech.kokoro.graph.tables import tabulate

Precision = Literal["float32", "int8", "fast"]
"""Of the generator. ``int8``: the convolutions that bear it without a loss that can be heard or
measured as speech quality; ``fast``: all of its residual blocks."""

Front = Literal["float32", "published", "int8"]
"""Of the front. ``published``: as the export has it, which is dynamically quantised; ``int8``: so
too, but its decoder with ranges measured beforehand. Both are as near to float32 there: 26 to 29
dB as published, 27 to 29 in int8, six sentences in three voices."""

FRONTS: tuple[Front, ...] = ("float32", "published", "int8")
PRECISIONS: tuple[Precision, ...] = ("float32", "int8", "fast")

CONTEXT_FRAMES: Mapping[Precision, int] = {"float32": 8, "int8": 6, "fast": 5}
"""What a chunk needs on both sides. More is lost in the noise of int8: two chunkings differ by
38 dB at 6 frames and 41 at 8 (int8), by 24 dB at 5 and 27 at 8 (fast); steps at borders are as
small as without a border."""

_SENSITIVE = ("resblocks.1/", "resblocks.4/", "resblocks.5/")
"""Blocks that lose most in int8 (against float32, alone: 24 dB, 15 dB; the others 35 dB)."""
_MARGIN = 1.3
"""Ranges are widened by so much: values beyond are clipped, which is heard far sooner than coarser
steps are (margin 0.75: 4 dB; 1.0: 18 dB where measured, less for other sentences; 1.3: 16 dB)."""


def front_in(front: Front) -> str:
    """Name of the graph of a front."""
    return "front" if front == "float32" else f"front-{front}"


def half_in(half: str, precision: Precision) -> str:
    """Name of the graph of a half of the generator in a precision."""
    return half if precision == "float32" else f"{half}-{precision}"


def quantised(
    half: onnx.ModelProto, ranges: Mapping[str, Range], precision: Precision
) -> onnx.ModelProto:
    """``half`` with the convolutions in int8 that the precision has in it."""
    graph = ModelGraph(half)
    names = [
        name
        for name in _measured(graph, ranges)
        if precision == "fast" or not any(block in name for block in _SENSITIVE)
    ]
    quantise(graph, _widened(ranges), names)
    tabulate(graph, {entry.name for entry in half.graph.input} - {X, SOURCE})
    shorten(graph)
    return graph.extract(list(half.graph.input), list(half.graph.output))


def int8_front(model: onnx.ModelProto, cut: Cut, ranges: Mapping[str, Range]) -> onnx.ModelProto:
    """The front of a quantised export, with the convolutions in int8 that were measured."""
    graph = ModelGraph(model)
    to_float32(graph, lambda name: input_of(name) in ranges)
    front = published_front(graph, cut)
    graph = ModelGraph(front)
    quantise(graph, _widened(ranges), _measured(graph, ranges))
    return graph.extract(list(front.graph.input), list(front.graph.output))


def _measured(graph: ModelGraph, ranges: Mapping[str, Range]) -> list[str]:
    return [node.name for node in graph.of_kind("Conv") if input_of(node.name) in ranges]


def _widened(ranges: Mapping[str, Range]) -> dict[str, Range]:
    return {side: np.multiply(values, _MARGIN, dtype=np.float32) for side, values in ranges.items()}

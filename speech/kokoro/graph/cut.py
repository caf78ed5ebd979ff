"""Where the network is cut, found by structure and not by name."""

from __future__ import annotations

from dataclasses import dataclass

from onnx import NodeProto

from speech.kokoro.graph.model_graph import ModelGraph, UnknownGraphError, attribute

UPSAMPLING = 300
"""Source samples a frame; the pitch curve is repeated so often before it becomes sines."""


@dataclass(frozen=True)
class Norm:
    """An adaptive instance norm: ``out = gain * (x - mean) / sqrt(variance + eps) + offset``.

    ``gain`` already holds the 1 that is added to the style's part. Names of tensors.
    """

    x: str
    mean: str
    variance: str
    epsilon: float
    gain: str
    offset: str
    last: NodeProto


@dataclass(frozen=True)
class Cut:
    """The tensors between the halves.

    ``x`` ``[1, 512, frames]``; ``pitch`` ``[1, 1, frames]`` in Hz; ``source`` ``[1, 22, 60 *
    frames + 1]``; ``durations`` ``[1, tokens]``.
    """

    x: str
    pitch: str
    source: str
    durations: str
    audio: str
    norms: tuple[Norm, ...]


def find_cut(graph: ModelGraph) -> Cut:
    """Raises ``UnknownGraphError`` saying which part was not found."""
    audio = graph.model.graph.output[0].name
    x = _generator_input(graph)
    source = _source(graph)
    inside = graph.descendants([x, source])
    norms = tuple(_norms(graph, inside))
    if not norms:
        raise UnknownGraphError("no adaptive instance norms in the generator")
    return Cut(x, _pitch(graph, source), source, _durations(graph), audio, norms)


def _generator_input(graph: ModelGraph) -> str:
    """Before the activation of the first transposed convolution that is not depthwise."""
    for node in graph.of_kind("ConvTranspose"):
        if attribute(node, "group", 1) == 1:
            activation = graph.producer.get(node.input[0])
            if activation is not None and activation.op_type == "LeakyRelu":
                return activation.input[0]
    raise UnknownGraphError("no upsampling of the generator")


def _source(graph: ModelGraph) -> str:
    """What the short-time spectrum of the sines becomes: the input of the noise convolutions."""
    spectra = graph.of_kind("STFT")
    if len(spectra) != 1:
        raise UnknownGraphError(f"{len(spectra)} short-time spectra where one was expected")
    after = graph.descendants(spectra[0].output)
    convolved = {node.input[0] for node in after if node.op_type == "Conv"}
    joined = [n.output[0] for n in after if n.op_type == "Concat" and n.output[0] in convolved]
    if len(joined) != 1:
        raise UnknownGraphError("the noise convolutions have no one source")
    return joined[0]


def _pitch(graph: ModelGraph, source: str) -> str:
    """The input of the nearest-neighbour repetition that starts the source."""
    for node in graph.ancestors([source]):
        if node.op_type == "Resize" and attribute(node, "mode", b"") == b"nearest":
            scales = graph.value(node.input[2]) if node.input[2] in graph.constants else None
            if scales is not None and float(scales[-1]) == UPSAMPLING:
                return node.input[0]
    raise UnknownGraphError("no pitch curve")


def _durations(graph: ModelGraph) -> str:
    """The rounded, clipped frame counts, as integers."""
    for node in graph.of_kind("Round"):
        clipped = graph.only_consumer(node.output[0], "Clip")
        cast = [n for n in graph.consumers[clipped.output[0]] if n.op_type == "Cast"]
        if cast:
            return cast[0].output[0]
    raise UnknownGraphError("no predicted durations")


def _norms(graph: ModelGraph, inside: list[NodeProto]) -> list[Norm]:
    """Every mean → difference → square → mean → root → quotient → gain → offset."""
    found = []
    for node in inside:
        users = graph.consumers[node.output[0]] if node.op_type == "ReduceMean" else []
        if len(users) != 1 or users[0].op_type != "Sub":
            continue
        centred = users[0].output[0]
        square = next(n for n in graph.consumers[centred] if n.op_type in ("Mul", "Pow"))
        variance = graph.only_consumer(square.output[0], "ReduceMean")
        padded = graph.only_consumer(variance.output[0], "Add")
        root = graph.only_consumer(padded.output[0], "Sqrt")
        normed = graph.only_consumer(root.output[0], "Div")
        epsilon = float(graph.value(padded.input[1]))
        # Blocks side by side share their input's mean and differ in gain and offset.
        for gained in graph.consumers[normed.output[0]]:
            last = graph.only_consumer(gained.output[0], "Add")
            gain = next(name for name in gained.input if name != normed.output[0])
            offset = next(name for name in last.input if name != gained.output[0])
            found.append(
                Norm(node.input[0], node.output[0], variance.output[0], epsilon, gain, offset, last)
            )
    return found

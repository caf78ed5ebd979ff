"""Kokoro in two halves, in onnxruntime."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from speech.errors import EngineError
from speech.kokoro.graph.halves import (
    AUDIO,
    DURATIONS,
    PITCH,
    SOURCE,
    X,
    gain,
    mean,
    offset,
    variance,
)
from speech.kokoro.graph.prepare import Prepared
from speech.kokoro.graph.variants import (
    CONTEXT_FRAMES,
    Front,
    Precision,
    front_in,
    half_in,
)
from speech.kokoro.model import Computation, first_line, open_session
from speech.kokoro.source import HarmonicSource, SourceWeights
from speech.kokoro.streaming import (
    SAMPLES_PER_FRAME,
    Statistics,
    Utterance,
)

Feed = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Graphs:
    """Which of the prepared graphs are used."""

    front_precision: Front = "float32"
    generator: Precision = "float32"

    @property
    def front(self) -> str:
        return front_in(self.front_precision)

    @property
    def whole(self) -> str:
        return half_in("whole", self.generator)

    @property
    def chunk(self) -> str:
        return half_in("chunk", self.generator)

    def __str__(self) -> str:
        front = "as published" if self.front_precision == "published" else self.front_precision
        return f"front {front}, generator {self.generator}"


FLOAT32_GRAPHS = Graphs()


@dataclass(frozen=True)
class _State:
    """The generator's input and each norm's style of one unit."""

    x: NDArray[np.float32]
    source: HarmonicSource
    style: Feed


class OnnxStreamingKokoro:
    """The prepared graphs, loaded; see ``StreamingKokoro`` for the promises."""

    streams = True

    def __init__(
        self, prepared: Prepared, threads: int = 0, graphs: Graphs = FLOAT32_GRAPHS
    ) -> None:
        """Load; ``threads`` 0 takes every core. Raises ``ModelFileError``."""
        self.precision = str(graphs)
        self.context_frames = CONTEXT_FRAMES[graphs.generator]
        self._epsilons = prepared.epsilons
        self._layers = range(prepared.layers)
        weights = {key: np.asarray(value, np.float32) for key, value in prepared.source.items()}
        self._source = SourceWeights(weights["mix"], float(weights["bias"][0]), weights["window"])
        self._front, self._whole, self._chunk = (
            open_session(prepared.folder / f"{half}.onnx", threads)
            for half in (graphs.front, graphs.whole, graphs.chunk)
        )
        names = {entry.name for entry in self._front.get_inputs()}
        self._tokens = "input_ids" if "input_ids" in names else "tokens"

    def front(
        self, ids: Sequence[int], style: NDArray[np.float32], speed: float, computation: Computation
    ) -> Utterance:
        """See ``StreamingKokoro.front``."""
        out = _run(self._front, self.feed_of_front(ids, style, speed), computation)
        x, pitch = out.pop(X), out.pop(PITCH)
        durations = out.pop(DURATIONS).ravel()
        state = _State(x, HarmonicSource(pitch.ravel(), self._source), out)
        return Utterance(x.shape[2], durations, state)

    def feed_of_front(self, ids: Sequence[int], style: NDArray[np.float32], speed: float) -> Feed:
        """What the graph ``front`` is given."""
        return {
            self._tokens: np.asarray([[0, *ids, 0]], np.int64),
            "style": np.asarray(style, np.float32),
            "speed": np.asarray([speed], np.float32),
        }

    def whole(
        self, utterance: Utterance, computation: Computation
    ) -> tuple[NDArray[np.float32], Statistics]:
        """See ``StreamingKokoro.whole``."""
        out = _run(self._whole, self.feed_of_whole(utterance), computation)
        statistics = Statistics(
            tuple(out[mean(k)].ravel() for k in self._layers),
            tuple(out[variance(k)].ravel() for k in self._layers),
        )
        return out[AUDIO].ravel(), statistics

    def feed_of_whole(self, utterance: Utterance) -> Feed:
        """What the graph ``whole`` is given for an utterance."""
        state: _State = utterance.state
        return {X: state.x, SOURCE: state.source.columns(0, utterance.frames), **state.style}

    def chunk(
        self,
        utterance: Utterance,
        statistics: Statistics,
        start: int,
        stop: int,
        computation: Computation,
    ) -> NDArray[np.float32]:
        """See ``StreamingKokoro.chunk``."""
        first = max(0, start - self.context_frames)
        last = min(utterance.frames, stop + self.context_frames)
        feed = self.feed_of_chunk(utterance, statistics, first, last)
        audio = _run(self._chunk, feed, computation)[AUDIO].ravel()
        from_sample = SAMPLES_PER_FRAME * (start - first)
        return audio[from_sample : from_sample + SAMPLES_PER_FRAME * (stop - start)]

    def feed_of_chunk(
        self, utterance: Utterance, statistics: Statistics, first: int, last: int
    ) -> Feed:
        """What the graph ``chunk`` is given for the frames ``first`` to ``last``."""
        state: _State = utterance.state
        return {
            X: state.x[:, :, first:last],
            SOURCE: state.source.columns(first, last),
            **self.folded(state.style, statistics),
        }

    def folded(self, style: Feed, statistics: Statistics) -> Feed:
        """Gains and offsets with the statistics worked in: a norm is then ``gain * x + offset``."""
        feed: Feed = {}
        for k in self._layers:
            scale = np.sqrt(statistics.variance[k] + np.float32(self._epsilons[k]))
            folded = style[gain(k)] / scale[None, :, None]
            feed[gain(k)] = folded
            feed[offset(k)] = style[offset(k)] - statistics.mean[k][None, :, None] * folded
        return feed


def _run(
    session: onnxruntime.InferenceSession, feed: Feed, computation: Computation
) -> dict[str, NDArray[Any]]:
    names = [entry.name for entry in session.get_outputs()]
    try:
        values = session.run(names, feed, computation.options)
    except Exception as error:  # onnxruntime's error classes share no public base
        raise EngineError(f"Kokoro failed: {first_line(error)}") from error
    return dict(zip(names, values, strict=True))

"""Kokoro in two halves, so that sound comes before the unit is synthesised.

The network's generator is convolutional but for its adaptive instance norms, which take
mean and variance over the whole utterance. With these given from outside it has a finite
reach, so a stretch of the sound can be computed from a stretch of its input
(docs/streaming-kokoro.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from speech.kokoro.model import Computation

FRAME_RATE_HZ = 80
"""Frames of the generator's input a second."""
SAMPLES_PER_FRAME = 300
CONTEXT_FRAMES = 8
"""Computed on both sides of a chunk and thrown away: 100 ms. Measured against the unchunked
generator, float32: 26 dB at 4 frames, 47 dB at 6, 95 dB at 8, 117 dB at 12."""
FRAMES_PER_DURATION = 2
"""The network predicts durations in steps of 25 ms."""


@dataclass(frozen=True)
class Statistics:
    """Mean and variance of each norm layer's input: arrays ``[channels]``, in layer order."""

    mean: tuple[NDArray[np.float32], ...]
    variance: tuple[NDArray[np.float32], ...]


@dataclass(frozen=True)
class Utterance:
    """What the front half knows of a unit.

    ``frames`` at 80 Hz, 300 samples each. ``durations``: int64 ``[tokens]``, 25 ms steps, for
    the padding token, each phoneme, and the padding token again. ``state`` is the model's own.
    """

    frames: int
    durations: NDArray[np.int64]
    state: Any


class StreamingKokoro(Protocol):
    """A loaded model in two halves. Blocking, usable from several threads at once.

    Every method raises ``EngineError``, also when the computation was stopped.
    """

    streams: bool
    """Whether it knows durations and computes chunks; otherwise ``whole`` is all there is."""
    context_frames: int
    """Frames it computes on both sides of a chunk and throws away."""

    def front(
        self, ids: Sequence[int], style: NDArray[np.float32], speed: float, computation: Computation
    ) -> Utterance:
        """Durations, pitch and the generator's input of a unit of at most 510 phonemes.

        ``ids`` without the padding tokens; ``style`` is ``[1, 256]``.
        """
        ...

    def whole(
        self, utterance: Utterance, computation: Computation
    ) -> tuple[NDArray[np.float32], Statistics]:
        """All samples with the unit's own statistics, and these."""
        ...

    def chunk(
        self,
        utterance: Utterance,
        statistics: Statistics,
        start: int,
        stop: int,
        computation: Computation,
    ) -> NDArray[np.float32]:
        """Samples of the frames ``start`` to ``stop``: 300 a frame, at 24 kHz."""
        ...

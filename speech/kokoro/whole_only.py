"""A Kokoro export that cannot be cut in halves: it speaks whole units."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from speech.errors import EngineError
from speech.kokoro.model import Computation, KokoroModel
from speech.kokoro.streaming import Statistics, Utterance

_Inputs = tuple[list[int], NDArray[np.float32], float]


class WholeOnlyKokoro:
    """``StreamingKokoro`` that knows no frames or durations and computes all in ``whole``."""

    streams = False
    context_frames = 0

    def __init__(self, model: KokoroModel) -> None:
        self._model = model

    def front(
        self, ids: Sequence[int], style: NDArray[np.float32], speed: float, computation: Computation
    ) -> Utterance:
        """Nothing is computed yet: 0 frames, no durations."""
        return Utterance(0, np.zeros(0, np.int64), (list(ids), style, speed))

    def whole(
        self, utterance: Utterance, computation: Computation
    ) -> tuple[NDArray[np.float32], Statistics]:
        """All samples; no statistics."""
        inputs: _Inputs = utterance.state
        return self._model.run(*inputs, computation), Statistics((), ())

    def chunk(
        self,
        utterance: Utterance,
        statistics: Statistics,
        start: int,
        stop: int,
        computation: Computation,
    ) -> NDArray[np.float32]:
        """Never asked for, as no unit is long."""
        raise EngineError("this Kokoro model does not stream")

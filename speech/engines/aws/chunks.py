"""A unit's samples as the chunks that engines hand on."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from speech.engine import PcmChunk

LONGEST_S = 0.5
"""Of a chunk: what is handed on at once cannot be taken back from a listener's buffer."""


class Chunks:
    """Numbers the samples of one unit; the service tells no word times."""

    def __init__(self, unit_id: str, rate_hz: int) -> None:
        self._unit_id, self._longest = unit_id, round(LONGEST_S * rate_hz)
        self._next = 0

    def take(self, samples: NDArray[np.int16]) -> Iterator[PcmChunk]:
        """The chunks that carry these samples."""
        for start in range(0, len(samples), self._longest):
            run = samples[start : start + self._longest]
            yield PcmChunk(self._unit_id, self._next, run)
            self._next += len(run)

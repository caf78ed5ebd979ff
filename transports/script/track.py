"""One side of a conversation on a fixed clock."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MAX_TRACK_S = 900.0
"""Fifteen minutes: 43 MB at 24 kHz, 29 MB at 16 kHz. Later audio is not kept, but counted."""

_FIRST_CAPACITY_S = 30.0


class Track:
    """Int16 mono samples by position; silence where nothing was placed.

    Bounded: samples beyond ``max_s`` are dropped and counted in ``truncated``.
    """

    def __init__(self, rate_hz: int, max_s: float = MAX_TRACK_S) -> None:
        self.rate_hz = rate_hz
        self.truncated = 0
        self._limit = int(max_s * rate_hz)
        self._data = np.zeros(min(self._limit, int(_FIRST_CAPACITY_S * rate_hz)), np.int16)
        self._length = 0

    def __len__(self) -> int:
        return self._length

    @property
    def samples(self) -> NDArray[np.int16]:
        """A view of everything up to the last placed sample."""
        return self._data[: self._length]

    def place(self, start: int, samples: NDArray[np.int16]) -> None:
        """Put ``samples`` at position ``start``, over whatever was there."""
        kept = samples[: max(0, self._limit - start)]
        self.truncated += len(samples) - len(kept)
        if not len(kept):
            return
        end = start + len(kept)
        self._grow(end)
        self._data[start:end] = kept
        self._length = max(self._length, end)

    def scale(self, start: int, gain: NDArray[np.float32]) -> None:
        """Multiply the samples from ``start`` on by ``gain``, as far as there are any."""
        part = self._data[start : min(start + len(gain), self._length)]
        part[:] = (part * gain[: len(part)]).astype(np.int16)

    def silence(self, start: int, end: int) -> None:
        """Make ``[start, end)`` silent; the length stays."""
        self._data[start : min(end, self._length)] = 0

    def _grow(self, needed: int) -> None:
        if needed <= len(self._data):
            return
        larger = np.zeros(min(self._limit, max(needed, 2 * len(self._data))), np.int16)
        larger[: self._length] = self.samples
        self._data = larger

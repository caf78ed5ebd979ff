"""The way from the loudspeaker to the microphone: a delay, a level, a room. Pure."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

RT60_S = 0.4
"""A furnished living room: sound has fallen by 60 dB after so long."""
TAIL_DB = -3.0
"""Energy of the reverberation against the direct sound, a metre from the loudspeaker."""
FIRST_REFLECTION_S = 0.004

Signal = NDArray[np.float64]


def response(rate_hz: int, gain_db: float, *, reverberant: bool, seed: int = 7) -> Signal:
    """An impulse response whose energy is ``gain_db``: one tap, or one and a decaying tail."""
    gain = 10 ** (gain_db / 20)
    if not reverberant:
        return np.array([gain])
    rng = np.random.default_rng(seed)
    length = round(RT60_S * rate_hz)
    t = np.arange(length) / rate_hz
    tail = rng.normal(0, 1, length) * 10 ** (-3 * t / RT60_S)
    tail[: round(FIRST_REFLECTION_S * rate_hz)] = 0
    tail *= 10 ** (TAIL_DB / 20) / np.linalg.norm(tail)
    taps = tail
    taps[0] = 1.0
    return gain * taps / np.linalg.norm(taps)


class Path:
    """A stream delayed by ``delay`` samples and filtered; any split gives the same samples."""

    def __init__(self, taps: Signal, delay: int, block: int) -> None:
        self._size = 1 << (block + len(taps) - 2).bit_length()
        self._taps = np.fft.rfft(taps, self._size)
        self._rest = np.zeros(self._size - block)
        self._block = block
        self._delayed = np.zeros(delay)

    def process(self, samples: Signal) -> Signal:
        """One block in, one block out."""
        if len(samples) != self._block:
            raise ValueError(f"blocks are of {self._block} samples")
        line = np.concatenate([self._delayed, samples])
        now, self._delayed = line[: self._block], line[self._block :]
        whole = np.fft.irfft(np.fft.rfft(now, self._size) * self._taps, self._size)
        whole[: len(self._rest)] += self._rest
        self._rest = whole[self._block :]
        return whole[: self._block]

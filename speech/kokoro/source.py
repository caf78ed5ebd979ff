"""The harmonic source of a stretch of speech, from its pitch curve.

The network turns the pitch into nine sines, mixes them into one excitation and hands its
short-time spectrum to the generator. Here the phase is summed up once for the whole unit
and everything else is computed for the stretch that is asked for, so any chunking gives
the same source.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from speech.kokoro.streaming import SAMPLES_PER_FRAME

SAMPLE_RATE_HZ = 24_000
HOP = 5
FFT = 20
COLUMNS_PER_FRAME = SAMPLES_PER_FRAME // HOP
_MARGIN = FFT // 2


@dataclass(frozen=True)
class SourceWeights:
    """The network's own numbers for its source.

    ``mix`` ``[harmonics]`` and ``bias`` make one excitation of the sines; ``window``
    ``[20]``. ``amplitude`` of the sines; frames above ``voiced_hz`` have any.
    """

    mix: NDArray[np.float32]
    bias: float
    window: NDArray[np.float32]
    amplitude: float = 0.1
    voiced_hz: float = 10.0


_NOTHING = 1e-6
"""Of full scale; the sines have 0.1, float32 sums of them are exact to 1e-8."""


class HarmonicSource:
    """One unit's source; ``columns`` gives any stretch of it."""

    def __init__(self, pitch_hz: NDArray[np.float32], weights: SourceWeights) -> None:
        """``pitch_hz`` ``[frames]`` at 80 Hz; 0 where unvoiced."""
        self._weights = weights
        self._frames = len(pitch_hz)
        self._voiced = pitch_hz > weights.voiced_hz
        harmonics = np.arange(1, len(weights.mix) + 1, dtype=np.float64)
        turns = pitch_hz.astype(np.float64)[:, None] * harmonics / SAMPLE_RATE_HZ
        # Only what is left of a turn counts; summed in float64, so that late phases are
        # as exact as early ones.
        self._turns = SAMPLES_PER_FRAME * np.cumsum(turns % 1.0, axis=0)
        self._basis = _basis(weights.window)

    def columns(self, start: int, stop: int) -> NDArray[np.float32]:
        """Spectrum ``[1, 22, 60 * (stop - start) + 1]`` of the frames ``start`` to ``stop``."""
        first = SAMPLES_PER_FRAME * start - _MARGIN
        last = SAMPLES_PER_FRAME * stop + _MARGIN
        samples = self._excitation(first, last)
        windows = np.lib.stride_tricks.sliding_window_view(samples, FFT)[::HOP]
        spectrum = windows @ self._basis
        # Where nothing but rounding is left its angle would be any, and another for each chunk.
        spectrum[np.abs(spectrum) < _NOTHING] = 0.0
        real, imaginary = spectrum[:, : FFT // 2 + 1], spectrum[:, FFT // 2 + 1 :]
        size = np.hypot(real, imaginary)
        angle = np.arctan2(imaginary, real)
        columns = np.concatenate([size, angle], axis=1).T[None]
        return np.ascontiguousarray(columns, np.float32)

    def _excitation(self, first: int, last: int) -> NDArray[np.float32]:
        """Samples ``first`` to ``last``; beyond the unit's ends it is mirrored."""
        length = SAMPLES_PER_FRAME * self._frames
        inside = self._inside(max(first, 0), min(last, length))
        before, after = max(-first, 0), max(last - length, 0)
        mirrored: NDArray[np.float32] = np.pad(inside, (before, after), mode="reflect")
        return mirrored

    def _inside(self, first: int, last: int) -> NDArray[np.float32]:
        # Phases lie at the frames' centres; between them they run straight.
        place = (np.arange(first, last) + 0.5) / SAMPLES_PER_FRAME - 0.5
        place = np.clip(place, 0, self._frames - 1)
        low = place.astype(np.int64)
        high = np.minimum(low + 1, self._frames - 1)
        part = (place - low)[:, None]
        turns = self._turns[low] * (1 - part) + self._turns[high] * part
        angles = (2 * np.pi * (turns % 1.0)).astype(np.float32)
        sines = self._weights.amplitude * np.sin(angles)
        sines *= self._voiced[np.arange(first, last) // SAMPLES_PER_FRAME][:, None]
        excitation: NDArray[np.float32] = np.tanh(sines @ self._weights.mix + self._weights.bias)
        return excitation


def _basis(window: NDArray[np.float32]) -> NDArray[np.float32]:
    """``[20, 22]``: a window's samples to the real and imaginary parts of 11 bins."""
    n = np.arange(FFT)
    angles = -2 * np.pi * n[:, None] * np.arange(FFT // 2 + 1) / FFT
    basis = np.concatenate([np.cos(angles), np.sin(angles)], axis=1)
    windowed = window.astype(np.float64)[:, None] * basis
    return np.asarray(windowed, np.float32)

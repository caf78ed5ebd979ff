"""Samples between samples: any ratio of rates, and one that changes, in one step."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

HALF_TAPS = 8
"""Samples of the slower rate on either side of a place."""

PHASES = 512
"""Places between two samples: the nearest is within 1/1024, -50 dB at the end of the band."""

_ROLL_OFF = 0.94
"""Where the band ends when the rate goes down, of the new rate's half: sixteen taps are no wall."""


def interpolate(
    samples: NDArray[np.int16], places: NDArray[np.float64], ratio: float
) -> NDArray[np.float64]:
    """The signal at these places (in samples, rising); 0 around it.

    ``ratio`` is about the distance of two places: above 1 what the new rate cannot carry is
    taken out. Unlike soxr, which is used for all else, it has no memory, holds nothing back
    and takes places that wander.
    """
    table = _kernels(round(ratio, 2))
    half = table.shape[1] // 2
    whole = np.floor(places).astype(np.int64)
    phases = np.rint((places - whole) * PHASES).astype(np.int64)
    first = int(whole[0]) - half + 1
    around = _cut(samples, first, int(whole[-1]) + half + 1)
    windows = np.lib.stride_tricks.sliding_window_view(around, 2 * half)
    mixed: NDArray[np.float64] = np.einsum("kt,kt->k", windows[whole - whole[0]], table[phases])
    return mixed


def _cut(samples: NDArray[np.int16], first: int, end: int) -> NDArray[np.float32]:
    """``samples[first:end]``, with zeros before and behind them."""
    out = np.zeros(end - first, np.float32)
    begin, stop = max(first, 0), min(end, len(samples))
    if begin < stop:
        out[begin - first : stop - first] = samples[begin:stop]
    return out


@lru_cache(maxsize=8)
def _kernels(ratio: float) -> NDArray[np.float32]:
    """A windowed sine cardinal for each phase, as rows; each passes a constant unchanged."""
    band = 1.0 if ratio <= 1.0 else _ROLL_OFF / ratio
    half = int(np.ceil(HALF_TAPS * max(1.0, ratio)))
    taps = np.arange(-half + 1, half + 1)
    away = taps - np.arange(PHASES + 1)[:, None] / PHASES
    rows = np.sinc(band * away) * (0.5 + 0.5 * np.cos(np.pi * np.clip(away / half, -1, 1)))
    scaled: NDArray[np.float32] = (rows / rows.sum(axis=1, keepdims=True)).astype(np.float32)
    return scaled

"""Tones that can be told apart in a recording, to see what was played and in which order."""

from __future__ import annotations

from itertools import groupby

import numpy as np
from numpy.typing import NDArray

PITCHES_HZ = (440, 660, 880, 1100, 1320, 1540, 1760, 1980)
_WINDOW_S = 0.02
_FLOOR = 300
_FADE_S = 0.002


def tone(pitch_hz: float, seconds: float, rate_hz: int, level: int = 8_000) -> NDArray[np.int16]:
    """A sine with soft edges."""
    count = round(seconds * rate_hz)
    wave = level * np.sin(2 * np.pi * pitch_hz * np.arange(count) / rate_hz)
    fade = round(_FADE_S * rate_hz)
    wave[:fade] *= np.linspace(0, 1, fade)
    wave[count - fade :] *= np.linspace(1, 0, fade)
    return wave.astype(np.int16)


def pitches(samples: NDArray[np.int16], rate_hz: int) -> list[int]:
    """The nearest of ``PITCHES_HZ`` in each 20 ms window, 0 for silence."""
    size = round(_WINDOW_S * rate_hz)
    windows = samples[: len(samples) // size * size].reshape(-1, size).astype(np.float64)
    return [_pitch(window, rate_hz) for window in windows]


def seconds_of(pitch_hz: int, samples: NDArray[np.int16], rate_hz: int) -> float:
    """How long this pitch is heard in all."""
    return pitches(samples, rate_hz).count(pitch_hz) * _WINDOW_S


def order(samples: NDArray[np.int16], rate_hz: int) -> list[int]:
    """The pitches in order, each once for a run; silence and single windows (edges) left out."""
    found = [p for p in pitches(samples, rate_hz) if p]
    runs = [(pitch, len(list(group))) for pitch, group in groupby(found)]
    return [pitch for pitch, _ in groupby(pitch for pitch, length in runs if length > 1)]


def _pitch(window: NDArray[np.float64], rate_hz: int) -> int:
    if np.abs(window).max() < _FLOOR:
        return 0
    times = np.arange(len(window)) / rate_hz
    power = [abs(np.exp(-2j * np.pi * hz * times) @ window) for hz in PITCHES_HZ]
    return PITCHES_HZ[int(np.argmax(power))]

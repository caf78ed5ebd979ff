"""The test tone: made, and found again in a recording."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

TONE_HZ = 1_000
TONE_S = 0.5
TONE_DBFS = -20.0
"""Clearly heard, never loud."""

FRAME_S = 0.02
_FADE_S = 0.01
_PURITY = 0.5
"""A frame is the tone where half its energy is within one frame's bandwidth of it."""

_FLOOR_DBFS = -120.0


@dataclass(frozen=True)
class Finding:
    """``onset_s`` is when the tone begins in the recording, None when it is not in it.

    Levels are RMS over the frames with the tone, and over those before it (or all).
    """

    onset_s: float | None
    tone_dbfs: float
    noise_dbfs: float


def make_tone(rate_hz: int) -> NDArray[np.int16]:
    """``TONE_S`` of it, faded in and out."""
    times = np.arange(round(TONE_S * rate_hz)) / rate_hz
    peak = np.sqrt(2) * 32_767 * 10 ** (TONE_DBFS / 20)
    fade = np.minimum(1.0, np.minimum(times, TONE_S - times) / _FADE_S)
    wave: NDArray[np.float64] = peak * fade * np.sin(2 * np.pi * TONE_HZ * times)
    return np.round(wave).astype(np.int16)


def find_tone(recording: NDArray[np.int16], rate_hz: int) -> Finding:
    """Look for the tone, frame by frame."""
    size = round(FRAME_S * rate_hz)
    frames = recording[: len(recording) // size * size].reshape(-1, size).astype(np.float64)
    if not len(frames):
        return Finding(None, _FLOOR_DBFS, _FLOOR_DBFS)
    power = np.mean(frames**2, axis=1)
    wave = np.exp(-2j * np.pi * TONE_HZ * np.arange(size) / rate_hz)
    at_tone = 2 * np.abs(frames @ wave / size) ** 2  # a pure tone's whole power
    is_tone = at_tone > _PURITY * np.maximum(power, 1.0)
    found = _first_run(is_tone)
    if found is None:
        return Finding(None, _FLOOR_DBFS, _dbfs(power))
    before = power[: max(0, found - 1)]  # the frame before the first may hold its beginning
    return Finding(found * FRAME_S, _dbfs(power[is_tone]), _dbfs(before))


def _first_run(flags: NDArray[np.bool_], length: int = 3) -> int | None:
    """Where ``length`` in a row begin: a single frame of a voice may pass for a tone."""
    for start in range(len(flags) - length + 1):
        if flags[start : start + length].all():
            return start
    return None


def _dbfs(power: NDArray[np.float64]) -> float:
    mean = float(power.mean()) if len(power) else 0.0
    return max(_FLOOR_DBFS, 10 * float(np.log10(max(mean, 1e-12) / 32_768**2)))

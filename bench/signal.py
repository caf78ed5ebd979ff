"""What can be read off a waveform: level, silence before it, steps where chunks meet."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

_FRAME_S = 0.02
_ACTIVE_DB = 40
"""Frames this far below the loudest are pauses and do not count for the level."""
_AUDIBLE = 0.003
"""-50 dB of full scale: where ``speech.kokoro.silence`` hears a sound begin."""
_NEIGHBOURHOOD_S = 0.01

Samples = NDArray[Any]


def as_float(samples: Samples) -> NDArray[np.float64]:
    """Samples as numbers of -1 to 1, from int16 or float."""
    scale = 32768.0 if samples.dtype == np.int16 else 1.0
    return np.asarray(samples, np.float64) / scale


def level_db(samples: Samples, rate_hz: int) -> float | None:
    """Level of the speech, pauses left out, in dB of full scale; None for silence."""
    frame = round(_FRAME_S * rate_hz)
    audio = as_float(samples)
    usable = len(audio) // frame * frame
    power = np.mean(audio[:usable].reshape(-1, frame) ** 2, axis=1)
    if not power.any():
        return None
    active = power[power >= np.max(power) * 10 ** (-_ACTIVE_DB / 10)]
    return 10 * math.log10(float(np.mean(active)))


def lead_silence_s(samples: Samples, rate_hz: int) -> float | None:
    """Seconds before the first audible sample; None where none is."""
    audible = np.flatnonzero(np.abs(as_float(samples)) > _AUDIBLE)
    return float(audible[0]) / rate_hz if audible.size else None


def border_step(samples: Samples, borders: Sequence[int]) -> float | None:
    """The largest step onto a chunk's first sample against the largest elsewhere.

    Above 1 a border sticks out of the whole signal. ``borders``: index of the first sample
    of every chunk but the first. None without a border, or where the signal never moves.
    """
    steps = np.abs(np.diff(as_float(samples)))
    at = np.asarray([border - 1 for border in borders if 0 < border <= len(steps)], int)
    elsewhere = np.delete(steps, at)
    if not at.size or not elsewhere.size or not elsewhere.max():
        return None
    return float(steps[at].max() / elsewhere.max())


def border_step_nearby(samples: Samples, borders: Sequence[int], rate_hz: int) -> float | None:
    """Median over borders of the step there against the largest within 10 ms of it.

    About what any place gives (0.3 in speech) where borders cannot be heard; 1 where every
    border clicks, also in a quiet stretch that ``border_step`` is blind to.
    """
    steps = np.abs(np.diff(as_float(samples)))
    reach = round(_NEIGHBOURHOOD_S * rate_hz)
    shares = []
    for border in borders:
        at = border - 1
        near = steps[max(0, at - reach) : at + reach + 1]
        if 0 <= at < len(steps) and near.max():
            shares.append(steps[at] / near.max())
    return float(np.median(shares)) if shares else None

"""Fades at the ends of a stretch of sound."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Audio = NDArray[np.float32]


def fade_in(audio: Audio, samples: int) -> Audio:
    """``audio`` rising from silence over its first ``samples``; a copy."""
    count = min(samples, len(audio))
    faded = audio.copy()
    faded[:count] *= np.linspace(0, 1, count, endpoint=False, dtype=np.float32)
    return faded


def fade_out(audio: Audio, samples: int) -> Audio:
    """``audio`` falling to silence over its last ``samples``; a copy."""
    return fade_in(audio[::-1], samples)[::-1]

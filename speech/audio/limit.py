"""Peaks above full scale, made round instead of cut off."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_KNEE = 0.8
"""Of full scale, -1.9 dB: everything below passes untouched."""


def soft_limit(samples: NDArray[np.float32]) -> NDArray[np.float32]:
    """Samples within ±1.0; only those above the knee change.

    Kokoro goes up to 1.33 (``am_adam``, "Five."), where a plain clip crackles. The curve has
    no memory, so that a stream in chunks comes out as the whole would, and no gain to settle.
    """
    over = np.abs(samples) - np.float32(_KNEE)
    room = np.float32(1.0 - _KNEE)
    rounded = np.copysign(np.float32(_KNEE) + room * np.tanh(over / room), samples)
    limited: NDArray[np.float32] = np.where(over > 0, rounded, samples).astype(np.float32)
    return limited

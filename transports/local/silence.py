"""Tells a dead microphone from a quiet room."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

SILENT_PEAK = 16
"""-66 dBFS: a muted input gives zeros or a bit of dither; a quiet room at a working
microphone is louder."""


class SilenceWatch:
    """Says ``silent`` once after ``after_s`` of nothing, ``heard`` once when sound is back.

    An offset (DC) is not sound: what counts is the range within a block. ``after_s`` 0
    switches the watch off.
    """

    def __init__(self, after_s: float) -> None:
        self._after_s = after_s
        self._quiet_samples = 0
        self._said = False

    def feed(self, samples: NDArray[np.int16], rate_hz: int) -> Literal["silent", "heard"] | None:
        """News after this block, if there is any."""
        if self._after_s <= 0 or not len(samples):
            return None
        if int(np.ptp(samples.astype(np.int32))) > 2 * SILENT_PEAK:
            return self._heard()
        self._quiet_samples += len(samples)
        if self._said or self._quiet_samples < self._after_s * rate_hz:
            return None
        self._said = True
        return "silent"

    def _heard(self) -> Literal["heard"] | None:
        self._quiet_samples = 0
        said, self._said = self._said, False
        return "heard" if said else None

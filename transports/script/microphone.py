"""A microphone without a device: clips at set times, silence between."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MAX_PENDING_S = 900.0
"""Speech waiting to be played; a longer script is refused."""


@dataclass(frozen=True, slots=True)
class Clip:
    """Samples that begin at position ``start`` of the user's track."""

    start: int
    samples: NDArray[np.int16]

    @property
    def end(self) -> int:
        """The position after the last sample."""
        return self.start + len(self.samples)


class ScriptedMicrophone:
    """What the user says, cut into frames as a device would hand it over.

    Clips may overlap (a cough over speech); they are added and clipped to int16.
    """

    def __init__(self, rate_hz: int) -> None:
        self.rate_hz = rate_hz
        self.position = 0
        self._clips: list[Clip] = []

    def add(self, samples: NDArray[np.int16], at_s: float) -> Clip:
        """Book ``samples`` at ``at_s`` seconds after the start, or next where that is past.

        Raises ``ValueError`` beyond ``MAX_PENDING_S`` of waiting speech.
        """
        pending = sum(len(clip.samples) for clip in self._clips)
        if pending + len(samples) > MAX_PENDING_S * self.rate_hz:
            raise ValueError(f"more than {MAX_PENDING_S:.0f} s of user audio wait to be played")
        clip = Clip(max(self.position, math.ceil(at_s * self.rate_hz)), samples)
        self._clips.append(clip)
        return clip

    def read(self, count: int) -> NDArray[np.int16]:
        """The next ``count`` samples."""
        start, end = self.position, self.position + count
        total = np.zeros(count, np.int32)
        for clip in self._clips:
            lo, hi = max(start, clip.start), min(end, clip.end)
            if lo < hi:
                total[lo - start : hi - start] += clip.samples[lo - clip.start : hi - clip.start]
        self.position = end
        self._clips = [clip for clip in self._clips if clip.end > end]
        return np.clip(total, -32_768, 32_767).astype(np.int16)

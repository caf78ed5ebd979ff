"""Smoothing of a yes/no voice detector, with hysteresis."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field


@dataclass
class VoiceSmoother:
    """Turns a detector's flickering decisions into runs: ``push`` one window, get voice or not.

    Voice begins when ``on`` of the last ``window`` decisions say so and ends when no more than
    ``off`` do; between the two the answer stays. From silence, steady voice is answered after
    ``on`` windows; from full voice, steady silence after ``window - off`` windows.

    The defaults are for windows of 20 ms: onset and release 140 ms. Seven of ten passes the gaps
    of a detector that misses every third window; a click never reaches it, of which WebRTC's
    detector, by its own hangover, makes five or six windows of voice.
    """

    window: int = 10
    on: int = 7
    off: int = 3
    voiced: bool = False
    _recent: deque[bool] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not 0 <= self.off < self.on <= self.window:
            raise ValueError("0 <= off < on <= window is required")
        self._recent = deque([False] * self.window, maxlen=self.window)

    @property
    def onset_windows(self) -> int:
        """Windows of steady voice until ``push`` says so, from silence."""
        return self.on

    @property
    def release_windows(self) -> int:
        """Windows of steady silence until ``push`` says so, from full voice."""
        return self.window - self.off

    def push(self, decision: bool) -> bool:
        """Add the detector's decision on the next window; the smoothed answer."""
        self._recent.append(decision)
        count = sum(self._recent)
        if count >= self.on:
            self.voiced = True
        elif count <= self.off:
            self.voiced = False
        return self.voiced

    def reset(self) -> None:
        """Forget everything: the next decision follows silence."""
        self._recent.extend([False] * self.window)
        self.voiced = False

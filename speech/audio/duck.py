"""Sound that fades out where it is, waits, and goes on from the same sample."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FADE_MS = 30
"""Of the 20 to 40 ms in which a fade is neither a click nor late: at 24 kHz the gain moves 0.0022
a sample at most, under a hundredth of what a full 1 kHz tone moves by itself."""

CUT_MS = 8
"""A cut out of full sound: the steepest step is 0.8 % of full scale at 24 kHz, and with 20 ms of
device latency the last sample is audible 28 ms later (of 40 ms that are allowed)."""

Samples = NDArray[np.int16]


class Duck:
    """A gain on the way to the device, one for each stream.

    ``duck``, ``resume`` and ``cut`` count from the next output sample. Faded out, no source
    is used (``wanted`` is 0) and the output is silence, so a resume goes on with the first source
    sample that was not played: each is played once, in order. A change of direction in mid-fade
    turns around at the gain reached. Any split into blocks gives the same samples.
    """

    def __init__(self, rate_hz: int, fade_ms: float = FADE_MS, cut_ms: float = CUT_MS) -> None:
        if rate_hz < 1 or min(fade_ms, cut_ms) <= 0:
            raise ValueError("rate and fades are positive")
        self._curve = _curve(rate_hz, fade_ms)
        self._cut_curve = _curve(rate_hz, cut_ms)
        self._top = len(self._curve) - 1
        self._place = self._top
        self._direction = 1
        self._cut_from = 0.0
        self._cut_place: int | None = None

    @property
    def gain(self) -> float:
        """The gain of the sample before the next one, 0 to 1."""
        if self._cut_place is not None:
            return float(self._cut_from * self._cut_curve[self._cut_place])
        return float(self._curve[self._place])

    @property
    def silent(self) -> bool:
        """Faded out whole: source is held (ducked) or of no use any more (cut)."""
        return self.gain == 0.0 and (self._direction < 0 or self._cut_place is not None)

    def duck(self) -> None:
        """Fade out and hold."""
        self._direction = -1

    def resume(self) -> None:
        """Ramp back to full gain and go on; nothing after a cut."""
        self._direction = 1

    def cut(self) -> None:
        """Fade out fast and stay silent: the source may be thrown away. For ever, until ``reset``.

        Out of a finished duck that is at once.
        """
        if self._cut_place is None:
            self._cut_from = self.gain
            self._cut_place = len(self._cut_curve) - 1 if self._cut_from else 0

    def reset(self) -> None:
        """The next reply: full gain."""
        self._place, self._direction, self._cut_place = self._top, 1, None

    def wanted(self, frames: int) -> int:
        """How many source samples the next ``frames`` output samples use; 0 to ``frames``."""
        if self._cut_place is not None:
            return min(frames, self._cut_place)
        return frames if self._direction > 0 else min(frames, self._place)

    def apply(self, source: Samples, frames: int) -> Samples:
        """The next ``frames`` samples for the device, int16 mono.

        ``source`` holds exactly ``wanted(frames)`` samples (else ``ValueError``): an underrun is
        padded and counted by the caller.
        """
        used = self.wanted(frames)
        if len(source) != used:
            raise ValueError(f"{used} source samples are wanted, got {len(source)}")
        output = np.zeros(frames, np.int16)
        output[:used] = np.rint(source * self._gains(used))
        return output

    def _gains(self, count: int) -> NDArray[np.float64]:
        steps = np.arange(1, count + 1)
        if self._cut_place is not None:
            places = self._cut_place - steps
            self._cut_place -= count
            return self._cut_from * self._cut_curve[places]
        places = np.clip(self._place + self._direction * steps, 0, self._top)
        if count:
            self._place = int(places[-1])
        return self._curve[places]


def _curve(rate_hz: int, fade_ms: float) -> NDArray[np.float64]:
    """Half a cosine from 0 to 1: its slope is 0 at both ends, so it begins and ends unheard."""
    steps = max(1, round(rate_hz * fade_ms / 1000))
    rising: NDArray[np.float64] = 0.5 - 0.5 * np.cos(np.pi * np.arange(steps + 1) / steps)
    return rising

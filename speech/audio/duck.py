"""Sound that fades out where it is, waits, and goes on from the same sample."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FADE_MS = 20
"""Of the 20 to 40 ms in which a fade is neither a click nor late, the soonest: at 24 kHz the gain
moves 0.0033 a sample at most, a fiftieth of what a full 1 kHz tone moves by itself."""

CUT_MS = 8
"""A cut out of full sound: the steepest step is 0.8 % of full scale at 24 kHz, and with 30 ms of
device latency the last sample is audible 38 ms later (of 40 ms that are wanted)."""

Samples = NDArray[np.int16]


class Duck:
    """A gain on the way to the device, one for each stream.

    ``duck`` and ``resume`` count from the next output sample. Faded out, no source
    is used (``wanted`` is 0) and the output is silence, so a resume goes on with the first source
    sample that was not played: each is played once, in order. A change of direction in mid-fade
    turns around at the gain reached. Any split into blocks gives the same samples.
    """

    def __init__(self, rate_hz: int, fade_ms: float = FADE_MS, cut_ms: float = CUT_MS) -> None:
        if rate_hz < 1 or min(fade_ms, cut_ms) <= 0:
            raise ValueError("rate and fades are positive")
        self._curve = rising_curve(rate_hz, fade_ms)
        self._fall = rising_curve(rate_hz, cut_ms)[-2::-1]
        self._top = len(self._curve) - 1
        self._place = self._top
        self._rising = True

    @property
    def gain(self) -> float:
        """The gain of the sample before the next one, 0 to 1."""
        return float(self._curve[self._place])

    @property
    def active(self) -> bool:
        """Fading, or faded out: the sound is not let through as it is."""
        return self._place < self._top or not self._rising

    @property
    def silent(self) -> bool:
        """Faded out whole: the source is held."""
        return self._place == 0 and not self._rising

    def duck(self) -> None:
        """Fade out and hold."""
        self._rising = False

    def resume(self) -> None:
        """Ramp back to full gain and go on."""
        self._rising = True

    def moved(self, rate_hz: int) -> Duck:
        """For another stream, on which nothing sounds yet that could fade: held if this one is
        ducked, else at full gain."""
        duck = Duck(rate_hz)
        if not self._rising:
            duck._place, duck._rising = 0, False
        return duck

    def cut(self) -> NDArray[np.float64]:
        """The gains of a fast fade-out from here, for the samples that come next; the rest of the
        source may be thrown away. None of them out of a finished duck. What comes behind them has
        full gain: it is another reply's."""
        gains = self.gain * self._fall if self._place else np.zeros(0)
        self._place, self._rising = self._top, True
        return gains

    def wanted(self, frames: int) -> int:
        """How many source samples the next ``frames`` output samples use; 0 to ``frames``."""
        return frames if self._rising else min(frames, self._place)

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
        places = np.clip(self._place + (steps if self._rising else -steps), 0, self._top)
        if count:
            self._place = int(places[-1])
        return self._curve[places]


def rising_curve(rate_hz: int, fade_ms: float) -> NDArray[np.float64]:
    """Half a cosine from 0 to 1: its slope is 0 at both ends, so it begins and ends unheard."""
    steps = max(1, round(rate_hz * fade_ms / 1000))
    rising: NDArray[np.float64] = 0.5 - 0.5 * np.cos(np.pi * np.arange(steps + 1) / steps)
    return rising

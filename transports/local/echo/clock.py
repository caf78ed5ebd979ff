"""A device's sample counter against the clock, smooth enough for an adaptive filter."""

from __future__ import annotations

from collections import deque
from statistics import median
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

SETTLE_BLOCKS = 25
"""Half a second of 20 ms blocks, whose median says when the stream began. A stream's first
stamps are wrong (PulseAudio: no latency at all), and no bot speaks so early."""

BUCKET_S = 1.0
"""Stamps are gathered into medians of this long: a stamp may be late, by a busy thread, or wander
(seen with PulseAudio's capture: 2 ms rms within a second)."""

BUCKETS = 60
"""A minute decides how fast the device runs. Wrongly believed speed costs more than drift does."""

FEWEST_BUCKETS = 15
MOST_DRIFT = 500e-6
"""Cheap crystals are within 100 ppm, virtual devices that follow another one within 300."""

CATCH_UP_S = 10.0
MOST_CATCH_UP = 20e-6
"""How an error is worked off: slower than 50 ppm, which WebRTC's canceller follows without loss
(docs/echo.md); a millisecond of wander within 3 s costs it 30 dB."""

JUMP_S = 0.015
JUMP_BLOCKS = 10
"""Stamps this far off, each of so many in a row, are no noise: the device lost or skipped audio."""

Indices = TypeVar("Indices", float, NDArray[np.float64])


class Line(NamedTuple):
    """Which sample at which second: a device that runs ``drift`` slower than ``rate_hz``."""

    rate_hz: int
    offset_s: float = 0.0
    drift: float = 0.0
    pivot: float = 0.0

    def time_of(self, index: Indices) -> Indices:
        """When this sample sounds, or came in."""
        return self.offset_s + (index + self.drift * (index - self.pivot)) / self.rate_hz

    def index_of(self, at: Indices) -> Indices:
        """The sample of this moment; a fraction."""
        turned = (at - self.offset_s) * self.rate_hz + self.drift * self.pivot
        return turned / (1.0 + self.drift)

    def error_s(self, index: int, at: float) -> float:
        """How much later than on the line."""
        return at - self.time_of(float(index))

    def bent(self, index: int, drift: float) -> Line:
        """The same up to here, then another speed."""
        here_s = self.time_of(float(index)) - index / self.rate_hz
        return Line(self.rate_hz, here_s, drift, index)


class _Bucket(NamedTuple):
    at_s: float
    offset_s: float


class DeviceClock:
    """Maps sample numbers to seconds and back, from the stamps that the blocks come with.

    ``line`` is continuous and its speed hardly changes, whatever the noise of the stamps; it
    follows a device that runs fast or slow. ``note`` says when the stamps have jumped instead:
    the line then starts afresh. Times in seconds on the caller's clock. Blocks come in order
    and each is some 10 to 50 ms long.
    """

    def __init__(self, rate_hz: int) -> None:
        self.line = Line(rate_hz)
        self._begin([], 0)

    def note(self, index: int, at: float) -> bool:
        """Sample ``index`` is stamped ``at``; True when the stamps have jumped."""
        offset_s = at - index / self.line.rate_hz
        if len(self._first) < SETTLE_BLOCKS:
            self._settle([*self._first, offset_s])
            return False
        self._errors.append(self.line.error_s(index, at))
        if len(self._errors) == JUMP_BLOCKS and _all_off(self._errors):
            here_s = offset_s - self._errors[-1]
            self._begin([here_s + error_s for error_s in self._errors], index)
            return True
        self._gather(index, offset_s)
        return False

    def _begin(self, offsets_s: list[float], index: int) -> None:
        self._errors: deque[float] = deque(maxlen=JUMP_BLOCKS)
        self._gathering: list[float] = []
        self._gathering_from = index
        self._buckets: deque[_Bucket] = deque(maxlen=BUCKETS)
        self._settle(offsets_s)

    def _settle(self, offsets_s: list[float]) -> None:
        self._first = offsets_s
        self.line = Line(self.line.rate_hz, median(offsets_s) if offsets_s else 0.0)

    def _gather(self, index: int, offset_s: float) -> None:
        self._gathering.append(offset_s)
        rate_hz = self.line.rate_hz
        if index - self._gathering_from < BUCKET_S * rate_hz:
            return
        middle_s = (self._gathering_from + index) / 2 / rate_hz
        self._buckets.append(_Bucket(middle_s, median(self._gathering)))
        self._gathering, self._gathering_from = [], index
        self.line = self._steered(index)

    def _steered(self, index: int) -> Line:
        """From here on at the speed measured, and what the line is wrong by is worked off."""
        target_s, drift = _fit(self._buckets, index / self.line.rate_hz)
        behind = (target_s - self.line.bent(index, 0.0).offset_s) / CATCH_UP_S
        return self.line.bent(index, drift + float(np.clip(behind, -MOST_CATCH_UP, MOST_CATCH_UP)))


def _all_off(errors_s: deque[float]) -> bool:
    return min(errors_s) > JUMP_S or max(errors_s) < -JUMP_S


def _fit(buckets: deque[_Bucket], here_s: float) -> tuple[float, float]:
    """The offset now and its slope, of which only as much is believed as stands out of noise."""
    at, offset = np.array(buckets, np.float64).T
    middle_s, level_s = float(at.mean()), float(offset.mean())
    if len(buckets) < FEWEST_BUCKETS:
        return level_s, 0.0
    spread = float(((at - middle_s) ** 2).sum())
    slope = float(((at - middle_s) * offset).sum()) / spread
    noise = offset - level_s - slope * (at - middle_s)
    # Neighbours wander together, with PulseAudio for ten seconds and more: the variance times 16.
    doubt = 16.0 * float(noise.var()) / spread
    slope *= slope**4 / (slope**4 + (16.0 * doubt) ** 2 + 1e-36)  # half at four deviations
    slope = float(np.clip(slope, -MOST_DRIFT, MOST_DRIFT))
    return level_s + slope * (here_s - middle_s), slope

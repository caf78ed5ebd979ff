"""A bound on how much a peer may send: a little faster than real time, with bursts."""

from __future__ import annotations

import time
from collections.abc import Callable
from enum import Enum, auto

BURST_S = 5.0
"""Audio taken at once: what a stalled network delivers late."""

PACE = 1.1
"""Seconds of audio taken per second: above 1, so that after a burst a caller in real time is
soon allowed another one."""

FLOOD_S = 30.0
"""So much audio beyond that is no late network any more but a peer that floods."""

PARDON = 0.1
"""Seconds of that excess forgiven per second, so that stalls far apart do not add up."""

LEAST_S = 0.005
"""What any message costs; carriers send at most one in 10 ms."""


class Verdict(Enum):
    """What to do with a message."""

    TAKE = auto()
    DROP = auto()
    HANG_UP = auto()


class Pace:
    """Token bucket over the seconds of audio that a peer sends.

    Takes at most ``BURST_S`` + ``PACE`` × the time that has passed since it was made. What
    comes beyond is dropped, newest first, so that nothing has to be kept for it.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._then = clock()
        self._credit_s = BURST_S
        self._excess_s = 0.0

    def judge(self, audio_s: float) -> Verdict:
        """Whether a message with ``audio_s`` seconds of audio (0 for none) may pass."""
        cost = max(audio_s, LEAST_S)
        self._let_time_pass()
        if cost <= self._credit_s:
            self._credit_s -= cost
            return Verdict.TAKE
        self._excess_s += cost
        return Verdict.HANG_UP if self._excess_s > FLOOD_S else Verdict.DROP

    def _let_time_pass(self) -> None:
        now = self._clock()
        passed, self._then = now - self._then, now
        self._credit_s = min(BURST_S, self._credit_s + PACE * passed)
        self._excess_s = max(0.0, self._excess_s - PARDON * passed)

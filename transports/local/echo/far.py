"""What was played, to be read by the time at which it sounded."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from transports.local.capture import CaptureBuffer, Stamped
from transports.local.echo.clock import DeviceClock, Line
from transports.local.echo.interpolate import interpolate

KEPT_S = 5.0
"""A device holds up to 1 s ahead (audio.latency_s), and the microphone's blocks wait up to 2 s."""

_STRETCHES = 4
"""Streams, or parts of one between two jumps, that are remembered; each is soon too old."""


class _Inbox(NamedTuple):
    rate_hz: int
    blocks: CaptureBuffer


class FarEnd:
    """The last ``KEPT_S`` of what the device was given. Silence where nothing was.

    ``played`` is for the device's thread: it copies and returns. All else is for one other
    thread. A stream at another rate, and a jump of its stamps, begin a new stretch, which
    overrides what an older one had for the same time: a device that was restarted never
    played that. Bound: when nobody reads, the oldest goes.
    """

    def __init__(self) -> None:
        self.stretches = 0
        """How many there have been so far."""
        self._inbox = _Inbox(0, CaptureBuffer(1))
        self._clock = DeviceClock(1)
        self._stretches: list[_Stretch] = []

    def played(
        self, samples: NDArray[np.int16], at: float, rate_hz: int, ran_dry: bool = False
    ) -> None:
        """Mono ``samples``, the first of which sounds at ``at`` (seconds); in any one thread.

        ``ran_dry``: not right behind those before them.
        """
        if rate_hz != self._inbox.rate_hz:
            self._inbox = _Inbox(rate_hz, CaptureBuffer(round(rate_hz * KEPT_S)))
        self._inbox.blocks.put(samples, at, ran_dry)

    def take(self) -> None:
        """Sort in what was played since."""
        rate_hz, blocks = self._inbox
        for block in blocks.take():
            self._append(block, rate_hz)

    @property
    def known_until(self) -> float:
        """Up to when it is known what will sound; minus infinity before anything was played."""
        return self._stretches[-1].end_s if self._stretches else float("-inf")

    @property
    def drift(self) -> float:
        """How much more slowly than its rate the device runs: 1e-4 is 100 ppm."""
        return self._clock.line.drift

    @property
    def waiting_use(self) -> tuple[float, float]:
        """The most that ever waited for ``take``, and what went for it, in seconds."""
        rate_hz, blocks = self._inbox
        return blocks.high_water / max(rate_hz, 1), blocks.dropped / max(rate_hz, 1)

    def read(self, at: float, count: int, rate_hz: int) -> NDArray[np.int16]:
        """``count`` samples at ``rate_hz`` that sound from ``at`` on."""
        times = at + np.arange(count) / rate_hz
        out = np.zeros(count)
        missing = count
        for stretch in reversed(self._stretches):
            missing = stretch.fill(out[:missing], times[:missing], rate_hz)
        return np.rint(np.clip(out, -32_768, 32_767)).astype(np.int16)

    def _append(self, block: Stamped, rate_hz: int) -> None:
        if self._clock.line.rate_hz != rate_hz or not self._stretches:
            self._clock = DeviceClock(rate_hz)
            self._begin(0)
        elif block.lost:
            self._clock = DeviceClock(rate_hz)
            self._begin(self._stretches[-1].next)
        stretch = self._stretches[-1]
        if self._clock.note(stretch.next, block.at):
            stretch = self._begin(stretch.next)
        stretch.append(block.samples, self._clock.line)

    def _begin(self, index: int) -> _Stretch:
        self.stretches += 1
        self._stretches = [*self._stretches[1 - _STRETCHES :], _Stretch(index)]
        return self._stretches[-1]


class _Stretch:
    """Samples that follow each other without a jump, numbered from ``first`` on."""

    def __init__(self, first: int) -> None:
        self.next = first
        self._first = first
        self._line = Line(1)
        self._held = np.zeros(0, np.int16)
        self._count = 0

    @property
    def end_s(self) -> float:
        return self._line.time_of(float(self.next))

    def append(self, samples: NDArray[np.int16], line: Line) -> None:
        self._line = line
        self._make_room(len(samples), round(line.rate_hz * KEPT_S))
        self._held[self._count : self._count + len(samples)] = samples
        self._count += len(samples)
        self.next += len(samples)

    def fill(self, out: NDArray[np.float64], times: NDArray[np.float64], rate_hz: int) -> int:
        """Fill in what belongs here; how many at the beginning are older than the stretch."""
        places = self._line.index_of(times)
        older = int(np.searchsorted(places, self._first))
        if older < len(places) and self._count:
            held = self._held[: self._count]
            begin = self.next - self._count
            ratio = self._line.rate_hz / rate_hz
            out[older:] = interpolate(held, places[older:] - begin, ratio)
        return older

    def _make_room(self, count: int, kept: int) -> None:
        """Twice as much room as is kept, so that the samples are seldom moved."""
        if self._count + count <= len(self._held):
            return
        stay = self._held[max(0, self._count - kept) : self._count]
        held = np.zeros(max(2 * kept, len(stay) + count), np.int16)
        held[: len(stay)] = stay
        self._held, self._count = held, len(stay)

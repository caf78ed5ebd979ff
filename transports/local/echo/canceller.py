"""Joins what is played and what is heard, by the time of both."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
from loguru import logger
from numpy.typing import NDArray

from speech.queues import QueueUse
from transports.local.echo.clock import DeviceClock
from transports.local.echo.delay import EchoDelay
from transports.local.echo.far import KEPT_S, FarEnd
from transports.local.echo.processing import AudioProcessing
from transports.local.echo.state import EchoState

FRAME_S = 0.01
"""What WebRTC's processing takes."""

LEAD_S = 0.04
"""How much earlier than it sounds the canceller is told of a sound, at first. An echo that came
before its sound could not be cancelled (seen: 2 ms early leaves 5 dB of 36), and a device's
stamps may be wrong by a buffer."""

SHORT_S, GOOD_S, LONG_S = 0.004, 0.012, 0.03
"""How much later than what it is told the canceller is to hear the echo: once the delay has been
found, sounds are told so that it is ``GOOD_S``, and again when it leaves the other two. Of delays
of 5 to 20 ms it learns a long room in 1 s, of 80 and 200 ms hardly ever (docs/echo.md)."""

SLACK_S = 0.005
STARVED_BLOCKS = 10
"""So many in a row are a device with little latency; fewer may be one that ran dry."""

Samples = NDArray[np.int16]


@dataclass(slots=True)
class EchoStats:
    """Counters since the beginning, and the state at this moment."""

    frames: int = 0
    stretches: int = 0
    """Times the speaker's sound began anew: a stream, or a jump because it lost audio."""
    jumps: int = 0
    """The same jumps of the microphone."""
    starved: int = 0
    """Blocks for which it was not known yet what would sound; many make the lead shorter."""
    failed: int = 0
    """Frames that the library refused; they went on uncleaned."""
    lead_ms: float = LEAD_S * 1000
    """How much earlier than it sounds the canceller is told of a sound; negative: later."""
    delay_ms: float | None = None
    """How much later than the devices say the microphone hears a sound; None: not found yet."""
    drift_ppm: float = 0.0
    """How much more slowly the speaker runs than the microphone."""

    def as_dict(self) -> dict[str, float | None]:
        """For JSON."""
        return asdict(self)


class EchoCanceller:
    """``played`` in the device's thread, all else in one other thread, which it keeps busy for
    some 0.2 ms each 10 ms.

    Both are told by device time: ``played`` when its first sample sounds, ``captured`` when its
    first came in, in seconds on one clock. The stamps may be noisy and late; rates may differ
    and drift; devices may come and go. How the sound is cut into blocks does not matter.
    """

    def __init__(self, processing: AudioProcessing, rate_hz: int, *, cancels: bool = True) -> None:
        """``rate_hz``: of what is captured. ``cancels``: what ``processing`` was opened for."""
        self.cancels = cancels
        self.stats = EchoStats()
        self.state = EchoState()
        self._processing = processing
        self._rate_hz = rate_hz
        self._frame = round(rate_hz * FRAME_S)
        self._far = FarEnd()
        self._lead_s = LEAD_S
        self._delay = EchoDelay(rate_hz)
        self._stretches = 0
        self._short: list[float] = []
        self.microphone_opened()

    def played(self, samples: Samples, at: float, rate_hz: int, ran_dry: bool = False) -> None:
        """What the device was handed: mono, at its rate. Copies and returns.

        ``ran_dry``: before it the device had nothing to play, so its stamps begin anew.
        """
        self._far.played(samples, at, rate_hz, ran_dry)

    @property
    def use(self) -> QueueUse:
        """Of what was played and waits to be put beside what is heard."""
        high_s, lost_s = self._far.waiting_use
        return QueueUse("echo", "s", KEPT_S, "the oldest goes", round(high_s, 3), round(lost_s, 3))

    def microphone_opened(self) -> None:
        """A new stream, or lost audio: what was held back of the old one is dropped."""
        self._clock = DeviceClock(self._rate_hz)
        self._rest = np.zeros(0, np.int16)
        self._taken = 0

    def captured(self, samples: Samples, at: float) -> Samples:
        """The cleaned samples that are ready: whole frames, so up to 10 ms are held back."""
        self._far.take()
        if self._clock.note(self._taken, at):
            self.stats.jumps += 1
            self._misaligned()
        first = self._taken - len(self._rest)
        self._taken += len(samples)
        held = np.concatenate([self._rest, samples])
        whole = len(held) // self._frame * self._frame
        self._rest = held[whole:]
        return self._clean(held[:whole], first)

    def _clean(self, near: Samples, index: int) -> Samples:
        if not len(near):
            return near
        at = self._clock.line.time_of(float(index))
        self._keep_lead(at + len(near) / self._rate_hz)
        far = self._far.read(at + self._lead_s, len(near), self._rate_hz)
        begins = range(0, len(near), self._frame)
        frames = [slice(begin, begin + self._frame) for begin in begins]
        cleaned = np.concatenate([self._clean_frame(far[part], near[part]) for part in frames])
        self._report()
        return cleaned

    def _clean_frame(self, far: Samples, near: Samples) -> Samples:
        self.stats.frames += 1
        try:
            clean = self._processing.process(far, near, GOOD_S)
        except RuntimeError as error:
            if not self.stats.failed:
                logger.warning("echo cancellation fails: {}", error)
            self.stats.failed += 1
            clean = near
        self.state.note(far, near, clean)
        if self.cancels and (delay_s := self._delay.note(far, near)) is not None:
            self._follow(delay_s)
        return clean

    def _follow(self, delay_s: float) -> None:
        """The canceller hears the echo so much later than it was told of the sound."""
        self.stats.delay_ms = round((delay_s - self._lead_s) * 1000, 1)
        if not SHORT_S <= delay_s <= LONG_S:
            self._lead_s -= delay_s - GOOD_S
            self._misaligned()

    def _misaligned(self) -> None:
        if self.cancels:
            self._processing.restart()
        self.state.misaligned()
        self._delay.restart()

    def _keep_lead(self, end: float) -> None:
        """Rather a shorter lead than sounds of which the canceller is not told."""
        if self._far.stretches != self._stretches:
            self._stretches = self._far.stretches
            self._misaligned()
        known_s = self._far.known_until - end
        if not 0.0 <= known_s < self._lead_s:  # below 0: nothing plays, or it ran dry
            self._short.clear()
            return
        self.stats.starved += 1
        self._short.append(known_s)
        if len(self._short) == STARVED_BLOCKS:
            self._lead_s = max(0.0, min(self._short) - SLACK_S)
            self._short.clear()
            self._delay.restart()

    def _report(self) -> None:
        stats = self.stats
        stats.stretches = self._far.stretches
        stats.lead_ms = self._lead_s * 1000
        stats.drift_ppm = (self._far.drift - self._clock.line.drift) * 1e6

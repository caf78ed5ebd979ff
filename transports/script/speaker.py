"""A loudspeaker without a device: when each sample would be played, and what was cut."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from speech.audio.duck import FADE_MS, rising_curve
from transports.script.track import Track

FADE_S = 0.005
"""A cut fades over 5 ms: shorter is heard as a click, longer as more speech."""

DUCK_S = FADE_MS / 1000


@dataclass(slots=True)
class Span:
    """Samples ``[start, end)`` of the bot's track that belong to one reply."""

    reply_id: str | None
    start: int
    end: int
    interruptible: bool = True


class _Held(NamedTuple):
    samples: NDArray[np.int16]
    reply_id: str | None
    interruptible: bool


class VirtualSpeaker:
    """Plays in real time on ``clock``; sample 0 is the moment ``origin``.

    What is written is booked at once: at the end of what is queued, or now where nothing is.
    Ducked, it holds what is written until ``resume`` books it. A ``Playback``.
    Memory: the track (bounded), one span for each unbroken run of a reply's audio, and what is
    held, for which the writer waits as for what is queued.
    """

    def __init__(self, track: Track, clock: Callable[[], float], origin: float) -> None:
        self.track = track
        self.spans: list[Span] = []
        self.underruns = 0
        self.underrun_s = 0.0
        self._clock = clock
        self._origin = origin
        self._end = 0
        self._ends_s = 0.0
        self._held: list[_Held] | None = None

    @property
    def end_s(self) -> float:
        """When the last sample will have been played, on the clock, if nothing is held longer."""
        return self.time_of(self._end if self._held is None else self._next() + self._held_length)

    def time_of(self, sample: int) -> float:
        """The moment ``sample`` is played, on the clock."""
        return self._origin + sample / self.track.rate_hz

    def write(
        self,
        samples: NDArray[np.int16],
        reply_id: str | None = None,
        *,
        interruptible: bool = True,
        continues: bool = True,
    ) -> float:
        """Book ``samples`` and return the moment the first of them is played.

        A hole before audio that ``continues`` its reply is counted as an underrun.
        """
        if self._held is not None:
            self._held.append(_Held(samples, reply_id, interruptible))
            return self.end_s - len(samples) / self.track.rate_hz
        start = self._next()
        span = self.spans[-1] if self.spans else None
        if span and continues and span.reply_id == reply_id and start > self._end:
            self.underruns += 1
            self.underrun_s += (start - self._end) / self.track.rate_hz
        self._place(start, samples, reply_id, interruptible)
        return self.time_of(start)

    def duck(self) -> float:
        """Fade out from now and hold the rest; the moment from which nothing is audible."""
        if self._held is not None:
            return self.time_of(self._end)
        now = self._now()
        silent = min(now + self._duck_length, max(now, self._end))
        self._held = [self._hold(span, silent) for span in self.spans if span.end > silent]
        self.spans = [span for span in self.spans if span.end > span.start]
        self.track.scale(now, self._rise()[::-1])
        self._end = silent
        return self.time_of(silent)

    def resume(self) -> float | None:
        """Go on with the first held sample; the moment at which it is played. None: not ducked."""
        if self._held is None:
            return None
        held, self._held = self._held, None
        start = self._next()
        for piece in held:
            self._place(self._next(), piece.samples, piece.reply_id, piece.interruptible)
        self.track.scale(start, self._rise())
        return self.time_of(start)

    def flush(self) -> int:
        """Drop the unplayed interruptible samples with a short fade; returns how many."""
        self._ends_s = self.heard_s
        return self._flush_booked() + self._flush_held()

    def _flush_held(self) -> int:
        held, self._held = self._held or [], None
        for piece in held:
            if not piece.interruptible:
                self._place(self._next(), piece.samples, piece.reply_id, False)
        return sum(len(piece.samples) for piece in held if piece.interruptible)

    def _flush_booked(self) -> int:
        now = self._now()
        pending = [span for span in self.spans if span.end > now]
        kept = [span for span in pending if not span.interruptible]
        dropped = 0
        for span in pending:
            if span.interruptible:
                dropped += self._cut(span, max(now, span.start))
        self.spans = [span for span in self.spans if span.end > span.start]
        self._end = max([min(now, self._end), *(span.end for span in kept)])
        return dropped

    def played_s(self, reply_id: str | None) -> float:
        """Seconds of the reply's audio that have been played by now."""
        now = self._now()
        runs = (min(s.end, now) - s.start for s in self.spans if s.reply_id == reply_id)
        return sum(run for run in runs if run > 0) / self.track.rate_hz

    @property
    def booked_s(self) -> float:
        """Seconds of sound booked or held and not dropped."""
        booked = sum(span.end - span.start for span in self.spans)
        return (booked + self._held_length) / self.track.rate_hz

    @property
    def heard_s(self) -> float:
        """Seconds of it that have been played by now."""
        now = self._now()
        runs = (min(span.end, now) - span.start for span in self.spans)
        return sum(run for run in runs if run > 0) / self.track.rate_hz

    @property
    def ends_s(self) -> float:
        """Where the last flush ended the sound."""
        return self._ends_s

    @property
    def _held_length(self) -> int:
        return sum(len(piece.samples) for piece in self._held or ())

    @property
    def _duck_length(self) -> int:
        return round(DUCK_S * self.track.rate_hz)

    def _rise(self) -> NDArray[np.float32]:
        return rising_curve(self.track.rate_hz, FADE_MS)[1:].astype(np.float32)

    def _next(self) -> int:
        return max(self._now(), self._end)

    def _place(
        self, start: int, samples: NDArray[np.int16], reply_id: str | None, interruptible: bool
    ) -> None:
        self.track.place(start, samples)
        self._end = start + len(samples)
        self._book(Span(reply_id, start, self._end, interruptible))

    def _hold(self, span: Span, silent: int) -> _Held:
        start = max(span.start, silent)
        samples = self.track.samples[start : span.end].copy()
        self.track.silence(start, span.end)
        span.end = start
        return _Held(samples, span.reply_id, span.interruptible)

    def _cut(self, span: Span, at: int) -> int:
        fade = min(int(FADE_S * self.track.rate_hz), span.end - at)
        self.track.scale(at, np.linspace(1.0, 0.0, fade, dtype=np.float32))
        self.track.silence(at + fade, span.end)
        dropped = span.end - at
        span.end = at
        return dropped

    def _book(self, span: Span) -> None:
        last = self.spans[-1] if self.spans else None
        same = last and (last.reply_id, last.interruptible) == (span.reply_id, span.interruptible)
        if last and same and last.end == span.start:
            last.end = span.end
        else:
            self.spans.append(span)

    def _now(self) -> int:
        return max(0, math.ceil((self._clock() - self._origin) * self.track.rate_hz))

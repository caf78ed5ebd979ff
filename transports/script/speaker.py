"""A loudspeaker without a device: when each sample would be played, and what was cut."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from transports.script.track import Track

FADE_S = 0.005
"""A cut fades over 5 ms: shorter is heard as a click, longer as more speech."""


@dataclass(slots=True)
class Span:
    """Samples ``[start, end)`` of the bot's track that belong to one reply."""

    reply_id: str | None
    start: int
    end: int
    interruptible: bool = True


class VirtualSpeaker:
    """Plays in real time on ``clock``; sample 0 is the moment ``origin``.

    What is written is booked at once: at the end of what is queued, or now where nothing is.
    Memory: the track (bounded) and one span for each unbroken run of a reply's audio.
    """

    def __init__(self, track: Track, clock: Callable[[], float], origin: float) -> None:
        self.track = track
        self.spans: list[Span] = []
        self.underruns = 0
        self.underrun_s = 0.0
        self._clock = clock
        self._origin = origin
        self._end = 0

    @property
    def end_s(self) -> float:
        """When the last booked sample will have been played, on the clock."""
        return self.time_of(self._end)

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
        start = max(self._now(), self._end)
        span = self.spans[-1] if self.spans else None
        if span and continues and span.reply_id == reply_id and start > self._end:
            self.underruns += 1
            self.underrun_s += (start - self._end) / self.track.rate_hz
        self.track.place(start, samples)
        self._end = start + len(samples)
        self._book(Span(reply_id, start, self._end, interruptible))
        return self.time_of(start)

    def flush(self) -> int:
        """Drop the unplayed interruptible samples with a short fade; returns how many."""
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
        """Seconds of sound booked and not dropped."""
        return sum(span.end - span.start for span in self.spans) / self.track.rate_hz

    @property
    def heard_s(self) -> float:
        """Seconds of it that have been played by now."""
        now = self._now()
        runs = (min(span.end, now) - span.start for span in self.spans)
        return sum(run for run in runs if run > 0) / self.track.rate_hz

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

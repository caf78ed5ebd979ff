"""How much of a unit is computed at a time."""

from __future__ import annotations

import math
from collections import deque
from statistics import median

from speech.kokoro.streaming import CONTEXT_FRAMES, FRAME_RATE_HZ
from speech.scheduler.policy import ALONE, Share

FIRST_FRAMES = 16
"""200 ms: the least that is worth a run of the network, as its context is as much again."""
LONGEST_FRAMES = 128
"""1.6 s: bounds what a cancelled unit computes in vain, and its memory."""
_STEP_FRAMES = 8
_SAFETY = 0.7
"""Share of the buffered sound the next chunk may take to compute, so that one that takes 40 %
longer than the last ones makes no gap."""
_LIMIT = 0.95
"""The same where a smaller chunk would lose more time than it saves."""
_MARGIN = 1.05
"""Chunks are thought to take so much longer when it is decided how small the first may be."""

_GROUP_BORDER_FRAMES = 72
_REMEMBERED = 9
"""Of each group; up to four of them may be wild."""


class SpeedModel:
    """What a chunk costs on this machine: a part for each run and a part for each frame.

    The line through the medians of recent small and of recent large chunks. Shared by all
    sessions of an engine; may be taught from any thread.
    """

    def __init__(
        self, per_frame_s: float = 0.5 / FRAME_RATE_HZ, context_frames: int = CONTEXT_FRAMES
    ) -> None:
        """``per_frame_s`` is believed until the first chunk; ``context_frames`` is the model's."""
        self.context_frames = context_frames
        self._small: deque[tuple[int, float]] = deque(maxlen=_REMEMBERED)
        self._large: deque[tuple[int, float]] = deque(maxlen=_REMEMBERED)
        self.line = (0.0, per_frame_s)

    def learn(self, frames: int, seconds: float) -> None:
        """A chunk of so many frames, context included, took so long."""
        if frames <= 0 or not (math.isfinite(seconds) and seconds > 0):
            return
        group = self._small if frames < _GROUP_BORDER_FRAMES else self._large
        group.append((frames, seconds))
        self.line = self._fitted()

    def seconds(self, frames: int) -> float:
        """What a chunk of so many frames, context included, will take."""
        per_run, per_frame = self.line
        return per_run + per_frame * frames

    def even_frames(self, load: float = 1.0) -> int | None:
        """The least that lasts as long as it takes with its context, if all takes ``load`` times
        as long; None if nothing does."""
        per_run, per_frame = (_MARGIN * load * part for part in self.line)
        gain = 1 / FRAME_RATE_HZ - per_frame
        loss = per_run + 2 * self.context_frames * per_frame
        if loss > gain * LONGEST_FRAMES:
            return None
        return math.ceil(loss / gain / _STEP_FRAMES) * _STEP_FRAMES

    def width(self, start: int, stop: int, frames: int) -> int:
        """Frames that are computed for ``start`` to ``stop`` of a unit of ``frames``."""
        return min(frames, stop + self.context_frames) - max(0, start - self.context_frames)

    def _fitted(self) -> tuple[float, float]:
        groups = [list(group) for group in (self._small, self._large) if group]
        points = [(median(f for f, _ in group), median(s for _, s in group)) for group in groups]
        frames, seconds = points[-1]
        if len(points) == 2:
            per_frame = (seconds - points[0][1]) / (frames - points[0][0])
            per_run = seconds - per_frame * frames
            if per_frame > 0 and per_run >= 0:
                return per_run, per_frame
        return 0.0, seconds / frames


class Playout:
    """Sound handed on and not yet heard, if the listener began as soon as it could."""

    def __init__(self) -> None:
        self._until = -math.inf

    def add(self, seconds: float, now: float) -> None:
        """So much sound was handed on."""
        self._until = max(self._until, now) + seconds

    def ahead_s(self, now: float) -> float:
        """Seconds of sound left. Less than there is where the listener paused."""
        return max(0.0, self._until - now)

    def plays(self, ahead_s: float, now: float) -> None:
        """The listener is known to have at least so much left to play."""
        self._until = max(self._until, now + ahead_s)

    def clear(self) -> None:
        """What was handed on has been thrown away."""
        self._until = -math.inf


class ChunkPlanner:
    """Tiles a unit's frames in order; nothing follows from anything but its arguments.

    With nothing buffered the chunk is small, but not so small that the sound would run out
    after it: on a machine that computes 16 frames with their context in 0.8 of the time they
    last or less, 200 ms; slower ones wait for more sound, up to 1.6 s. Later chunks grow with
    what is buffered.
    """

    def __init__(
        self,
        frames: int,
        speed: SpeedModel,
        *,
        start: int = 0,
        silent_frames: int = 0,
        playout: Playout | None = None,
    ) -> None:
        """Frames ``start`` to ``frames``, of which the first ``silent_frames`` will be cut off.

        A ``playout`` shared by the units of a session makes the first chunk of a unit larger
        while there is sound of the one before.
        """
        self._frames, self._speed = frames, speed
        self._planned = self._delivered = start
        self._silent = silent_frames
        self._load = 1.0
        self._playout = playout if playout is not None else Playout()

    @property
    def done(self) -> bool:
        """Whether every frame has been planned."""
        return self._planned >= self._frames

    def next(self, now: float, share: Share = ALONE) -> tuple[int, int] | None:
        """The stretch to compute next, or None at the end.

        On a shared machine everything takes longer by ``share.load``, and the stretch no longer
        than ``share.longest_s`` unless it is as short as is worth a run.
        """
        start = self._planned
        if self.done:
            return None
        self._load = share.load
        under_way = (start - self._delivered) / FRAME_RATE_HZ
        size = self._size(start, self._playout.ahead_s(now) + under_way)
        longest_s = share.longest_s * share.load
        if self._cost_s(start, size) > longest_s:
            size = self._whole_tail(start, max(FIRST_FRAMES, self._affordable(longest_s)), 0.0)
        self._planned = start + size
        return start, self._planned

    def extend(self, frames: int) -> None:
        """The unit goes on up to here."""
        self._frames = frames

    def delivered(self, stop: int, now: float, seconds: float | None = None) -> None:
        """The frames up to ``stop`` have been handed on, as ``seconds`` of sound if not all."""
        if seconds is None:
            seconds = self._sound_s(stop - self._delivered)
        self._silent = 0
        self._delivered = stop
        self._playout.add(seconds, now)

    def _sound_s(self, frames: int) -> float:
        return max(0, frames - self._silent) / FRAME_RATE_HZ

    def _size(self, start: int, buffered_s: float) -> int:
        size = self._grown(start, buffered_s)
        keeps_up = self._speed.even_frames(self._load) is not None or self._lasts(start, buffered_s)
        if keeps_up and self._cost_s(start, size) <= _LIMIT * buffered_s:
            return size
        # The beginning, or a gap: the sooner it ends the better, if it is the last. If it is not,
        # the longest chunks cost least.
        sizes = range(FIRST_FRAMES, LONGEST_FRAMES + 1, _STEP_FRAMES)
        lasting = (size for size in sizes if self._lasts_after(start, size, buffered_s))
        return self._whole_tail(start, next(lasting, LONGEST_FRAMES))

    def _lasts_after(self, start: int, size: int, buffered_s: float) -> bool:
        left_s = max(0.0, buffered_s - self._cost_s(start, size))
        return self._lasts(start + size, left_s + self._sound_s(size))

    def _lasts(self, start: int, buffered_s: float) -> bool:
        """Whether the rest can be computed without a gap."""
        while start < self._frames:
            size = self._grown(start, buffered_s)
            cost_s = _MARGIN * self._cost_s(start, size)
            if cost_s > buffered_s:
                return False
            buffered_s += size / FRAME_RATE_HZ - cost_s
            start += size
        return True

    def _grown(self, start: int, buffered_s: float) -> int:
        """As much as is safe. Where that would shrink the buffer as much as it lasts; and half
        as much again, if there is time, to get away from there."""
        even = self._speed.even_frames(self._load)
        brisk = LONGEST_FRAMES if even is None else _floor(1.5 * even)
        size = max(
            even or 0,
            min(brisk, self._affordable(_LIMIT * buffered_s)),
            self._affordable(_SAFETY * buffered_s),
            FIRST_FRAMES,
        )
        return self._whole_tail(start, min(size, LONGEST_FRAMES), buffered_s)

    def _affordable(self, seconds: float) -> int:
        per_run, per_frame = (self._load * part for part in self._speed.line)
        return _floor((seconds - per_run) / per_frame - 2 * self._speed.context_frames)

    def _whole_tail(self, start: int, size: int, buffered_s: float = math.inf) -> int:
        """``size``, but so that the rest is nothing or worth a run."""
        rest = self._frames - start
        if rest - size >= FIRST_FRAMES:
            return size
        in_time = self._cost_s(start, rest) <= _LIMIT * buffered_s
        if rest < 2 * FIRST_FRAMES or (rest <= LONGEST_FRAMES and in_time):
            return rest
        return rest - FIRST_FRAMES

    def _cost_s(self, start: int, size: int) -> float:
        return self._load * self._speed.seconds(
            self._speed.width(start, start + size, self._frames)
        )


def _floor(frames: float) -> int:
    return int(min(max(frames, 0.0), LONGEST_FRAMES) // _STEP_FRAMES) * _STEP_FRAMES

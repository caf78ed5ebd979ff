"""Feeds the output callback and knows what has been heard."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from speech.audio.duck import Duck
from speech.timeline import Timeline
from transports.local.backend import BlockInfo, StreamFormat
from transports.local.convert import PlaybackConverter
from transports.local.playclock import PlayClock
from transports.local.ring import PlaybackRing
from transports.local.stats import LocalStats

RING_CHUNKS = 2
"""One chunk playing, one waiting: pipecat's idea of "played" is this far ahead of the device,
and a stall of the event loop up to this long is not heard. A device with a longer latency
gets a ring as long as that, since it asks for so much at once (seen with PulseAudio)."""


OnPlayed = Callable[[NDArray[np.int16], float, bool], None]


class _Mark(NamedTuple):
    """For the timeline: ``offset_s`` from the beginning of the block."""

    name: str
    offset_s: float
    reply_id: str | None


class Player:
    """The ring, its writer's waits, and the callback that empties it.

    A hole inside a reply (``in_reply``) is played as silence and counted; nothing is
    skipped or repeated after it. Ducked, it holds what was not played yet. A ``Playback``.
    ``on_played``, if set, is given each block as the device gets it (int16 mono, at the
    device's rate), the moment on the timeline's clock at which it is audible, and whether the
    device ran dry before it; it is called in the device's thread.
    """

    on_played: OnPlayed | None = None

    def __init__(
        self, wanted_hz: int, chunk_s: float, stats: LocalStats, timeline: Timeline
    ) -> None:
        self.in_reply = False
        self._wanted_hz = wanted_hz
        self._chunk_s = chunk_s
        self._stats = stats
        self._timeline = timeline
        self._loop = asyncio.get_running_loop()
        self._pulled = asyncio.Event()
        self._awaited = False
        self._in_hole = False
        self._clock = PlayClock()
        self._rate_hz = wanted_hz
        self._queued_s = 0.0
        self._converting_s = 0.0
        self._ring = PlaybackRing(1)
        self._converter = PlaybackConverter(wanted_hz, wanted_hz)
        self._duck = Duck(wanted_hz)
        self._ducked_reply: str | None = None
        self._held = False
        self._gate = threading.Lock()
        self._ends_s = 0.0

    def opened(self, form: StreamFormat, latency_s: float) -> None:
        """A new stream; what is queued waits for it, unless it is another sort of stream."""
        capacity = round(form.rate_hz * max(self._chunk_s * RING_CHUNKS, latency_s))
        if (capacity, form.rate_hz) == (self._ring.capacity, self._rate_hz):
            return
        self._queued_s -= self._ring.held / self._rate_hz
        self._converting_s = 0.0
        self._rate_hz = form.rate_hz
        self._ring = PlaybackRing(capacity)
        self._converter = PlaybackConverter(self._wanted_hz, form.rate_hz)
        self._duck = self._duck.moved(form.rate_hz)
        self._pulled.set()

    def convert(self, audio: bytes, channels: int) -> NDArray[np.int16]:
        """Pipeline bytes as samples for ``push``."""
        samples = self._converter.process(audio, channels)
        given_s = len(audio) / (2 * channels * self._wanted_hz)
        self._converting_s += given_s - len(samples) / self._rate_hz
        return samples

    def tail(self) -> NDArray[np.int16]:
        """The last samples of a reply, still in the resampler."""
        self._converting_s = 0.0
        return self._converter.flush()

    def push(
        self, samples: NDArray[np.int16], interruptible: bool, reply_id: str | None
    ) -> NDArray[np.int16]:
        """Queue what fits; returns the rest. ``reply_id`` marks a reply's first samples."""
        taken = self._ring.push(samples, interruptible=interruptible, tag=reply_id)
        self._queued_s += taken / self._rate_hz
        self._stats.output_high_water_samples = max(
            self._stats.output_high_water_samples, self._ring.high_water
        )
        return samples[taken:]

    async def space(self) -> None:
        """Wait until the ring has room."""
        while self._ring.free == 0:
            await self._next_pull()

    async def empty(self) -> None:
        """Wait until the device has taken everything."""
        while self._ring.held:
            await self._next_pull()

    def duck(self, reply_id: str | None) -> None:
        """Fade out from the sample that the device asks for next, and hold the rest.

        ``ducked`` is marked when the last sample before the silence is audible.
        """
        self._ducked_reply = reply_id
        self._duck.duck()

    def resume(self) -> None:
        """Go on with the first sample that was held; ``resumed`` is marked when it is audible."""
        self._duck.resume()

    def flush(self, *, everything: bool, protected: bool = False) -> None:
        """Drop what may be interrupted, with a short fade; a waiting writer is released.

        ``protected``: what is in the resampler is part of what may not be.
        """
        with self._gate:
            cleared = self._ring.clear(self._duck.cut(), everything=everything)
            self._held = False
            self._ends_s = self._clock.handed_s + cleared.fading / self._rate_hz
        self._queued_s -= cleared.dropped / self._rate_hz
        self._stats.output_flushed_samples += cleared.dropped
        if everything or not protected:
            self.tail()
            self.in_reply = False
        self._pulled.set()

    def device_cut(self) -> None:
        """The device was told to forget what it holds."""
        self._queued_s -= self._clock.cut(self._timeline.clock())
        self._ends_s = min(self._ends_s, self._clock.handed_s)

    @property
    def ends_s(self) -> float:
        """The position of the last sample that was or will be heard of what ``flush`` dropped."""
        return self._ends_s

    def silent_at(self) -> float:
        """When that sample is audible, on the timeline's clock; asked right after ``flush``."""
        return self._clock.silent_at + max(0.0, self._ends_s - self._clock.handed_s)

    @property
    def booked_s(self) -> float:
        """The position of the last sample that was written, also of those in the resampler."""
        return self._queued_s + self._converting_s

    @property
    def heard_s(self) -> float:
        """The position audible now."""
        return self.played_s()

    def played_s(self, reply_id: str | None = None) -> float:
        """Seconds of our sound (of this reply, where one is named) heard so far."""
        now = self._timeline.clock()
        if reply_id is None:
            return self._clock.played_s(now)
        return self._clock.reply_played_s(reply_id, now)

    def silent_in_s(self) -> float:
        """Seconds until the device has played what it took; negative when it has."""
        return self._clock.silent_at - self._timeline.clock()

    def render(self, out: NDArray[np.int16], info: BlockInfo) -> None:
        """Fill a block; in the device's thread."""
        audible_at = self._timeline.clock() + info.lead_s
        with self._gate:
            block, marks = self._take(len(out), audible_at)
        out[:] = block[:, np.newaxis]
        self._stats.output_device_underflows += info.xrun and self.in_reply
        for name, offset_s, reply_id in marks:
            self._timeline.mark(name, at=audible_at + offset_s, reply_id=reply_id or None)
        if self.on_played is not None:
            self.on_played(block, audible_at, info.xrun)
        if self._awaited:
            with contextlib.suppress(RuntimeError):  # The loop is closed: nobody writes.
                self._loop.call_soon_threadsafe(self._pulled.set)

    def _take(self, frames: int, audible_at: float) -> tuple[NDArray[np.int16], list[_Mark]]:
        """A block, through the duck, and what begins and ends in it."""
        wanted = self._duck.wanted(frames)
        source = np.empty(wanted, np.int16)
        count, tags = self._ring.pull(source)
        begins = [(reply_id, offset / self._rate_hz) for reply_id, offset in tags]
        self._clock.note(audible_at, count / self._rate_hz, begins)
        self._count_hole(wanted - count)
        block = self._duck.apply(source, frames)
        marks = [_Mark("scheduled", offset_s, reply_id) for reply_id, offset_s in begins]
        return block, marks + self._duck_marks(wanted / self._rate_hz)

    def _duck_marks(self, used_s: float) -> list[_Mark]:
        """Whether the fade is over with this block, or undone."""
        was, self._held = self._held, self._duck.silent
        if self._held and not was:
            return [_Mark("ducked", used_s, self._ducked_reply)]
        if was and not self._held:
            return [_Mark("resumed", 0.0, self._ducked_reply)]
        return []

    async def _next_pull(self) -> None:
        self._pulled.clear()
        self._awaited = True
        await self._pulled.wait()
        self._awaited = False

    def _count_hole(self, missing: int) -> None:
        hole = missing > 0 and self.in_reply
        if hole:
            self._stats.output_underflows += not self._in_hole
            self._stats.output_hole_samples += missing
        self._in_hole = hole

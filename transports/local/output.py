"""Pipeline to speaker."""

from __future__ import annotations

import asyncio
import contextlib

import numpy as np
from numpy.typing import NDArray
from pipecat.frames.frames import (
    BotStoppedSpeakingFrame,
    CancelFrame,
    EndFrame,
    Frame,
    InterruptionFrame,
    OutputAudioRawFrame,
    StartFrame,
    TTSAudioRawFrame,
    TTSStartedFrame,
)
from pipecat.processors.frame_processor import FrameDirection, FrameProcessorSetup
from pipecat.utils.utils import obj_id

from speech.barge_in.replies import Replies
from speech.timeline import Timeline
from transports.eared import EaredOutput
from transports.late import is_late
from transports.local.link import BLOCK_S, DeviceLink
from transports.local.params import LocalParams
from transports.local.player import OnPlayed, Player
from transports.local.stats import LocalStats

HOLD_S = 5.0
"""How long a reply waits for a lost speaker before it is thrown away. Less than pipecat's
write timeout (10 s), which would end the transport for good."""

DEAF_S = 0.1
"""A device that holds more than this would go on speaking audibly after an interruption, so
it is restarted. That takes some milliseconds but clicks: there is no fade. Below it the ring is
faded out, and the device plays what it holds."""

_DEFAULT_RATE_HZ = 24_000


class LocalOutputTransport(EaredOutput):
    """Plays with at most two chunks ahead of the device; an interruption is silent at once.

    Text leaves it when its last sample has been heard. A ``Speaker``; what comes late of a reply
    that is dead in ``replies`` is dropped and counted there.
    """

    _params: LocalParams
    on_played: OnPlayed | None = None
    """See ``Player.on_played``; set before the device is opened."""

    def __init__(
        self, params: LocalParams, link: DeviceLink, stats: LocalStats, timeline: Timeline
    ) -> None:
        super().__init__(params)
        self._link = link
        self._stats = stats
        self._timeline = timeline
        self.replies = Replies()
        self._player: Player | None = None
        self._supervisor: asyncio.Task[None] | None = None
        self._restart: asyncio.Task[None] | None = None
        self._reply_id: str | None = None
        self._first_of_reply = False
        self._stale_id = 0
        self._flushes = 0
        self._speaker_gone = False
        self._protected = False
        self._over = False
        self._settled = asyncio.Event()
        self._settled.set()

    async def open(self, rate_hz: int | None = None) -> None:
        """Open the device; raises ``DeviceError``. Idempotent."""
        if not self._params.audio_out_enabled or self._player is not None:
            return
        wanted_hz = self._params.audio_out_sample_rate or rate_hz or _DEFAULT_RATE_HZ
        chunk_s = self._params.audio_out_10ms_chunks / 100
        player = Player(wanted_hz, chunk_s, self._stats, self._timeline)
        player.on_played = self.on_played
        await self._link.open(wanted_hz, player.opened, player.render)
        self._player = player

    async def setup(self, setup: FrameProcessorSetup) -> None:  # type: ignore[override] # pipecat's own
        """Open the device, unless ``open`` has."""
        await super().setup(setup)
        await self.open(setup.audio_out_sample_rate)

    async def start(self, frame: StartFrame) -> None:
        """Let the device run; it plays silence until there is a reply."""
        await super().start(frame)
        if self._player is not None:
            # Not awaited here: a device may take seconds to start, and the end would wait for it.
            self._supervisor = self.create_task(self._link.supervise())
            self._listen(self._player)
        await self.set_transport_ready(frame)

    async def stop(self, frame: EndFrame) -> None:
        """Play to the end, then close: an immediate close would cut the last word."""
        await super().stop(frame)
        await self._drain()
        await self._settle_ear()
        await self._halt()

    async def cancel(self, frame: CancelFrame) -> None:
        """Silent at once."""
        self._cut_off()
        await super().cancel(frame)
        await self._halt()

    async def cleanup(self) -> None:
        """Release the device, also where neither stop nor cancel came."""
        self._cut_off()
        await super().cleanup()
        await self._halt()

    def duck(self, reply_id: str) -> None:
        """See ``Speaker``. A device's latency passes before it is heard."""
        if self._player is not None:
            self._player.duck(reply_id)

    def resume(self) -> None:
        """See ``Speaker``."""
        if self._player is not None:
            self._player.resume()

    def cut(self, reply_id: str) -> None:
        """See ``Speaker``; the interruption frame must follow. Marks ``silent`` of a reply that
        was heard."""
        self._silence()
        if self._player is not None and self._player.played_s(reply_id) > 0:
            self._timeline.mark("silent", at=self._player.silent_at(), reply_id=reply_id)

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """An interruption empties the device's ring before anyone else hears of it."""
        if not isinstance(frame, InterruptionFrame):
            if is_late(frame, self.replies):
                return
            self._arrives(frame, direction)
            await super().process_frame(frame, direction)
            return
        self._silence()
        try:
            await self._cut_ear()
            await super().process_frame(frame, direction)
        finally:
            # What pipecat cut into chunks meanwhile belongs to the interrupted reply too.
            self._stale_id = obj_id()
            self._settled.set()

    async def push_frame(
        self, frame: Frame, direction: FrameDirection = FrameDirection.DOWNSTREAM
    ) -> None:
        """The end of a reply lets the last samples out of the resampler first."""
        if isinstance(frame, BotStoppedSpeakingFrame) and direction == FrameDirection.DOWNSTREAM:
            await self._finish_reply()
        await super().push_frame(frame, direction)

    async def write_transport_frame(self, frame: Frame) -> None:
        """A reply's start, in order with its audio, whose chunks carry no context id."""
        if isinstance(frame, TTSStartedFrame):
            self._reply_id = frame.context_id
            self._first_of_reply = True

    async def write_audio_frame(self, frame: OutputAudioRawFrame) -> bool:
        """Returns when the device's ring has taken all of it, that is in the device's pace.

        False when it was dropped: interrupted, or the speaker is gone.
        """
        written = await self._write_frame(frame)
        self._wrote(frame, written)
        # A write that returned between a flush and pipecat's purge of its queue would let the
        # text behind the cut audio pass, and the record would hold words that nobody heard.
        if frame.interruptible or self._over:
            await self._settled.wait()
        return written

    async def _write_frame(self, frame: OutputAudioRawFrame) -> bool:
        if frame.interruptible:
            await self._settled.wait()
        if self._player is None or self._is_stale(frame) or not await self._speaker_there():
            return False
        if isinstance(frame, TTSAudioRawFrame):
            self._player.in_reply = True
        self._protected = not frame.interruptible
        samples = self._player.convert(frame.audio, frame.num_channels)
        # Nothing may come of a reply's first chunk: the resampler keeps some of it back.
        reply_id = self._begin_reply(frame) if samples.size else None
        return await self._write(samples, frame.interruptible, reply_id)

    def played_s(self, reply_id: str | None = None) -> float:
        """Seconds of bot audio (of this reply) heard so far, holes and latency taken off."""
        return self._player.played_s(reply_id) if self._player else 0.0

    def _is_stale(self, frame: OutputAudioRawFrame) -> bool:
        # Frame ids only grow: a chunk older than the last interruption is what pipecat was
        # about to write when it came.
        return frame.interruptible and frame.id <= self._stale_id

    def _begin_reply(self, frame: OutputAudioRawFrame) -> str | None:
        if not (self._first_of_reply and isinstance(frame, TTSAudioRawFrame)):
            return None
        self._first_of_reply = False
        self._timeline.mark("transport_send", reply_id=self._reply_id)
        return self._reply_id or ""

    async def _write(
        self, samples: NDArray[np.int16], interruptible: bool, reply_id: str | None
    ) -> bool:
        player = self._player
        assert player is not None  # noqa: S101 - the callers have looked
        flushes = self._flushes
        rest = samples
        while (rest := player.push(rest, interruptible, reply_id)).size:
            if rest.size < samples.size:
                reply_id = None  # Its first sample is in the ring.
            if not await self._space_in_time(player):
                self._stats.output_lost_samples += rest.size
                return False
            if interruptible and self._flushes != flushes:
                self._stats.output_flushed_samples += rest.size
                return False
        return True

    async def _space_in_time(self, player: Player) -> bool:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(player.space(), HOLD_S)
            return True
        self._speaker_gone = True
        return False

    async def _speaker_there(self) -> bool:
        if self._link.up.is_set():
            self._speaker_gone = False
            return True
        if not self._speaker_gone:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._link.up.wait(), HOLD_S)
                return True
            self._speaker_gone = True
        return False

    def _flush(self, *, everything: bool = False) -> None:
        self._stale_id = obj_id()
        self._flushes += 1
        self._first_of_reply = False
        if self._player is not None:
            self._player.flush(everything=everything, protected=self._protected)

    def _silence(self) -> None:
        self._flush()
        self._silence_device()
        self._settled.clear()

    def _cut_off(self) -> None:
        """Silence for good; no write returns any more, so no text behind it passes for heard."""
        self._over = True
        self._settled.clear()
        self._flush(everything=True)

    def _silence_device(self) -> None:
        player = self._player
        if player is None or self._protected or self._link.latency_s <= DEAF_S:
            return
        if player.silent_in_s() > 0 and (self._restart is None or self._restart.done()):
            player.device_cut()
            self._restart = self.create_task(self._link.drop_buffered())

    async def _finish_reply(self) -> None:
        if self._player is not None and self._link.up.is_set():
            await self._write(self._player.tail(), not self._protected, None)
            self._player.in_reply = False

    async def _drain(self) -> None:
        player = self._player
        if player is None or not self._link.up.is_set():
            return
        with contextlib.suppress(TimeoutError):  # The speaker went away: nothing to wait for.
            await asyncio.wait_for(player.empty(), HOLD_S)
        await asyncio.sleep(max(0.0, player.silent_in_s()) + BLOCK_S)

    async def _halt(self) -> None:
        tasks = [task for task in (self._supervisor, self._restart) if task is not None]
        self._supervisor = self._restart = None
        for task in tasks:
            await self.cancel_task(task)
        await self._stop_listening()
        await self._link.close()

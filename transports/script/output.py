"""The bot's side: a speaker that books every sample and forgets the unplayed ones on a cut."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

import numpy as np
from pipecat.frames.frames import (
    CancelFrame,
    EndFrame,
    Frame,
    InterruptionFrame,
    OutputAudioRawFrame,
    StartFrame,
    TTSAudioRawFrame,
    TTSStartedFrame,
)
from pipecat.processors.frame_processor import FrameDirection
from pipecat.transports.base_transport import TransportParams

from speech.barge_in.replies import Replies
from speech.heard.ledger import ROUNDING_S
from speech.timeline import Timeline
from transports.eared import EaredOutput
from transports.late import is_late
from transports.script.speaker import VirtualSpeaker


class ScriptOutput(EaredOutput):
    """Paces like a device that holds at most ``lead_s`` of audio.

    On an interruption the unplayed samples are dropped before the frame is passed on, and
    audio of the interrupted reply that arrives later is not played. Text leaves it when its
    last sample has been played. A ``Speaker``; what comes late of a reply that is dead in
    ``replies`` is dropped and counted there.
    """

    def __init__(
        self,
        params: TransportParams,
        timeline: Timeline,
        *,
        lead_s: float,
        speaker: Callable[[], VirtualSpeaker],
    ) -> None:
        super().__init__(params)
        self.replies = Replies()
        self._timeline = timeline
        self._lead_s = lead_s
        self._open_speaker = speaker
        self._speaker: VirtualSpeaker | None = None
        self._arriving: str | None = None
        self._arriving_interruptible = True
        self._playing: str | None = None
        self._scheduled: str | None = None
        self._discarding = False
        self._flushed = asyncio.Event()
        self._settled = asyncio.Event()
        self._settled.set()

    async def start(self, frame: StartFrame) -> None:
        """Switch the speaker on."""
        await super().start(frame)
        self._speaker = self._open_speaker()
        self._listen(self._speaker)
        await self.set_transport_ready(frame)

    async def stop(self, frame: EndFrame) -> None:
        """Play to the end."""
        await super().stop(frame)
        if self._speaker is not None:
            await asyncio.sleep(max(0.0, self._speaker.end_s - self._timeline.clock()))
            await self._settle_ear()
        await self._stop_listening()

    async def cancel(self, frame: CancelFrame) -> None:
        """Silent at once."""
        await super().cancel(frame)
        await self._stop_listening()

    async def cleanup(self) -> None:
        """However the pipeline ended."""
        await super().cleanup()
        await self._stop_listening()

    def duck(self, reply_id: str) -> None:
        """See ``Speaker``."""
        if self._speaker is not None:
            self._timeline.mark("ducked", at=self._speaker.duck(), reply_id=reply_id)

    def resume(self) -> None:
        """See ``Speaker``."""
        if self._speaker is not None and (at := self._speaker.resume()) is not None:
            self._timeline.mark("resumed", at=at, reply_id=self._playing)

    def cut(self, reply_id: str) -> None:
        """See ``Speaker``; the interruption frame must follow."""
        self._silence()

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """See the class: a cut first, then pipecat's own handling."""
        if isinstance(frame, InterruptionFrame):
            await self._interrupt(frame, direction)
            return
        if is_late(frame, self.replies):
            return
        if isinstance(frame, OutputAudioRawFrame):
            self._accept(frame)
        self._arrives(frame, direction)
        await super().process_frame(frame, direction)

    async def write_transport_frame(self, frame: Frame) -> None:
        """Learn, in the order of the audio, which reply the next chunks belong to.

        pipecat's sender cuts audio into chunks and loses their ``context_id``; the start
        frame keeps its place among them.
        """
        if isinstance(frame, TTSStartedFrame):
            self._playing = frame.context_id

    async def write_audio_frame(self, frame: OutputAudioRawFrame) -> bool:
        """Book the chunk, then wait until no more than the lead is unplayed."""
        await self._settled.wait()
        written = self._book(frame)
        self._wrote(frame, written)
        if written and self._speaker is not None:
            await self._pace(self._speaker)
        return written

    def _book(self, frame: OutputAudioRawFrame) -> bool:
        if self._speaker is None or (self._discarding and frame.interruptible):
            return False
        reply_id = (self._playing or self._arriving) if _is_speech(frame) else None
        first = reply_id is not None and reply_id != self._scheduled
        at = self._speaker.write(
            np.frombuffer(frame.audio, np.int16),
            reply_id,
            interruptible=frame.interruptible,
            continues=not first,
        )
        if first:
            self._scheduled = reply_id
            self._timeline.mark("scheduled", at=at, reply_id=reply_id)
        return True

    def _accept(self, frame: OutputAudioRawFrame) -> None:
        reply_id = getattr(frame, "context_id", None)
        self._discarding = False
        if _is_speech(frame) and reply_id != self._arriving:
            self._arriving = reply_id
            self._timeline.mark("transport_send", reply_id=reply_id)
        self._arriving_interruptible = frame.interruptible

    async def _interrupt(self, frame: Frame, direction: FrameDirection) -> None:
        """Silence, then pipecat's purge of its queue; no write returns between the two.

        One that did would let the sender run on to the text behind the cut audio, and the
        record would hold words that nobody heard.
        """
        self._silence()
        try:
            await self._cut_ear()
            await super().process_frame(frame, direction)
        finally:
            self._settled.set()

    def _silence(self) -> None:
        self._settled.clear()
        if self._speaker is None:
            return
        self._speaker.flush()
        self._discarding = True
        if self._arriving and self._arriving_interruptible:
            self.replies.kill(self._arriving)
            if self._playing == self._arriving:
                self._playing = None
        self._flushed.set()

    async def _pace(self, speaker: VirtualSpeaker) -> None:
        self._flushed.clear()
        while (delay := speaker.end_s - self._lead_s - self._timeline.clock()) > ROUNDING_S:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._flushed.wait(), delay)
            if self._flushed.is_set():
                await self._settled.wait()
                return


def _is_speech(frame: OutputAudioRawFrame) -> bool:
    return isinstance(frame, TTSAudioRawFrame)

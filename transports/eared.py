"""An output whose text waits for the ear."""

from __future__ import annotations

import asyncio

from pipecat.frames.frames import CancelFrame, Frame, OutputAudioRawFrame, TTSAudioRawFrame
from pipecat.processors.frame_processor import FrameDirection
from pipecat.transports.base_output import BaseOutputTransport

from transports.ear import EarQueue
from transports.position import Playback


class EaredOutput(BaseOutputTransport):
    """From ``_listen`` on text leaves it when its last sample has been heard, see ``EarQueue``.

    A subclass tells what ``_arrives`` and what it ``_wrote``, and cuts before pipecat does.
    """

    _ear: EarQueue | None = None
    _releasing: asyncio.Task[None] | None = None

    async def push_frame(
        self, frame: Frame, direction: FrameDirection = FrameDirection.DOWNSTREAM
    ) -> None:
        """Words wait until they have been heard."""
        if self._ear is None or not self._ear.takes(frame, direction):
            await super().push_frame(frame, direction)

    async def cancel(self, frame: CancelFrame) -> None:
        """Silent at once."""
        await self._cut_ear()
        await super().cancel(frame)

    def _listen(self, playback: Playback) -> None:
        self._ear = EarQueue(
            playback,
            super().push_frame,
            rate_hz=self.sample_rate,
            chunk_s=self._params.audio_out_10ms_chunks / 100,
        )
        self._releasing = self.create_task(self._ear.run())

    def _arrives(self, frame: Frame, direction: FrameDirection) -> None:
        """Call for each frame that comes, before pipecat cuts its audio into chunks."""
        if self._ear is not None and direction is FrameDirection.DOWNSTREAM:
            self._ear.arrives(frame)

    def _wrote(self, frame: OutputAudioRawFrame, written: bool) -> None:
        """Whether a chunk was written, or lost."""
        if self._ear is not None and isinstance(frame, TTSAudioRawFrame):
            self._ear.wrote(written)

    async def _cut_ear(self) -> None:
        if self._ear is not None:
            await self._ear.cut()

    async def _settle_ear(self) -> None:
        """All has been heard."""
        if self._ear is not None:
            await self._ear.settle()

    async def _stop_listening(self) -> None:
        releasing, self._releasing = self._releasing, None
        if releasing is not None:
            await self.cancel_task(releasing)

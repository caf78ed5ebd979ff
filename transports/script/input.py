"""The user's side: scripted audio into the pipeline, in real time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from loguru import logger
from pipecat.frames.frames import CancelFrame, EndFrame, InputAudioRawFrame, StartFrame
from pipecat.transports.base_input import BaseInputTransport
from pipecat.transports.base_transport import TransportParams

from transports.script.microphone import ScriptedMicrophone
from transports.script.track import Track

MAX_BACKLOG_FRAMES = 100
"""Two seconds of 20 ms frames the pipeline has not taken; beyond it, frames are lost
as a sound card's are, and counted in ``overflows``."""


class ScriptInput(BaseInputTransport):
    """Hands over each frame at the moment a microphone would: when its last sample exists.

    Deadlines are absolute, so lateness does not add up; after a stall the missed frames
    follow at once.
    """

    def __init__(
        self,
        params: TransportParams,
        microphone: ScriptedMicrophone,
        track: Track,
        *,
        frame_s: float,
        clock: Callable[[], float],
        on_start: Callable[[], float],
    ) -> None:
        super().__init__(params)
        self.overflows = 0
        self._microphone = microphone
        self._track = track
        self._frame_samples = round(frame_s * microphone.rate_hz)
        self._clock = clock
        self._on_start = on_start
        self._player: asyncio.Task[None] | None = None

    async def start(self, frame: StartFrame) -> None:
        """Begin to play; the script's time 0 is now."""
        await super().start(frame)
        await self.set_transport_ready(frame)
        if self._player is None:
            self._player = self.create_task(self._play(self._on_start()), "script_player")

    async def stop(self, frame: EndFrame) -> None:
        """Stop playing."""
        await self._stop_player()
        await super().stop(frame)

    async def cancel(self, frame: CancelFrame) -> None:
        """Stop playing."""
        await self._stop_player()
        await super().cancel(frame)

    async def cleanup(self) -> None:
        """Stop playing, however the pipeline ended."""
        await self._stop_player()
        await super().cleanup()

    async def _stop_player(self) -> None:
        if self._player:
            player, self._player = self._player, None
            await self.cancel_task(player)

    async def _play(self, origin: float) -> None:
        while True:
            start = self._microphone.position
            deadline = origin + (start + self._frame_samples) / self._microphone.rate_hz
            await asyncio.sleep(max(0.0, deadline - self._clock()))
            samples = self._microphone.read(self._frame_samples)
            self._track.place(start, samples)
            await self._hand_over(samples.tobytes())

    async def _hand_over(self, audio: bytes) -> None:
        if self._audio_in_queue.qsize() >= MAX_BACKLOG_FRAMES:
            self.overflows += 1
            if self.overflows == 1:
                logger.warning("script input: the pipeline does not keep up, frames are lost")
            return
        await self.push_audio_frame(
            InputAudioRawFrame(audio=audio, sample_rate=self._microphone.rate_hz, num_channels=1)
        )

"""A pipeline of just a transport, to speak through it and see what comes out."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import numpy as np
from numpy.typing import NDArray
from pipecat.frames.frames import (
    EndFrame,
    Frame,
    InputAudioRawFrame,
    InterruptionFrame,
    TTSAudioRawFrame,
    TTSStartedFrame,
    TTSStoppedFrame,
    TTSTextFrame,
)
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineParams, PipelineWorker
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor
from pipecat.transports.base_transport import BaseTransport
from pipecat.utils.text.base_text_aggregator import TextType
from pipecat.workers.runner import WorkerRunner

RATE_HZ = 24_000
PIECE_S = 0.1
PATIENCE_S = 30.0


class Tap(FrameProcessor):
    """Keeps every frame that passes downstream, and wakes those who wait for one."""

    def __init__(self) -> None:
        super().__init__(enable_direct_mode=True)
        self.frames: list[Frame] = []
        self._changed = asyncio.Event()

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        if direction == FrameDirection.DOWNSTREAM:
            self.frames.append(frame)
            self._changed.set()
        await self.push_frame(frame, direction)

    def of(self, kind: type[Frame]) -> list[Frame]:
        return [frame for frame in self.frames if isinstance(frame, kind)]

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until ``condition`` holds, looking after each frame."""
        async with asyncio.timeout(PATIENCE_S):
            while not condition():
                self._changed.clear()
                await self._changed.wait()


class Rig:
    """The running pipeline: ``microphone`` taps the input, ``played`` what left the output."""

    def __init__(self, transport: BaseTransport) -> None:
        self.microphone = Tap()
        self.played = Tap()
        self.worker = PipelineWorker(
            Pipeline([transport.input(), self.microphone, transport.output(), self.played]),
            cancel_on_idle_timeout=False,
            enable_rtvi=False,
            params=PipelineParams(audio_in_sample_rate=16_000, audio_out_sample_rate=RATE_HZ),
        )
        self.started = asyncio.Event()
        self.errors: list[str] = []
        self.worker.add_event_handler("on_pipeline_started", self._on_started)
        self.worker.add_event_handler("on_pipeline_error", self._on_error)

    async def _on_started(self, *_: object) -> None:
        self.started.set()

    async def _on_error(self, _: object, frame: Frame) -> None:
        self.errors.append(str(frame))

    async def say(
        self,
        samples: NDArray[np.int16],
        reply_id: str,
        *,
        interruptible: bool = True,
        piece: int = round(RATE_HZ * PIECE_S),
    ) -> None:
        """Queue a whole reply, as a speech service does: all at once, far ahead of playback."""
        audio = samples.tobytes()
        frames: list[Frame] = [TTSStartedFrame(context_id=reply_id)]
        frames += [
            TTSAudioRawFrame(audio[at : at + 2 * piece], RATE_HZ, 1, context_id=reply_id)
            for at in range(0, len(audio), 2 * piece)
        ]
        frames.append(TTSStoppedFrame(context_id=reply_id))
        for frame in frames:
            frame.interruptible = interruptible
            await self.worker.queue_frame(frame)

    async def say_words(self, samples: NDArray[np.int16], reply_id: str, words: int) -> None:
        """A whole reply of as many words of ``samples`` each, its text behind its audio."""
        frames: list[Frame] = [TTSStartedFrame(context_id=reply_id)]
        for _ in range(words):
            frames.append(TTSAudioRawFrame(samples.tobytes(), RATE_HZ, 1, context_id=reply_id))
            frames.append(TTSTextFrame("word ", TextType.WORD, context_id=reply_id))
        for frame in frames:
            await self.worker.queue_frame(frame)

    async def interrupt(self) -> None:
        await self.worker.queue_frame(InterruptionFrame())

    async def end(self) -> None:
        await self.worker.queue_frame(EndFrame())

    def heard_audio(self) -> NDArray[np.int16]:
        """Everything the microphone gave."""
        frames = [f for f in self.microphone.frames if isinstance(f, InputAudioRawFrame)]
        return np.frombuffer(b"".join(frame.audio for frame in frames), np.int16)


@asynccontextmanager
async def running(transport: BaseTransport) -> AsyncIterator[Rig]:
    """Run a pipeline of the transport; leaving ends it, if it still runs."""
    rig = Rig(transport)
    runner = WorkerRunner(handle_sigint=False)
    await runner.add_workers(rig.worker)
    run = asyncio.create_task(runner.run())
    try:
        async with asyncio.timeout(PATIENCE_S):
            await rig.started.wait()
        yield rig
        if not run.done():
            await rig.end()
        async with asyncio.timeout(PATIENCE_S):
            await run
    finally:
        if not run.done():
            await runner.cancel()
            await run

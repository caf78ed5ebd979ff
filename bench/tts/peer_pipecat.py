"""pipecat's Kokoro service, in a running pipeline."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager

import numpy as np
from pipecat.frames.frames import (
    Frame,
    InterruptionFrame,
    StartFrame,
    TTSAudioRawFrame,
    TTSSpeakFrame,
    TTSStoppedFrame,
)
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineParams, PipelineWorker
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor
from pipecat.services.kokoro.tts import KokoroTTSService
from pipecat.transcriptions.language import Language
from pipecat.workers.runner import WorkerRunner

from bench.tts.contestant import RATE_HZ, UNIT_TIMEOUT_S, Pcm
from bench.tts.peer_kokoro_onnx import PeerFiles, load_kokoro

_QUEUE_PIECES = 64
"""The service sends one piece a unit; a full queue holds the pipeline up."""
_LANGUAGES = {"en-us": Language.EN_US, "en-gb": Language.EN_GB}
_START_TIMEOUT_S = 30.0


class PipecatKokoro:
    """Speaks by a ``TTSSpeakFrame``; the audio is taken where the transport would take it."""

    name = "pipecat"

    def __init__(self, worker: PipelineWorker, sink: _Sink) -> None:
        self._worker, self._sink = worker, sink

    async def speak(self, text: str) -> AsyncGenerator[Pcm]:
        """One piece a unit; left early, the pipeline is interrupted."""
        self._sink.clear()
        await self._worker.queue_frame(TTSSpeakFrame(text, append_to_context=False))
        heard = finished = False
        try:
            while not finished:
                piece = await self._sink.pieces.get()
                if piece is not None:
                    heard = True
                    yield piece
                finished = heard and piece is None
        finally:
            if not finished:
                await self._worker.queue_frame(InterruptionFrame())


class _Sink(FrameProcessor):
    """The end of the pipeline: audio pieces, and None where a unit ends."""

    def __init__(self) -> None:
        super().__init__()
        self.started = asyncio.Event()
        self.pieces: asyncio.Queue[Pcm | None] = asyncio.Queue(_QUEUE_PIECES)

    def clear(self) -> None:
        """Forget what came late of a unit that was left."""
        while not self.pieces.empty():
            self.pieces.get_nowait()

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        if isinstance(frame, TTSAudioRawFrame):
            await self.pieces.put(np.frombuffer(frame.audio, np.int16))
        elif isinstance(frame, TTSStoppedFrame):
            await self.pieces.put(None)
        elif isinstance(frame, StartFrame):
            self.started.set()
        await self.push_frame(frame, direction)


@asynccontextmanager
async def open_pipecat(files: PeerFiles) -> AsyncIterator[PipecatKokoro]:
    """The service in a pipeline that runs; model and voices are local, nothing is fetched."""
    service = KokoroTTSService(
        model_path=str(files.model),
        voices_path=str(files.voices),
        settings=KokoroTTSService.Settings(voice=files.voice, language=_LANGUAGES[files.language]),
        # By default a unit that takes longer than 3 s is given up before its audio comes.
        stop_frame_timeout_s=UNIT_TIMEOUT_S,
    )
    service._kokoro = load_kokoro(files)  # it has no setting for threads
    sink = _Sink()
    worker = PipelineWorker(
        Pipeline([service, sink]),
        params=PipelineParams(audio_out_sample_rate=RATE_HZ),
        idle_timeout_secs=None,
        enable_rtvi=False,
    )
    runner = WorkerRunner(handle_sigint=False)
    await runner.add_workers(worker)
    running = asyncio.create_task(runner.run())
    try:
        async with asyncio.timeout(_START_TIMEOUT_S):
            await sink.started.wait()
        yield PipecatKokoro(worker, sink)
    finally:
        await worker.cancel()
        await running

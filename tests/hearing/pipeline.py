"""A pipeline of ears only: audio in; transcripts, turns and requests to the LLM out."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from pipecat.frames.frames import (
    DataFrame,
    ErrorFrame,
    Frame,
    InputAudioRawFrame,
    InterimTranscriptionFrame,
    InterruptionFrame,
    LLMContextFrame,
    SystemFrame,
    TranscriptionFrame,
    TTSSpeakFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.observers.base_observer import BaseObserver, FramePushed
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineParams, PipelineWorker
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import (
    LLMContextAggregatorPair,
    LLMUserAggregatorParams,
)
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor
from pipecat.workers.runner import WorkerRunner

from processors.noise_recovery import NoiseRecovery
from processors.nothing_heard import NothingHeardFrame
from speech.hearing.recogniser import Transcript
from tests.hearing.sounds import RATE_HZ, Samples

PATIENCE_S = 60.0
STEP = RATE_HZ // 10
APOLOGY = "Sorry, please say that again."


class FakeRecogniser:
    """Gives the scripted results in order; each waits for ``release`` when ``held``."""

    name = "fake"

    def __init__(self, *results: Transcript | Exception, held: bool = False) -> None:
        self.results = list(results)
        self.heard: list[Samples] = []
        self.gate = asyncio.Semaphore(0)
        self.held = held
        self.closed = False

    async def start(self) -> None: ...

    async def transcribe(self, samples: Samples, rate_hz: int) -> Transcript:
        assert rate_hz == RATE_HZ
        self.heard.append(samples)
        result = self.results.pop(0)
        if self.held:
            await self.gate.acquire()
        if isinstance(result, Exception):
            raise result
        return result

    def release(self) -> None:
        self.gate.release()

    async def aclose(self) -> None:
        self.closed = True


@dataclass
class SystemMark(SystemFrame):
    """Comes out when every audio frame before it has been processed."""


@dataclass
class DataMark(DataFrame):
    """Comes out when every transcript before it has been processed."""


class Probe(FrameProcessor):
    """Stands where the LLM would: records what reaches it."""

    def __init__(self, ears: Ears) -> None:
        super().__init__()
        self._ears = ears

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        if direction is FrameDirection.DOWNSTREAM:
            self._ears.note(frame)
        await self.push_frame(frame, direction)


class Tap(BaseObserver):
    """Sees each frame once, where it was pushed."""

    def __init__(self, ears: Ears) -> None:
        super().__init__(observe_every_push=False)
        self._ears = ears

    async def on_push_frame(self, data: FramePushed) -> None:
        if isinstance(data.frame, (TranscriptionFrame, InterimTranscriptionFrame, ErrorFrame)):
            self._ears.note(data.frame)


@dataclass
class Ears:
    """What was heard so far, and ways to wait for more."""

    context: LLMContext
    user: Any
    worker: PipelineWorker = field(init=False)
    frames: list[Frame] = field(default_factory=list)
    turns: list[str | None] = field(default_factory=list)
    openers: list[Any] = field(default_factory=list)
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def note(self, frame: Frame) -> None:
        self.frames.append(frame)
        self.changed.set()

    def of(self, kind: type[Frame]) -> list[Any]:
        return [frame for frame in self.frames if type(frame) is kind]

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while not condition():
                self.changed.clear()
                await self.changed.wait()

    async def until_seen(self, kind: type[Frame], count: int = 1) -> None:
        await self.until(lambda: len(self.of(kind)) >= count)

    async def until_turns(self, count: int) -> None:
        await self.until(lambda: len(self.turns) >= count)
        await self.settle()

    async def play(self, audio: Samples, frame_s: float = 0.02) -> None:
        """Feed ``audio`` in step with the detector, as fast as both go; wait until it is done.

        In step, because the recogniser's stage sees audio first and is told by the detector
        which of it was speech: far ahead of it, it would have let the speech go.
        """
        size = int(RATE_HZ * frame_s)
        for at in range(0, len(audio), size):
            chunk = audio[at : at + size].tobytes()
            await self.worker.queue_frame(InputAudioRawFrame(chunk, RATE_HZ, 1))
            if at // STEP != (at + size) // STEP:
                await self.mark(SystemMark)
        await self.settle()

    async def speech(self, started: bool) -> None:
        """What the voice detector would say, both ways as pipecat says it."""
        await self.worker.queue_frame(
            VADUserStartedSpeakingFrame(start_secs=0.2)
            if started
            else VADUserStoppedSpeakingFrame(stop_secs=0.2)
        )
        await self.settle()

    async def mark(self, mark: type[Frame]) -> None:
        seen = len(self.of(mark))
        await self.worker.queue_frame(mark())
        await self.until_seen(mark, seen + 1)

    async def settle(self) -> None:
        for mark in (SystemMark, SystemMark, DataMark):
            await self.mark(mark)

    @property
    def finals(self) -> list[str]:
        return [frame.text for frame in self.of(TranscriptionFrame)]

    @property
    def requests(self) -> int:
        return len(self.of(LLMContextFrame))

    @property
    def interruptions(self) -> int:
        return len(self.of(InterruptionFrame))

    @property
    def nothing(self) -> list[str]:
        return [frame.reason for frame in self.of(NothingHeardFrame)]

    @property
    def spoken(self) -> list[str]:
        return [frame.text for frame in self.of(TTSSpeakFrame)]

    @property
    def user_messages(self) -> list[Any]:
        return [m["content"] for m in self.context.get_messages() if m["role"] == "user"]


@asynccontextmanager
async def listening(
    stt: FrameProcessor,
    params: LLMUserAggregatorParams,
    *,
    interruptions: bool = True,
    behind: Sequence[FrameProcessor] = (),
) -> AsyncIterator[Ears]:
    """``stt`` and pipecat's aggregators at work; ``behind`` stands before the model."""
    context = LLMContext()
    pair = LLMContextAggregatorPair(context, user_params=params)
    ears = Ears(context, pair.user())
    NoiseRecovery(pair, ears.context, apology=APOLOGY, interruptions=interruptions)

    async def on_turn(_aggregator: Any, _strategy: Any, message: Any) -> None:
        ears.turns.append(message.content)
        ears.changed.set()

    async def on_turn_started(_aggregator: Any, strategy: Any) -> None:
        ears.openers.append(strategy)

    pair.user().add_event_handler("on_user_turn_started", on_turn_started)
    pair.user().add_event_handler("on_user_turn_stopped", on_turn)
    ears.worker = PipelineWorker(
        Pipeline([stt, pair.user(), *behind, Probe(ears), pair.assistant()]),
        params=PipelineParams(audio_in_sample_rate=RATE_HZ),
        observers=[Tap(ears)],
        enable_rtvi=False,
        idle_timeout_secs=None,
    )
    started = asyncio.Event()

    async def on_started(*_: Any) -> None:
        started.set()

    ears.worker.add_event_handler("on_pipeline_started", on_started)
    runner = WorkerRunner(handle_sigint=False)
    await runner.add_workers(ears.worker)
    async with asyncio.TaskGroup() as group:
        group.create_task(runner.run())
        try:
            await started.wait()
            yield ears
        finally:
            await ears.worker.cancel()


def loud(seconds: float) -> Samples:
    """Audible audio for fakes: its content does not matter."""
    return np.full(int(seconds * RATE_HZ), 3_000, np.int16)

"""A whole conversation whose speaker can be held, and whose model counts what is read of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from openai.types.chat import ChatCompletionChunk
from pipecat.frames.frames import (
    Frame,
    InterruptionFrame,
    LLMMessagesAppendFrame,
    OutputAudioRawFrame,
    StartFrame,
)
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.frame_processor import FrameDirection
from pipecat.transports.base_input import BaseInputTransport
from pipecat.transports.base_output import BaseOutputTransport
from pipecat.transports.base_transport import BaseTransport, TransportParams

from bot.config.schema import Settings
from bot.config.secrets import Secrets
from bot.conversation import Conversation
from bot.llm.endpoint import LlmEndpoint
from bot.llm.service import EarshotLLMService
from bot.parts import Parts
from speech.queues import QueueUse
from speech.timeline import Timeline
from tests.core.stage import PATIENCE_S, FakeRecogniser
from tests.processors.fake_engine import FakeEngine

LEAD_S, WAITING = 0.5, 100

NOWHERE = "http://127.0.0.1:9/v1"

Reply = Callable[[], Iterable[ChatCompletionChunk]]


class CountedModel(EarshotLLMService):
    """The real service; ``read`` is how many pieces of answers were taken from it."""

    def __init__(self, url: str, settings: Settings) -> None:
        super().__init__(LlmEndpoint(url, "fake", "configured", ""), settings)
        self.read = 0

    async def _push_llm_text(self, text: str) -> None:
        self.read += 1
        await super()._push_llm_text(text)


class FakeModel(CountedModel):
    """Gives the chunks of ``replies`` as they are asked for; the last one repeats."""

    def __init__(self, settings: Settings, replies: list[Reply]) -> None:
        super().__init__(NOWHERE, settings)
        self._replies = replies
        self.asked: list[list[Any]] = []
        self.closed = asyncio.Event()

    async def get_chat_completions(self, context: LLMContext) -> Any:  # type: ignore[override]
        self.asked.append(list(context.get_messages()))
        return self._stream(self._replies[min(len(self.asked), len(self._replies)) - 1])

    async def _stream(self, reply: Reply) -> AsyncIterator[ChatCompletionChunk]:
        self.closed.clear()
        try:
            for chunk in reply():
                yield chunk
                await asyncio.sleep(0)
        finally:
            self.closed.set()


class FakeSpeaker(BaseOutputTransport):
    """Takes a chunk at once while ``open`` is set, and none while it is not; throws every chunk
    away while it is ``gone``."""

    def __init__(self, params: TransportParams) -> None:
        super().__init__(params)
        self.open = asyncio.Event()
        self.open.set()
        self.gone = False
        self.held = asyncio.Event()
        self.written_s = 0.0
        self.interrupted = asyncio.Event()

    async def start(self, frame: StartFrame) -> None:
        await super().start(frame)
        await self.set_transport_ready(frame)

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        if isinstance(frame, InterruptionFrame):
            self.interrupted.set()
        await super().process_frame(frame, direction)

    async def write_audio_frame(self, frame: OutputAudioRawFrame) -> bool:
        self.held.set()
        await self.open.wait()
        if self.gone:
            return False
        self.written_s += frame.num_frames / frame.sample_rate
        return True


class FakeTransport(BaseTransport):
    """Knows no played position, as a browser's: what counts is what has been written."""

    def __init__(self) -> None:
        super().__init__()
        params = TransportParams(
            audio_out_enabled=True, audio_out_sample_rate=24_000, audio_out_end_silence_secs=0
        )
        self._output = FakeSpeaker(params)
        self._input = BaseInputTransport(params)

    def input(self) -> BaseInputTransport:
        return self._input

    def output(self) -> FakeSpeaker:
        return self._output


Model = TypeVar("Model", bound=CountedModel)


@dataclass
class Hall(Generic[Model]):
    conversation: Conversation
    speaker: FakeSpeaker
    model: Model
    engine: FakeEngine
    timeline: Timeline
    run: asyncio.Task[None] = field(init=False)

    async def ask(self) -> None:
        message = {"role": "user", "content": "Go on."}
        frame = LLMMessagesAppendFrame([message], run_llm=True)
        await self.conversation.worker.queue_frame(frame)

    async def until(self, met: Callable[[], bool]) -> None:
        """Look again after each event of the timeline."""
        news = asyncio.Event()
        loop = asyncio.get_running_loop()
        stop = self.timeline.subscribe(lambda _: loop.call_soon_threadsafe(news.set))
        try:
            async with asyncio.timeout(PATIENCE_S):
                while not met():
                    news.clear()
                    await news.wait()
        finally:
            stop()

    async def still(self) -> int:
        """Ask, hold the speaker, and wait until nothing more is read; how much was."""
        self.speaker.open.clear()
        await self.ask()
        async with asyncio.timeout(PATIENCE_S):
            await self.speaker.held.wait()
            read = -1
            while read != self.model.read:
                read = self.model.read
                for _ in range(100):
                    await asyncio.sleep(0.001)
        return read

    def use(self, name: str) -> QueueUse:
        return next(use for use in self.timeline.queues.uses() if use.name == name)

    @property
    def heard(self) -> str:
        events = [event for event in self.timeline.events if event.name == "heard_text"]
        return "".join(str(event.fields["text"]) for event in events)


@asynccontextmanager
async def hall(
    *replies: Reply, tools: tuple[str, ...] = (), **sections: Any
) -> AsyncIterator[Hall[FakeModel]]:
    """A conversation that runs, with a model that gives ``replies``; leaving ends it."""
    settings = make_settings(tools, sections)
    async with _running(FakeModel(settings, list(replies)), settings) as made:
        yield made


@asynccontextmanager
async def hall_with(url: str, **sections: Any) -> AsyncIterator[Hall[CountedModel]]:
    """The same with a server."""
    settings = make_settings((), sections)
    async with _running(CountedModel(url, settings), settings) as made:
        yield made


def make_settings(tools: tuple[str, ...], sections: dict[str, Any]) -> Settings:
    own = {
        "bot": {"greeting": "", "goodbye": "", "apology": ""},
        "tts": {"lead_s": LEAD_S},
        "units": {"waiting": WAITING},
        "tools": {"enabled": tools},
    }
    return Settings.model_validate(own | sections)


@asynccontextmanager
async def _running(model: Model, settings: Settings) -> AsyncIterator[Hall[Model]]:
    engine, timeline, transport = FakeEngine(), Timeline(), FakeTransport()
    endpoint = LlmEndpoint(NOWHERE, "fake", "configured", "")
    endpoint.service = lambda _: model  # type: ignore[method-assign]
    parts = Parts(settings, Secrets(), engine, FakeRecogniser(""), endpoint)
    conversation = Conversation(parts, transport, timeline)
    made = Hall(conversation, transport.output(), model, engine, timeline)
    made.run = asyncio.create_task(conversation.run())
    await made.until(lambda: any(event.name == "session_start" for event in timeline.events))
    try:
        yield made
    finally:
        made.speaker.open.set()
        async with asyncio.timeout(PATIENCE_S):
            await conversation.cancel()
            await made.run

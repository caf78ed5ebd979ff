"""A whole conversation on the scripted transport, with fakes at its edges only.

The pipeline, pipecat's worker, the LLM service and its HTTP are real; the voice speaks tones,
the recogniser says what it is told, the model is a scripted loopback server.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pipecat.frames.frames import (
    TranscriptionFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.utils.time import time_now_iso8601

from bot.config.schema import Settings
from bot.config.secrets import Secrets
from bot.conversation import Conversation
from bot.llm import LlmEndpoint
from bot.parts import Parts
from processors.phrases import prepare_phrases
from speech.hearing.recogniser import Transcript
from speech.timeline import Timeline, TimelineEvent
from tests.llm.fake_server import FakeOpenAiServer, FakeReply, says
from tests.processors.fake_engine import FakeEngine
from transports.script import ScriptParams, ScriptTransport

PATIENCE_S = 10.0
"""Nothing here takes two seconds on an idle machine; what hangs does so for ever."""

LOUD = np.tile([8_000, -8_000], 1_600).astype(np.int16)
"""0.2 s of sound."""

SETTINGS: dict[str, Any] = {
    "bot": {"greeting": "Hello.", "goodbye": "Goodbye.", "apology": "Sorry, no."},
    "turn": {"end": "silence", "silence_s": 0.2},
    "llm": {"first_token_timeout_s": 30.0, "stall_timeout_s": 30.0},
}


class FakeRecogniser:
    """Hears ``text``, once ``gate`` is open."""

    name = "fake"

    def __init__(self, text: str) -> None:
        self.text = text
        self.gate = asyncio.Event()
        self.gate.set()
        self.asked = asyncio.Event()

    async def start(self) -> None: ...

    async def transcribe(self, samples: NDArray[np.int16], rate_hz: int) -> Transcript:
        self.asked.set()
        await self.gate.wait()
        return Transcript(self.text, 0.0)

    async def aclose(self) -> None: ...


@dataclass
class Stage:
    """A conversation and what happened in it."""

    conversation: Conversation
    transport: ScriptTransport
    timeline: Timeline
    engine: FakeEngine
    recogniser: FakeRecogniser
    server: FakeOpenAiServer
    run: asyncio.Task[None] = field(init=False)
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    def start(self) -> None:
        loop = asyncio.get_running_loop()
        self.timeline.subscribe(lambda _: loop.call_soon_threadsafe(self._news.set))
        self.run = asyncio.create_task(self.conversation.run())

    async def until(self, met: Callable[[], bool]) -> None:
        """Look again after each event of the timeline."""
        async with asyncio.timeout(PATIENCE_S):
            while not met():
                self._news.clear()
                await self._news.wait()

    async def until_event(self, name: str, count: int = 1) -> None:
        await self.until(lambda: len(self.named(name)) >= count)

    async def until_asked(self) -> None:
        """Until the model's server has begun to answer and gone quiet."""
        async with asyncio.timeout(PATIENCE_S):
            await self.server.streaming.wait()

    async def hear(self, text: str) -> None:
        """What the user said, as a final transcript."""
        frame = TranscriptionFrame(text, "", time_now_iso8601(), finalized=True)
        await self.conversation.worker.queue_frame(frame)

    async def speak(self) -> None:
        """Let the user make sounds for a while; returns when the recogniser has them."""
        worker = self.conversation.worker
        await worker.queue_frame(VADUserStartedSpeakingFrame(start_secs=0.2))
        played = self.transport.play(LOUD)
        await asyncio.sleep(played.end - self.timeline.clock() + 0.1)
        await worker.queue_frame(VADUserStoppedSpeakingFrame(stop_secs=0.2))
        async with asyncio.timeout(PATIENCE_S):
            await self.recogniser.asked.wait()

    async def end(self, *, goodbye: bool = True) -> None:
        """Wish for the end; returns when ``run`` has."""
        async with asyncio.timeout(PATIENCE_S):
            await self.conversation.end(goodbye=goodbye)
            await self.run

    async def cancel(self) -> None:
        """End at once; returns when ``run`` has."""
        async with asyncio.timeout(PATIENCE_S):
            await self.conversation.cancel()
            await self.run

    async def ended(self) -> None:
        """Return, or raise, as ``run`` does."""
        async with asyncio.timeout(PATIENCE_S):
            await self.run

    def named(self, name: str) -> list[TimelineEvent]:
        return [event for event in self.timeline.events if event.name == name]

    @property
    def heard(self) -> str:
        return "".join(str(event.fields["text"]) for event in self.named("heard_text"))


@asynccontextmanager
async def stage(
    *replies: FakeReply,
    tools: Sequence[str] = (),
    hears: str = "And now?",
    wait_for_client: bool = False,
    **sections: dict[str, Any],
) -> AsyncIterator[Stage]:
    """A conversation that is not running yet; leaving cancels what still runs."""
    keys = {name: SETTINGS.get(name, {}) | sections.get(name, {}) for name in SETTINGS | sections}
    settings = Settings.model_validate({"tools": {"enabled": tuple(tools)}} | keys)
    engine, recogniser, timeline = FakeEngine(), FakeRecogniser(hears), Timeline()
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(FakeOpenAiServer(*(replies or [says("Yes.")])))
        bot = settings.bot
        texts = [text for text in (bot.greeting, bot.goodbye, bot.apology) if text]
        parts = Parts(
            settings,
            Secrets(),
            engine,
            recogniser,
            LlmEndpoint(server.base_url, "fake", "configured", "a fake"),
            phrases=await prepare_phrases(engine, "fake", 1.0, texts),
        )
        transport = ScriptTransport(ScriptParams(), timeline)
        conversation = Conversation(parts, transport, timeline, wait_for_client=wait_for_client)
        made = Stage(conversation, transport, timeline, engine, recogniser, server)
        try:
            yield made
        finally:
            engine.gate.set()
            recogniser.gate.set()
            if hasattr(made, "run") and not made.run.done():
                made.run.cancel()
                await asyncio.wait([made.run], timeout=PATIENCE_S)

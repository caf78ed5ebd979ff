"""The service in a small real pipeline: context, model, a fake voice, record of what was said."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from pipecat.adapters.llm.schemas.tools_schema import ToolsSchema
from pipecat.frames.frames import (
    EndFrame,
    ErrorFrame,
    Frame,
    InterruptionFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    LLMMessagesAppendFrame,
    LLMTextFrame,
    MetricsFrame,
    TTSTextFrame,
)
from pipecat.metrics.metrics import LLMUsageMetricsData
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineParams, PipelineWorker
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import LLMContextAggregatorPair
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor
from pipecat.utils.text.base_text_aggregator import TextType
from pipecat.workers.runner import WorkerRunner

from bot.config.schema import Settings
from bot.llm.endpoint import LlmEndpoint
from bot.tools import Tool
from tests.llm.fake_server import FakeOpenAiServer

DEADLINE_S = 30.0
"""For a busy machine; nothing here takes longer than two seconds on an idle one."""

LIMITS = {
    "connect_timeout_s": 10.0,
    "first_token_timeout_s": 10.0,
    "stall_timeout_s": 10.0,
    "max_retry_after_s": 2.0,
}
"""Long, so that a busy machine does not look like a fault; tests of a limit shorten theirs."""


def settings(**llm: Any) -> Settings:
    return Settings(llm={**LIMITS, **llm}, bot={"apology": "Sorry, no."})


class FakeVoice(FrameProcessor):
    """Speaks a reply ``latency_s`` after it is complete, without holding up other frames."""

    def __init__(self, latency_s: float = 0.0) -> None:
        super().__init__()
        self.latency_s = latency_s
        self.spoken: list[str] = []
        self.tokens: list[str] = []
        self.usage: list[int] = []
        self.ends = 0
        self.changed = asyncio.Condition()
        self._text = ""

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        if isinstance(frame, LLMTextFrame):
            self._text += frame.text
            await self._note(self.tokens, frame.text)
            return
        if isinstance(frame, MetricsFrame):
            usages = [d.value for d in frame.data if isinstance(d, LLMUsageMetricsData)]
            self.usage += [usage.total_tokens for usage in usages]
        if isinstance(frame, LLMFullResponseStartFrame | InterruptionFrame):
            self._text = ""
        if isinstance(frame, LLMFullResponseEndFrame):
            self.create_task(self._speak(frame, self._text))
            return
        await self.push_frame(frame, direction)

    async def _speak(self, end: Frame, said: str) -> None:
        if said:
            await asyncio.sleep(self.latency_s)
            spoken = TTSTextFrame(said, text_type=TextType.SENTENCE)
            await self.push_frame(spoken)
            self.spoken.append(said)
        await self.push_frame(end)
        self.ends += 1
        async with self.changed:
            self.changed.notify_all()

    async def _note(self, log: list[str], said: str) -> None:
        log.append(said)
        async with self.changed:
            self.changed.notify_all()


@dataclass
class Bench:
    worker: PipelineWorker
    voice: FakeVoice
    context: LLMContext
    errors: list[ErrorFrame] = field(default_factory=list)

    async def until(self, met: Callable[[], bool]) -> None:
        async with asyncio.timeout(DEADLINE_S), self.voice.changed:
            await self.voice.changed.wait_for(met)

    async def ask(self, prompt: str = "Hello?", replies: int = 1) -> None:
        """One turn; returns when ``replies`` more completions have been spoken."""
        goal = self.voice.ends + replies
        await self.start(prompt)
        await self.until(lambda: self.voice.ends >= goal)

    async def start(self, prompt: str) -> None:
        message = {"role": "user", "content": prompt}
        await self.worker.queue_frame(LLMMessagesAppendFrame([message], run_llm=True))

    @property
    def spoken(self) -> list[str]:
        return self.voice.spoken

    @property
    def messages(self) -> list[Any]:
        return list(self.context.get_messages())


@asynccontextmanager
async def bench(
    server: FakeOpenAiServer | LlmEndpoint,
    config: Settings | None = None,
    tools: list[Tool] | None = None,
    voice_latency_s: float = 0.0,
) -> AsyncIterator[Bench]:
    config = config or settings()
    endpoint = (
        server
        if isinstance(server, LlmEndpoint)
        else LlmEndpoint(server.base_url, "fake", "configured", "a fake", "sk-secret", "A_KEY")
    )
    llm = endpoint.service(config)
    for tool in tools or []:
        tool.register(llm)
    context = LLMContext(
        tools=ToolsSchema(standard_tools=[tool.schema for tool in tools or []]),
    )
    heard, record = LLMContextAggregatorPair(context)
    voice = FakeVoice(voice_latency_s)
    worker = PipelineWorker(
        Pipeline([heard, llm, voice, record]),
        params=PipelineParams(enable_metrics=True, enable_usage_metrics=True),
        enable_rtvi=False,
        idle_timeout_secs=None,
    )
    table = Bench(worker, voice, context)

    async def on_error(_worker: PipelineWorker, frame: ErrorFrame) -> None:
        table.errors.append(frame)

    worker.add_event_handler("on_pipeline_error", on_error)
    started = asyncio.Event()

    async def on_started(_worker: PipelineWorker, _frame: Frame) -> None:
        started.set()

    worker.add_event_handler("on_pipeline_started", on_started)
    runner = WorkerRunner(handle_sigint=False)
    await runner.add_workers(worker)
    running = asyncio.create_task(runner.run())
    try:
        async with asyncio.timeout(DEADLINE_S):
            await started.wait()
        yield table
        await worker.queue_frame(EndFrame())
        async with asyncio.timeout(DEADLINE_S):
            await running
    finally:
        if not running.done():
            await worker.cancel()
            await running

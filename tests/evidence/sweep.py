"""The parts between the user's words and the record, without sound: fast enough for sweeps."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from pipecat.adapters.llm.schemas.tools_schema import ToolsSchema
from pipecat.frames.frames import InterruptionFrame, LLMMessagesAppendFrame
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineWorker
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import LLMContextAggregatorPair
from pipecat.workers.runner import WorkerRunner

from bot.config.schema import Settings
from bot.llm.endpoint import LlmEndpoint
from bot.tools import ToolContext, load_tools
from processors.aggregator import UnitAggregator
from processors.evidence import EvidenceGate
from processors.heard import HeardText
from processors.kokoro_tts import KokoroTTSService
from processors.settled_calls import SettledCalls
from speech.evidence.rules import Rules
from speech.timeline import Timeline
from tests.llm.fake_server import FakeOpenAiServer
from tests.processors.fake_engine import FakeEngine

PATIENCE_S = 30.0


@dataclass
class Table:
    """A conversation of texts."""

    worker: PipelineWorker
    context: LLMContext
    timeline: Timeline
    pair: LLMContextAggregatorPair

    async def ask(self, text: str) -> None:
        message = {"role": "user", "content": text}
        await self.worker.queue_frame(LLMMessagesAppendFrame([message], run_llm=True))

    async def interrupt(self) -> None:
        await self.worker.queue_frame(InterruptionFrame())

    async def until(self, met: Callable[[], bool]) -> None:
        """Look again after each event of the timeline."""
        news = asyncio.Event()
        stop = self.timeline.subscribe(lambda _: news.set())
        try:
            async with asyncio.timeout(PATIENCE_S):
                while not met():
                    news.clear()
                    await news.wait()
        finally:
            stop()

    @property
    def heard(self) -> str:
        events = [e for e in self.timeline.events if e.name == "heard_text"]
        return "".join(str(event.fields["text"]) for event in events)

    @property
    def open_calls(self) -> dict[str, Any]:
        return dict(self.pair.assistant()._function_calls_in_progress)


@asynccontextmanager
async def table(server: FakeOpenAiServer, tool: str) -> AsyncIterator[Table]:
    timeline = Timeline()
    llm = LlmEndpoint(server.base_url, "fake", "configured", "a fake").service(Settings())
    tools = load_tools([tool], ToolContext(_silent))
    for one in tools:
        one.register(llm)
    context = LLMContext(tools=ToolsSchema(standard_tools=[one.schema for one in tools]))
    pair = LLMContextAggregatorPair(context)
    names = [one.name for one in tools if one.evidence]
    voice = KokoroTTSService(FakeEngine(), voice="fake", speed=1.0, timeline=timeline)
    stages = [llm, UnitAggregator(), EvidenceGate(Rules(), timeline, evidence=names), voice]
    after = [HeardText(timeline), SettledCalls(), pair.assistant()]
    worker = PipelineWorker(
        Pipeline([pair.user(), *stages, *after]), enable_rtvi=False, idle_timeout_secs=None
    )
    runner = WorkerRunner(handle_sigint=False)
    await runner.add_workers(worker)
    running = asyncio.create_task(runner.run())
    try:
        yield Table(worker, context, timeline, pair)
    finally:
        await worker.cancel()
        await running


async def _silent(_text: str) -> None: ...

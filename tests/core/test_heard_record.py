"""The model is told just the words whose end was audible, wherever the user cut in (C07)."""

from __future__ import annotations

import asyncio

import pytest
from pipecat.frames.frames import (
    Frame,
    InterruptionFrame,
    LLMFullResponseStartFrame,
    TTSTextFrame,
)
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineWorker
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import LLMContextAggregatorPair
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor
from pipecat.utils.text.base_text_aggregator import TextType
from pipecat.workers.runner import WorkerRunner

from processors.heard import HeardText
from speech.timeline import Timeline
from tests.core.stage import Stage, stage
from tests.llm.fake_server import says

WORD_S = 0.1
"""The fake voice's."""

ANSWER = " ".join(f"word{number}" for number in range(30)) + "."


def _assistant(s: Stage) -> str:
    """What the bot said after the greeting, as the last request has it."""
    messages = s.server.requests[-1]["messages"]
    return "".join(m["content"] for m in messages if m["role"] == "assistant")


@pytest.mark.parametrize("played_s", [0.0, 0.06, 0.25, 0.61, 0.98])
async def test_c07_the_next_request_holds_what_was_heard(played_s: float) -> None:
    async with stage(says(ANSWER), says("Fine."), bot={"greeting": ""}) as s:
        s.start()
        await s.until_event("session_start")
        await s.hear("Go on.")
        await s.until_event("scheduled" if played_s else "tts_request")
        reply_id = s.named("tts_request")[-1].reply_id
        while s.transport.played_position(reply_id) < played_s:  # noqa: ASYNC110 - no event
            await asyncio.sleep(0.002)
        await s.conversation.worker.queue_frame(InterruptionFrame())
        await s.until_event("bot_stopped" if played_s else "interrupt")
        await s.hear("Stop.")
        await s.until_event("llm_request", 2)
        await s.until(lambda: "Fine." in s.heard)
        words = _assistant(s).split()
        heard = s.transport.played_position(reply_id)
        await s.end()
    assert words == ANSWER.split()[: len(words)]
    assert len(words) == int(heard / WORD_S + 1e-6)
    assert _unsaid(s) == (ANSWER.split()[len(words) :] if words else None)


def _unsaid(s: Stage) -> list[str] | None:
    """What the model was told that nobody had heard."""
    messages = s.server.requests[-1]["messages"]
    notes = [m["content"] for m in messages if "did not hear" in str(m["content"])]
    return notes[-1].partition(': "')[2].removesuffix('"').split() if notes else None


async def test_c07_the_model_need_not_be_told() -> None:
    off = {"tell_unsaid": False}
    async with stage(says(ANSWER), says("Fine."), bot={"greeting": ""}, barge_in=off) as s:
        s.start()
        await s.until_event("session_start")
        await s.hear("Go on.")
        await s.until_event("heard_text", 3)
        await s.hear("Stop.")
        await s.until_event("llm_request", 2)
        await s.end()
    assert _unsaid(s) is None


async def test_what_was_not_said_counts_neither_as_heard_nor_as_unheard() -> None:
    written = "This FAIL is not said. See [our page](https://example.org) now. " + ANSWER
    async with stage(says(written), says("Fine."), bot={"greeting": ""}) as s:
        s.start()
        await s.until_event("session_start")
        await s.hear("Go on.")
        await s.until(lambda: "word2" in s.heard)
        await s.hear("What about Sunday?")
        await s.until_event("llm_request", 2)
        words = _assistant(s).split()
        await s.end()
    assert words[:5] == ["This", "See", "our", "page", "now."]
    assert [*words[5:], *(_unsaid(s) or [])] == ANSWER.split()


class FakeOutput(FrameProcessor):
    """Gives out words and the interruption in one go, as an output does at a cut."""

    def __init__(self) -> None:
        super().__init__(enable_direct_mode=True)

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        await self.push_frame(frame, direction)

    async def cut_in(self, words: list[str]) -> None:
        await self.push_frame(LLMFullResponseStartFrame())
        for word in words:
            frame = TTSTextFrame(f"{word} ", TextType.WORD)
            frame.includes_inter_frame_spaces = True
            await self.push_frame(frame)
        await self.push_frame(InterruptionFrame())


async def test_heard_words_are_recorded_though_the_interruption_overtakes_them() -> None:
    context, output, heard = LLMContext(), FakeOutput(), HeardText(Timeline())
    assistant = LLMContextAggregatorPair(context).assistant()
    stages = [output, heard, assistant, heard.recorded()]
    worker = PipelineWorker(Pipeline(stages), enable_rtvi=False, idle_timeout_secs=None)
    started = asyncio.Event()
    worker.add_event_handler("on_pipeline_started", lambda *_: started.set())
    runner = WorkerRunner(handle_sigint=False)
    await runner.add_workers(worker)
    running = asyncio.create_task(runner.run())
    try:
        async with asyncio.timeout(10):
            await started.wait()
            await output.cut_in(ANSWER.split())
            await worker.flush_pipeline()
    finally:
        await worker.cancel()
        await running
    assert [str(m["content"]).strip() for m in context.messages] == [ANSWER]  # type: ignore[union-attr]

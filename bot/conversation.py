"""One conversation on one transport."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from loguru import logger
from pipecat.adapters.llm.schemas.tools_schema import ToolsSchema
from pipecat.frames.frames import EndFrame, ErrorFrame, Frame, InterruptionFrame, TTSSpeakFrame
from pipecat.pipeline.worker import PipelineParams, PipelineWorker
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.transports.base_transport import BaseTransport
from pipecat.workers.runner import WorkerRunner

from bot.logs import blank_speech, is_ours
from bot.parts import Parts
from bot.pipeline import build_pipeline
from bot.tools import ToolContext, load_tools
from processors.timeline import TimelineClock, TimelineObserver
from speech.timeline import Timeline

GOODBYE_DEADLINE_S = 1.0
"""From the wish to end to the end: the goodbye is spoken within it or cut off."""


class Conversation:
    """Greets, listens, answers, says goodbye.

    ``run`` returns when the conversation has ended: by ``end``, by ``cancel``, or because
    the transport's peer has left and the owner called either. With ``handle_sigint`` the
    first Ctrl-C calls ``end`` and the second ``cancel``. ``wait_for_client`` holds the
    greeting until ``client_ready`` is called. ``rtvi`` adds pipecat's client protocol.
    """

    def __init__(
        self,
        parts: Parts,
        transport: BaseTransport,
        timeline: Timeline,
        *,
        greet: bool = True,
        wait_for_client: bool = False,
        handle_sigint: bool = False,
        rtvi: bool = False,
    ) -> None:
        self._parts = parts
        self._timeline = timeline
        self._greet = greet
        self._handle_sigint = handle_sigint
        self._ending = False
        self._started = asyncio.Event()
        self._finished = asyncio.Event()
        self._client_ready = asyncio.Event()
        if not wait_for_client:
            self._client_ready.set()
        llm = parts.llm.service(parts.settings)
        self._tool_context = ToolContext(self.say, timeout_s=parts.settings.tools.timeout_s)
        names = parts.settings.tools.enabled if parts.llm.tools_ok else ()
        tools = load_tools(names, self._tool_context)
        for tool in tools:
            tool.register(llm)
        self._context = LLMContext(
            messages=[{"role": "system", "content": self._system_prompt()}],
            tools=ToolsSchema(standard_tools=[tool.schema for tool in tools]),
        )
        self._worker = self._build_worker(transport, llm, rtvi)

    def _system_prompt(self) -> str:
        return self._parts.phrase(self._parts.settings.bot.system_prompt)

    def _build_worker(self, transport: BaseTransport, llm: Any, rtvi: bool) -> PipelineWorker:
        worker = PipelineWorker(
            build_pipeline(transport, self._parts, llm, self._context, self._timeline),
            params=PipelineParams(
                audio_in_sample_rate=self._parts.settings.audio.input_rate_hz,
                audio_out_sample_rate=self._parts.settings.audio.output_rate_hz,
            ),
            clock=TimelineClock(self._timeline),
            observers=[TimelineObserver(self._timeline)],
            enable_rtvi=rtvi,
            idle_timeout_secs=None,  # silence is no reason to leave
        )
        worker.add_event_handler("on_pipeline_started", self._on_started)
        worker.add_event_handler("on_pipeline_error", self._on_error)
        return worker

    @property
    def messages(self) -> list[Any]:
        """The context: what was said to the bot, what was heard of it, tools."""
        return list(self._context.get_messages())

    @property
    def worker(self) -> PipelineWorker:
        """Pipecat's worker, for transports that attach their own events."""
        return self._worker

    def client_ready(self) -> None:
        """The listener can hear now: the greeting may start. Idempotent."""
        self._client_ready.set()

    async def run(self) -> None:
        """Talk until ended; cancelling the task that runs this ends at once."""
        runner = WorkerRunner(handle_sigint=False)
        await runner.add_workers(self._worker)
        try:
            async with asyncio.TaskGroup() as group:
                greeting = group.create_task(self._say_greeting())
                with self._interrupt_signal(group):
                    await runner.run()
                greeting.cancel()
        finally:
            self._finished.set()
            self._timeline.mark("session_end")
            await self._tool_context.aclose()

    @contextmanager
    def _interrupt_signal(self, group: asyncio.TaskGroup) -> Iterator[None]:
        """The first Ctrl-C says goodbye, the second ends at once."""
        if not self._handle_sigint:
            yield
            return
        loop = asyncio.get_running_loop()

        def on_interrupt() -> None:
            group.create_task(self.cancel() if self._ending else self.end())

        loop.add_signal_handler(signal.SIGINT, on_interrupt)
        try:
            yield
        finally:
            loop.remove_signal_handler(signal.SIGINT)

    async def _on_started(self, _worker: PipelineWorker, _frame: Frame) -> None:
        self._started.set()

    async def _on_error(self, _worker: PipelineWorker, frame: ErrorFrame) -> None:
        # Pipecat's own two lines for it are filtered out (bot.logs).
        ours = frame.processor is not None and is_ours(type(frame.processor).__module__)
        logger.error("{}", frame.error if ours else blank_speech(frame.error))

    async def _say_greeting(self) -> None:
        await self._started.wait()
        await self._client_ready.wait()
        self._timeline.mark("session_start")
        if self._greet and (text := self._parts.phrase(self._parts.settings.bot.greeting)):
            await self.say(text)

    async def say(self, text: str, *, interruptible: bool = True) -> None:
        """Speak a text as a reply of its own, in turn with what is being said."""
        frame = TTSSpeakFrame(text)
        frame.interruptible = interruptible
        await self._worker.queue_frame(frame)

    async def end(self, *, goodbye: bool = True) -> None:
        """Stop talking, say goodbye, and let ``run`` return within a second; idempotent."""
        if self._ending:
            return
        self._ending = True
        await self._worker.queue_frame(InterruptionFrame())
        if goodbye and (text := self._parts.phrase(self._parts.settings.bot.goodbye)):
            await self.say(text, interruptible=False)
        await self._worker.queue_frame(EndFrame())
        try:
            async with asyncio.timeout(GOODBYE_DEADLINE_S):
                await self._finished.wait()
        except TimeoutError:
            await self.cancel()

    async def cancel(self) -> None:
        """End at once, in silence."""
        self._ending = True
        await self._worker.cancel()

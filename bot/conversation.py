"""One conversation on one transport."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

from loguru import logger
from pipecat.adapters.llm.schemas.tools_schema import ToolsSchema
from pipecat.frames.frames import ErrorFrame, Frame, InterruptionFrame, TTSSpeakFrame
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineParams, PipelineWorker
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.frameworks.rtvi import RTVIObserverParams
from pipecat.transports.base_transport import BaseTransport

from bot.announcements import Announcements
from bot.barge_in import build_barge_in
from bot.error_line import error_line
from bot.evidence import build_evidence
from bot.parts import Parts
from bot.pipeline import build_pipeline
from bot.pipeline_run import PipelineRun
from bot.reprompts import Reprompts, Silence
from bot.tools import ToolContext, load_tools
from processors.closing import Closing
from processors.floor import Floor
from processors.timeline import TimelineClock, TimelineObserver
from processors.turn_patience import TalkKey
from processors.visitors import VisitorProtocol
from speech.barge_in.events import Key
from speech.timeline import Timeline


class EndLimits(NamedTuple):
    """``goodbye_s`` is from the wish to end to the moment a goodbye is cut off; then the
    transport has ``teardown_s`` to close before it is abandoned."""

    goodbye_s: float
    teardown_s: float


BY_THE_MACHINE = EndLimits(0.75, 0.15)
"""``run`` returns within a second: devices close in some 20 ms, abandoning them takes 100 ms."""

OVER_A_NETWORK = EndLimits(1.5, 0.4)
"""A call is hung up by a request to a service far away, which a cut must not break off; both
together stay below what ``bot.web.sessions`` grants."""


UNHURRIED_GOODBYE_S = 15.0
"""Where nobody waits for the end a long goodbye is heard out."""


class Conversation:
    """Greets, listens, answers, says goodbye.

    ``run`` returns when the conversation has ended: by ``end``, by ``cancel``, or because
    the transport's peer has left and the owner called either. With ``handle_sigint`` the
    first Ctrl-C calls ``end`` and the second ``cancel``. ``wait_for_client`` holds the
    greeting until ``client_ready`` is called. ``rtvi`` adds pipecat's client protocol
    as far as strangers may use it. ``reprompt_s`` is the silence of the user after which they
    are asked, and later left, where ``turn.reprompt_s`` is auto; 0: never.
    ``limits`` bound what comes after the wish to end. ``echo_path``: the microphone may hear
    the loudspeaker.
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
        reprompt_s: float = 0.0,
        limits: EndLimits = BY_THE_MACHINE,
        echo_path: bool = True,
    ) -> None:
        self._parts = parts
        self._timeline = timeline
        self._greet = greet
        self._handle_sigint = handle_sigint
        self._started = asyncio.Event()
        self._finished = asyncio.Event()
        self._client_ready = asyncio.Event()
        if not wait_for_client:
            self._client_ready.set()
        llm: Any = parts.llm.service(parts.settings)
        self._floor = floor = Floor()
        self._barge_in = build_barge_in(parts.settings, transport, timeline, echo_path=echo_path)
        self._announcements = Announcements(self.say, floor)
        self._tool_context = ToolContext(
            self.say,
            announce=self._announcements.say,
            timeout_s=parts.settings.tools.timeout_s,
            log_text=parts.settings.privacy.log_text,
            may_run=self._barge_in.may_run if self._barge_in else None,
        )
        names = parts.settings.tools.enabled if parts.llm.tools_ok else ()
        tools = load_tools(names, self._tool_context)
        for tool in tools:
            tool.register(llm)
        schemas = ToolsSchema(standard_tools=[tool.schema for tool in tools])
        self._context = LLMContext(tools=schemas)
        self._reprompts = Reprompts(
            Silence.of(parts.settings.turn, reprompt_s),
            floor,
            ask=self._reprompt,
            leave=self._leave,
            said=self._said,
            busy=lambda: self._tool_context.busy,
        )
        self._limits = limits
        self._closing, self._key = Closing(), TalkKey()
        evidence = build_evidence(parts.settings, tools, parts.waits, timeline)
        pipeline = build_pipeline(
            transport,
            parts,
            llm,
            self._context,
            timeline,
            self._closing,
            floor,
            evidence,
            self._barge_in,
            self._key,
        )
        self._worker = self._build_worker(pipeline, rtvi)
        self._pipeline_run = PipelineRun(pipeline, self._worker, teardown_s=limits.teardown_s)

    def _build_worker(self, pipeline: Pipeline, rtvi: bool) -> PipelineWorker:
        worker = PipelineWorker(
            pipeline,
            params=PipelineParams(
                audio_in_sample_rate=self._parts.settings.audio.input_rate_hz,
                audio_out_sample_rate=self._parts.settings.audio.output_rate_hz,
            ),
            clock=TimelineClock(self._timeline),
            observers=[TimelineObserver(self._timeline, mark_interrupts=self._barge_in is None)],
            enable_rtvi=rtvi,
            rtvi_processor=VisitorProtocol() if rtvi else None,
            # A turn lasts until it is sure that nothing more comes: a page shows the voice too.
            rtvi_observer_params=RTVIObserverParams(vad_user_speaking_enabled=True),
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
        greeting = asyncio.create_task(self._greet_and_watch(), name="greeting")
        announcing = asyncio.create_task(self._announcements.run(), name="announcements")
        try:
            with self._interrupt_signal():
                await self._pipeline_run.run()
        finally:
            greeting.cancel()
            announcing.cancel()
            self._finished.set()
            self._timeline.mark_queues()
            self._timeline.mark("session_end")
            with suppress(TimeoutError):  # A tool that takes no cancelling must not hold the end.
                async with asyncio.timeout(self._limits.teardown_s):
                    await self._tool_context.aclose()

    @contextmanager
    def _interrupt_signal(self) -> Iterator[None]:
        """The first Ctrl-C says goodbye, the second ends at once."""
        if not self._handle_sigint:
            yield
            return
        loop = asyncio.get_running_loop()
        goodbyes: set[asyncio.Task[None]] = set()

        def end(asked_at: float) -> None:
            if self._closing.closed:
                self._pipeline_run.cut()
            else:
                goodbyes.add(loop.create_task(self._end(asked_at)))

        # Not the loop's own handler: on a busy machine the loop comes to it late, and the
        # time to end in begins with the key.
        def on_interrupt(*_: object) -> None:
            loop.call_soon_threadsafe(end, loop.time())

        before = signal.signal(signal.SIGINT, on_interrupt)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)
            for goodbye in goodbyes:
                goodbye.cancel()

    async def _on_started(self, _worker: PipelineWorker, _frame: Frame) -> None:
        self._started.set()

    async def _on_error(self, _worker: PipelineWorker, frame: ErrorFrame) -> None:
        # Pipecat's own two lines for it are filtered out (bot.logs).
        logger.error("{}", error_line(frame))

    async def _greet_and_watch(self) -> None:
        await self._say_greeting()
        await self._reprompts.run()

    async def _reprompt(self) -> None:
        if text := self._parts.phrase(self._parts.settings.bot.reprompt):
            await self._announcements.cut_unheard(text)

    async def _leave(self) -> None:
        now = asyncio.get_running_loop().time()
        await self._end(now, goodbye_s=UNHURRIED_GOODBYE_S)

    def _said(self) -> list[Any]:
        return [m.get("content") for m in self.messages if m.get("role") == "user"]

    async def _say_greeting(self) -> None:
        await self._started.wait()
        await self._client_ready.wait()
        if self._closing.closed:
            return
        self._timeline.mark("session_start")
        if self._greet and (text := self._parts.phrase(self._parts.settings.bot.greeting)):
            if self._parts.settings.bot.greeting_interruptible:
                await self._announcements.greet(text, self._said)
            else:
                await self.say(text, interruptible=False)

    def talk_key(self, *, down: bool) -> None:
        """The user presses the talk key, or lets it go. It cuts what is being said, and where
        ``barge_in.policy`` is push_to_talk only what is said meanwhile is heard."""
        self._floor.key(down=down)
        self._key.press(down=down)
        if self._barge_in is not None:
            self._barge_in.take(Key(self._timeline.clock(), down))

    async def say(self, text: str, *, interruptible: bool = True) -> None:
        """Speak a text as a reply of its own, in turn with what is being said.

        Not spoken once the conversation is ending.
        """
        await self._worker.queue_frame(_spoken(text, interruptible))

    async def end(self, *, goodbye: bool = True) -> None:
        """Stop talking and listening, say goodbye, and return when ``run`` does.

        Where nobody has been greeted yet, nobody is there for a goodbye. A second call, and
        one after the end, returns at once.
        """
        await self._end(asyncio.get_running_loop().time(), goodbye=goodbye)

    async def _end(
        self, asked_at: float, *, goodbye: bool = True, goodbye_s: float | None = None
    ) -> None:
        if self._closing.closed:
            return
        text = self._parts.phrase(self._parts.settings.bot.goodbye)
        present = self._started.is_set() and self._client_ready.is_set()
        if not present:
            await self.cancel()
            return
        last_words = _spoken(text, interruptible=False) if goodbye and text else None
        self._closing.close(last_words)
        cut_at = asked_at + (self._limits.goodbye_s if goodbye_s is None else goodbye_s)
        asyncio.get_running_loop().call_at(cut_at, self._pipeline_run.cut)
        await self._worker.queue_frame(InterruptionFrame())
        if last_words is not None:
            await self._worker.queue_frame(last_words)
        await self._pipeline_run.drain()
        await self._finished.wait()

    async def cancel(self) -> None:
        """End at once, in silence: in any state, from any task, any number of times."""
        self._closing.close()
        self._pipeline_run.cut()


def _spoken(text: str, interruptible: bool) -> TTSSpeakFrame:
    frame = TTSSpeakFrame(text)
    frame.interruptible = interruptible
    return frame

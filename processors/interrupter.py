"""Stands before the user's turn: words that interrupt, words that are none."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from pipecat.frames.frames import (
    Frame,
    InterimTranscriptionFrame,
    InterruptionFrame,
    LLMMessagesAppendFrame,
    StartFrame,
    TranscriptionFrame,
)
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor

from processors.barge_in import BargeInControl
from processors.nothing_heard import NothingHeardFrame
from processors.segment_stt import LOGPROB
from speech.barge_in.events import Stop, Words

SETTLED_WITHIN_S = 0.5
"""How long words wait for the interruption before them to have gone round, which takes some
20 ms; a voice that is slow to stop must not hold them up."""

SPOKEN = (NothingHeardFrame, TranscriptionFrame, InterimTranscriptionFrame)


class Interrupter(FrameProcessor):
    """Tells the policy what the user says, and sends the interruption round after a cut.

    Words, typed ones too, go on when the interruption before them has gone round: the model is
    asked when the context has what was heard of the last answer. A transcript that is no user
    turn (the bot's own words, "mm-hm") goes on as a ``NothingHeardFrame``, which closes the turn
    its voice has opened. ``ask_again`` asks the model for the lost answer.
    """

    def __init__(self, control: BargeInControl, ask_again: Callable[[], Awaitable[None]]) -> None:
        super().__init__(enable_direct_mode=True)
        self._control = control
        self._ask_again = ask_again
        self._sending = asyncio.Lock()
        self._gone_round = asyncio.Event()
        self._gone_round.set()
        self._task: asyncio.Task[None] | None = None
        self._passing: set[asyncio.Task[None]] = set()

    def settled(self) -> Settled:
        """The processor to put at the pipeline's end."""
        return Settled(self._gone_round)

    async def cleanup(self) -> None:
        """Decide no more."""
        self._control.close()
        tasks = [*self._passing, *([self._task] if self._task is not None else [])]
        self._task = None
        for task in tasks:
            await self.cancel_task(task)
        await super().cleanup()

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Judge transcripts; pass everything on."""
        await super().process_frame(frame, direction)
        if isinstance(frame, StartFrame) and self._task is None:
            self._task = self.create_task(self._send_forever(), "interruptions")
        elif isinstance(frame, InterruptionFrame):  # not ours: those begin here
            self._control.take(Stop(self._control.now(), everything=False))
            self._control.interruption_due = False
            if direction is FrameDirection.DOWNSTREAM:
                self._gone_round.clear()
        elif direction is FrameDirection.DOWNSTREAM and isinstance(
            frame, (*SPOKEN, LLMMessagesAppendFrame)
        ):
            if isinstance(frame, SPOKEN):
                frame = self._judge(frame)
            if self._control.due.is_set() or not self._gone_round.is_set():
                await self._pass_behind_the_interruption(frame)
                return
        await self.push_frame(frame, direction)

    def _judge(self, frame: Frame) -> Frame:
        text = getattr(frame, "text", "")
        if self._control.asleep:
            # What wakes the bot interrupts by pipecat's own strategy; its own name does not.
            return _nothing(frame) if self._control.is_echo(text) else frame
        final = not isinstance(frame, InterimTranscriptionFrame)
        logprob = frame.metadata.get(LOGPROB)
        decisions = self._control.take(Words(self._control.now(), text, final, logprob=logprob))
        drop = text and any(decision.drop_words for decision in decisions)
        return _nothing(frame) if drop else frame

    async def _pass_behind_the_interruption(self, frame: Frame) -> None:
        """In a task of its own: an interruption cancels what a service does with a frame, and
        that may be to push this one."""

        async def send_and_pass() -> None:
            await self._send()
            await self._settle()
            await self.push_frame(frame)

        passing = self.create_task(send_and_pass(), "words behind an interruption")
        self._passing.add(passing)
        passing.add_done_callback(self._passing.discard)
        await asyncio.shield(passing)

    async def _send_forever(self) -> None:
        while True:
            await self._control.due.wait()
            await self._send()

    async def _send(self) -> None:
        control = self._control
        async with self._sending:
            control.due.clear()
            if control.interruption_due:
                control.interruption_due = False
                self._gone_round.clear()
                await self.broadcast_interruption()
            if control.question_due:
                control.question_due = False
                await self._settle()
                await self._ask_again()

    async def _settle(self) -> None:
        """Wait until the last interruption has gone round."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._gone_round.wait(), SETTLED_WITHIN_S)
        self._gone_round.set()


class Settled(FrameProcessor):
    """Stands at the pipeline's end, where an interruption has gone round."""

    def __init__(self, gone_round: asyncio.Event) -> None:
        super().__init__(enable_direct_mode=True)
        self._gone_round = gone_round

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Note interruptions; pass everything on."""
        await super().process_frame(frame, direction)
        if isinstance(frame, InterruptionFrame) and direction is FrameDirection.DOWNSTREAM:
            self._gone_round.set()
        await self.push_frame(frame, direction)


def _nothing(frame: Frame) -> NothingHeardFrame:
    """In the place of a transcript that is no user turn, for the same speech."""
    nothing = NothingHeardFrame()
    nothing.metadata |= frame.metadata
    nothing.interruptible = frame.interruptible
    return nothing

"""Stands before the user's turn: words that interrupt, words that are none."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from pipecat.frames.frames import (
    Frame,
    InterimTranscriptionFrame,
    InterruptionFrame,
    StartFrame,
    TranscriptionFrame,
)
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor

from processors.barge_in import BargeInControl
from processors.nothing_heard import NothingHeardFrame
from speech.barge_in.events import Stop, Words


class Interrupter(FrameProcessor):
    """Tells the policy what the user says, and sends the interruption round after a cut.

    A cut's interruption is on its way before the words that caused it. A transcript that is no
    user turn (the bot's own words, "mm-hm") goes on as a ``NothingHeardFrame``, which closes the
    turn its voice has opened. ``ask_again`` asks the model for the lost answer.
    """

    def __init__(self, control: BargeInControl, ask_again: Callable[[], Awaitable[None]]) -> None:
        super().__init__(enable_direct_mode=True)
        self._control = control
        self._ask_again = ask_again
        self._sending = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None

    async def cleanup(self) -> None:
        """Decide no more."""
        self._control.close()
        task, self._task = self._task, None
        if task is not None:
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
        elif direction is FrameDirection.DOWNSTREAM:
            frame = await self._judge(frame)
        await self.push_frame(frame, direction)

    async def _judge(self, frame: Frame) -> Frame:
        match frame:
            case NothingHeardFrame():
                text, final = "", True
            case TranscriptionFrame(text=text):
                final = True
            case InterimTranscriptionFrame(text=text):
                final = False
            case _:
                return frame
        decisions = self._control.take(Words(self._control.now(), text, final))
        await self._send()
        if any(decision.drop_words for decision in decisions) and text:
            return _nothing(frame)
        return frame

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
                await self.broadcast_interruption()
            if control.question_due:
                control.question_due = False
                await self._ask_again()


def _nothing(frame: Frame) -> NothingHeardFrame:
    """In the place of a transcript that is no user turn, for the same speech."""
    nothing = NothingHeardFrame()
    nothing.metadata |= frame.metadata
    nothing.interruptible = frame.interruptible
    return nothing

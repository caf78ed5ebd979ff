"""Which reply is audible, for the barge-in policy."""

from __future__ import annotations

import asyncio

from pipecat.frames.frames import (
    AggregatedTextFrame,
    Frame,
    FunctionCallCancelFrame,
    FunctionCallInProgressFrame,
    FunctionCallResultFrame,
    FunctionCallsStartedFrame,
    InterruptionFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    TTSStoppedFrame,
)
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor

from processors.barge_in import BargeInControl
from speech.barge_in.events import Ended, Playing
from speech.kokoro.markup import as_read

ANSWER = "answer"
"""Key of ``metadata`` on the frames that begin and end an answer: its reply id."""

AFTER_TOOLS_S = 1.0
"""From the last tool's result to the model's next answer, which is asked for at once."""


class Audible(FrameProcessor):
    """Stands behind the transport's output, where frames come in the order they are heard.

    A reply is over with its last sample; an answer that called tools lives on until they are
    done and the next answer has begun, so that it can be interrupted meanwhile.
    """

    def __init__(self, control: BargeInControl) -> None:
        super().__init__(enable_direct_mode=True)
        self._control = control
        self._tools: set[str] = set()
        self._answers: set[str] = set()
        self._over: list[str] = []
        self._alarm: asyncio.TimerHandle | None = None

    async def cleanup(self) -> None:
        """Wake no more."""
        self._stop_alarm()
        await super().cleanup()

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Note what goes down; pass everything on."""
        await super().process_frame(frame, direction)
        if direction is FrameDirection.DOWNSTREAM:
            self._note(frame)
        await self.push_frame(frame, direction)

    def _note(self, frame: Frame) -> None:
        match frame:
            case AggregatedTextFrame(context_id=str(reply_id)) if frame.will_be_spoken:
                now = self._control.now()
                text = as_read(frame.text)
                self._control.take(Playing(now, reply_id, text, frame.interruptible))
            case LLMFullResponseStartFrame():
                self._answers |= {str(frame.metadata.get(ANSWER))}
                self._end_all()
            case LLMFullResponseEndFrame():
                self._answer_over(str(frame.metadata.get(ANSWER)))
            case TTSStoppedFrame(context_id=str(reply_id)) if reply_id not in self._answers:
                self._control.take(Ended(self._control.now(), reply_id))
            case _:
                self._note_tools(frame)

    def _note_tools(self, frame: Frame) -> None:
        match frame:
            case FunctionCallsStartedFrame():
                self._tools |= {call.tool_call_id for call in frame.function_calls}
            case FunctionCallInProgressFrame() if not frame.cancel_on_interruption:
                self._done(frame.tool_call_id)  # it goes on whatever is said
            case FunctionCallResultFrame(properties=told) if told and not told.is_final:
                pass
            case FunctionCallResultFrame() | FunctionCallCancelFrame():
                self._done(frame.tool_call_id)
            case InterruptionFrame():
                self._tools.clear()
                self._answers.clear()
                self._end_all()

    def _done(self, tool_call_id: str) -> None:
        self._tools.discard(tool_call_id)
        if self._over and not self._tools:
            self._stop_alarm()
            loop = asyncio.get_running_loop()
            self._alarm = loop.call_later(AFTER_TOOLS_S, self._end_all)

    def _answer_over(self, reply_id: str) -> None:
        self._answers.discard(reply_id)
        self._over.append(reply_id)
        if not self._tools:
            self._end_all()

    def _end_all(self) -> None:
        self._stop_alarm()
        over, self._over = self._over, []
        for reply_id in over:
            self._control.take(Ended(self._control.now(), reply_id))

    def _stop_alarm(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

"""The model is told what of its answer was never heard."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from pipecat.frames.frames import (
    AggregatedTextFrame,
    Frame,
    InterruptionFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    TTSTextFrame,
)
from pipecat.processors.aggregators.llm_context import LLMContext, LLMContextMessage
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor

from processors.aggregator import UNIT
from processors.audible import ANSWER
from processors.evidence import FILLER
from speech.evidence.actions import Kind
from speech.heard.unsaid import Answer, shortened
from speech.kokoro.markup import as_read

NOTE = 'You were interrupted here. The user did not hear the rest of your answer: "{rest}"'

MOST = 400
"""Letters of it: enough to go on from, and no second answer in a small model's context."""

ANSWERS = 16
"""Answers asked for and not over: one speaks, others may wait behind tools."""


class Unsaid:
    """Compares what the voice was given with what was heard, for each answer, unit by unit.

    ``written`` is the processor to put before the voice, ``heard`` the one before the assistant
    aggregator. After an interruption ``told``, behind the aggregator, which has the heard words in
    the context by then, adds a message with the rest. None where nothing of the answer was heard:
    whoever goes on before its first word takes no new turn. Without ``tell`` nothing is added.
    """

    def __init__(self, context: LLMContext, *, tell: bool = True) -> None:
        self._context = context
        self._tells = tell
        self._answers: dict[int, Answer] = {}
        self._begun: dict[str, Answer] = {}
        self._writing: Answer | None = None

    def written(self) -> FrameProcessor:
        """Before the voice."""
        return _Tap(self._note_written)

    def heard(self) -> FrameProcessor:
        """Before the assistant aggregator, which keeps the words for itself."""
        return _Tap(self._note_heard)

    def told(self) -> FrameProcessor:
        """Behind the assistant aggregator."""
        return _Tap(self._note_interruption)

    def _note_written(self, frame: Frame) -> None:
        if isinstance(frame, LLMFullResponseStartFrame):
            self._writing = self._answers[frame.id] = Answer()
            while len(self._answers) > ANSWERS:
                del self._answers[next(iter(self._answers))]
        elif isinstance(frame, AggregatedTextFrame) and _is_answer(frame):
            if self._writing is not None:
                self._writing.write(frame.id, as_read(frame.text))
        elif isinstance(frame, LLMFullResponseEndFrame):
            self._writing = None

    def _note_heard(self, frame: Frame) -> None:
        match frame:
            case LLMFullResponseStartFrame() if frame.id in self._answers:
                self._begun[str(frame.metadata.get(ANSWER))] = self._answers[frame.id]
            case TTSTextFrame(append_to_context=True, context_id=str(reply_id)):
                if reply_id in self._begun:
                    self._begun[reply_id].hear(frame.metadata.get(UNIT), frame.text)
            case LLMFullResponseEndFrame():
                over = self._begun.pop(str(frame.metadata.get(ANSWER)), None)
                self._answers = {i: a for i, a in self._answers.items() if a is not over}

    def _note_interruption(self, frame: Frame) -> None:
        if isinstance(frame, InterruptionFrame):
            self._tell()

    def _tell(self) -> None:
        answers, self._answers, self._writing = self._answers, {}, None
        self._begun.clear()
        for answer in answers.values():
            if self._tells and (rest := answer.rest):
                note = NOTE.format(rest=shortened(rest, MOST))
                message = {"role": "developer", "content": note}
                self._context.add_message(cast(LLMContextMessage, message))


def _is_answer(frame: AggregatedTextFrame) -> bool:
    """Whether the unit is spoken, and kept: a preamble only bridges a wait."""
    return not frame.skip_tts and frame.metadata.get(FILLER) != Kind.PREAMBLE.value


class _Tap(FrameProcessor):
    """Shows what goes down to ``note``, and passes everything on."""

    def __init__(self, note: Callable[[Frame], None]) -> None:
        super().__init__(enable_direct_mode=True)
        self._note = note

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        if direction is FrameDirection.DOWNSTREAM:
            self._note(frame)
        await self.push_frame(frame, direction)

"""The model is read as far ahead of the voice as is useful, and no further."""

from __future__ import annotations

from pipecat.frames.frames import Frame, InterruptionFrame, LLMTextFrame
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor

from speech.backlog import Backlog


class ReadAhead(FrameProcessor):
    """Stands directly behind the model and holds its next token while enough text waits.

    In direct mode a frame is processed in the task that pushes it. For a token that is the
    model's own, which therefore reads its stream no further; what the server sends meanwhile
    waits in the connection. Every other frame passes at once, whatever is held: an interruption
    reaches the model first, which cancels that task, and then comes by here.
    """

    def __init__(self, backlog: Backlog) -> None:
        super().__init__(enable_direct_mode=True)
        self._backlog = backlog

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Hold a token until there is room; pass everything else on."""
        await super().process_frame(frame, direction)
        if isinstance(frame, LLMTextFrame) and direction is FrameDirection.DOWNSTREAM:
            await self._backlog.room()
            self._backlog.put(frame.id, len(frame.text), keep=not frame.interruptible)
        elif isinstance(frame, InterruptionFrame):
            self._backlog.cut()
        await self.push_frame(frame, direction)

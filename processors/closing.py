"""After the wish to end: nobody is listened to any more, and only the goodbye is said."""

from __future__ import annotations

from pipecat.frames.frames import (
    Frame,
    InputAudioRawFrame,
    LLMContextFrame,
    LLMMessagesAppendFrame,
    LLMRunFrame,
    TextFrame,
    TTSSpeakFrame,
)
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor

from processors.nothing_heard import NothingHeardFrame

REFUSED = (
    InputAudioRawFrame,
    TextFrame,  # transcripts, tokens and units are texts
    NothingHeardFrame,
    LLMContextFrame,
    LLMMessagesAppendFrame,
    LLMRunFrame,
    TTSSpeakFrame,
)
"""What could begin a turn, ask the model or be spoken."""


class Closing:
    """What a conversation's gates share: open, until ``close``."""

    def __init__(self) -> None:
        self.closed = False
        self._last_words: Frame | None = None

    def close(self, last_words: Frame | None = None) -> None:
        """From now on only ``last_words`` pass; a second call changes nothing."""
        if not self.closed:
            self.closed = True
            self._last_words = last_words

    def refuses(self, frame: Frame) -> bool:
        """Whether the frame must not pass."""
        return self.closed and isinstance(frame, REFUSED) and frame is not self._last_words


class ClosingGate(FrameProcessor):
    """Drops, in both directions, what ``closing`` refuses.

    One stands before each stage that would make something of it: turns, model, voice.
    """

    def __init__(self, closing: Closing) -> None:
        super().__init__(enable_direct_mode=True)
        self._closing = closing

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Pass or drop."""
        await super().process_frame(frame, direction)
        if not self._closing.refuses(frame):
            await self.push_frame(frame, direction)

"""Who has the floor: whether something may be said now that nobody asked for."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from pipecat.frames.frames import (
    BotStartedSpeakingFrame,
    BotStoppedSpeakingFrame,
    Frame,
    FunctionCallCancelFrame,
    FunctionCallInProgressFrame,
    FunctionCallResultFrame,
    InputDTMFFrame,
    InterruptionFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    OutputAudioRawFrame,
    TTSStartedFrame,
    TTSStoppedFrame,
    TTSTextFrame,
    UserStartedSpeakingFrame,
    UserStoppedSpeakingFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor

EXPECTED_S = 3.0
"""After the user's turn and after a tool's result the model is asked; recognising takes a while."""

PAUSE_S = 0.5
"""After the bot has spoken: between two replies, and before the model is asked again."""

FORGOTTEN_S = 60.0
"""An answer or tool that is neither heard nor ended within it, with nobody speaking, is not
waited for."""


class Floor(FrameProcessor):
    """Stands behind the transport's output, where frames come in the order they are heard.

    Taken while the user speaks or has the turn, while an answer is expected, made or
    spoken, and while a tool runs. ``words`` counts the pieces of text that were heard,
    ``cuts`` the interruptions; ``changed`` is set with each frame that matters. Sound that was
    sent faster than it is heard, as to a telephone, counts as heard at its own pace.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(enable_direct_mode=True)
        self.words = 0
        self.cuts = 0
        self.changed = asyncio.Event()
        self._clock = clock
        self._speaking: set[str] = set()
        self._answers = 0
        self._replies: set[str | None] = set()
        self._tools: set[str] = set()
        self._expected_until = self._last_at = self._sounds_until = clock()

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Note what goes down; pass everything on."""
        await super().process_frame(frame, direction)
        if direction is FrameDirection.DOWNSTREAM:
            self.note(frame)
        await self.push_frame(frame, direction)

    @property
    def wait_s(self) -> float | None:
        """Seconds until the floor is free if nothing more happens; None: it will not be."""
        if self._speaking:
            return None
        now = self._clock()
        until = max(self._expected_until, self._sounds_until)
        if self._answers or self._replies or self._tools:
            until = self._last_at + FORGOTTEN_S
        return max(0.0, until - now)

    def key(self, *, down: bool) -> None:
        """Who holds the talk key has the floor, speaking or not."""
        (self._speaking.add if down else self._speaking.discard)("key")
        self._last_at = self._clock()
        self.changed.set()

    @property
    def quiet_since(self) -> float:
        """When last anything happened that matters, on the clock; sound lasts until it is heard."""
        return max(self._last_at, self._sounds_until)

    def note(self, frame: Frame) -> None:
        """Take one frame into account."""
        if isinstance(frame, OutputAudioRawFrame):
            self._sounds_until = max(self._sounds_until, self._clock()) + _length_s(frame)
            return
        if not (self._note_speech(frame) or self._note_answer(frame)):
            return
        self._last_at = self._clock()
        self.changed.set()

    def _note_speech(self, frame: Frame) -> bool:
        match frame:
            case VADUserStartedSpeakingFrame():
                self._speaking.add("voice")
            case VADUserStoppedSpeakingFrame():
                self._speaking.discard("voice")
            case UserStartedSpeakingFrame():
                self._speaking.add("turn")
            case UserStoppedSpeakingFrame():
                self._speaking.discard("turn")
                self._expect(EXPECTED_S)
            case BotStartedSpeakingFrame():
                self._speaking.add("bot")
            case BotStoppedSpeakingFrame():
                self._speaking.discard("bot")
                self._expect(PAUSE_S)
            # Between these the bot may fall silent, where the voice is slower than speech.
            case TTSStartedFrame():
                self._replies.add(frame.context_id)
            case TTSStoppedFrame():
                self._replies.discard(frame.context_id)
                self._expect(PAUSE_S)
            case InputDTMFFrame():  # who presses keys is there
                pass
            case TTSTextFrame():
                self.words += any(map(str.isalnum, frame.text))
            case _:
                return False
        return True

    def _note_answer(self, frame: Frame) -> bool:
        match frame:
            case LLMFullResponseStartFrame():
                self._answers += 1
            case LLMFullResponseEndFrame():
                self._answers = max(0, self._answers - 1)
                self._expect(PAUSE_S)
            case FunctionCallInProgressFrame():
                self._tools.add(frame.tool_call_id)
            case FunctionCallResultFrame() | FunctionCallCancelFrame():
                self._tools.discard(frame.tool_call_id)
                self._expect(EXPECTED_S)
            case InterruptionFrame():
                self.cuts += 1
                self._answers = 0
                self._replies.clear()
                self._sounds_until = min(self._sounds_until, self._clock())
            case _:
                return False
        return True

    def _expect(self, seconds: float) -> None:
        self._expected_until = max(self._expected_until, self._clock() + seconds)


def _length_s(frame: OutputAudioRawFrame) -> float:
    return frame.num_frames / frame.sample_rate if frame.sample_rate else 0.0

"""When a reply begins, for the barge-in policy."""

from __future__ import annotations

from pipecat.frames.frames import (
    AggregatedTextFrame,
    Frame,
    InterruptionFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    TTSSpeakFrame,
)

from processors.audible import ANSWER
from processors.barge_in import BargeInControl
from processors.evidence import filler_mark
from speech.barge_in.events import Kind, Reply


class BegunReplies:
    """Told of what a voice is about to speak. An answer begins when it is asked for, every other
    reply with its first unit: a text without words never becomes one.
    """

    def __init__(self, control: BargeInControl | None) -> None:
        """Without ``control`` nobody is told, and no reply is dead."""
        self._control = control
        self._start: LLMFullResponseStartFrame | None = None
        self._answer_id: str | None = None
        self._last_id: str | None = None
        self._kind = Kind.NOTICE
        self._interruptible = True

    def sees(self, frame: Frame, turn_id: str | None) -> None:
        """A frame that the voice will process; ``turn_id``: the answer that is being spoken."""
        if isinstance(frame, LLMFullResponseStartFrame):
            self._start = frame
        elif isinstance(frame, LLMFullResponseEndFrame):
            frame.metadata[ANSWER] = turn_id
        elif isinstance(frame, AggregatedTextFrame | TTSSpeakFrame):
            self._kind = Kind.FILLER if filler_mark(frame) else Kind.NOTICE
            self._interruptible = frame.interruptible
        elif isinstance(frame, InterruptionFrame) and self._control is not None:
            self._control.interrupted()

    def turn(self, reply_id: str) -> None:
        """Pipecat has named a turn: an answer's, where its start has just been seen."""
        start, self._start = self._start, None
        if start is not None:
            start.metadata[ANSWER] = reply_id
            self._answer_id = reply_id
            self._tell(reply_id, Kind.ANSWER, True)

    def speaks(self, reply_id: str) -> bool:
        """A unit is about to be made. False: its reply is dead; that is counted."""
        if reply_id not in (self._answer_id, self._last_id):
            self._last_id = reply_id
            self._tell(reply_id, self._kind, self._interruptible)
        return self._control is None or self._control.replies.admits(reply_id, "text")

    def _tell(self, reply_id: str, kind: Kind, interruptible: bool) -> None:
        if self._control is not None:
            self._control.take(Reply(self._control.now(), reply_id, kind, interruptible))

"""A unit as the server's messages and frames bring it; pure."""

from __future__ import annotations

from speech.engine import PcmChunk, Word
from speech.engines.link import LinkEndedError
from speech.engines.remote.told import says
from speech.errors import EngineBusyError, EngineError, EngineRefusedError, UsageError
from speech.wire import (
    AudioFrame,
    Busy,
    Cancelled,
    Code,
    Done,
    Error,
    FrameJoiner,
    ServerMessage,
    Started,
    WireError,
    Words,
)


class UnreadableUnitError(EngineError, UsageError):
    """The server takes no such text, wherever and whenever it is asked."""


class IncomingUnit:
    """Unit ``wire_id`` of the session, as chunks of ``unit_id``.

    ``message`` and ``frame`` take what comes, also of other units, whose sound is dropped.
    They raise ``LinkEndedError`` where the session is of no more use, and ``EngineError`` where
    only the unit has failed.
    """

    def __init__(self, unit_id: str, wire_id: str) -> None:
        self._unit_id, self._wire_id = unit_id, wire_id
        self._joiner: FrameJoiner | None = None
        self._words: list[Word] = []
        self.ended = False

    @property
    def begun(self) -> bool:
        """Whether the server has begun with it."""
        return self._joiner is not None

    def message(self, message: ServerMessage) -> bool:
        """A control message; whether it is of this unit."""
        if isinstance(message, Error):
            self._failed(message)
        if getattr(message, "id", None) != self._wire_id:
            return False
        match message:
            case Started():
                self._start(message.unit)
            case Words():
                self._words += [Word(word.text, word.start, word.end) for word in message.words]
            case Done():
                self._done(message)
            case Busy():
                self.ended = True
                raise _busy(message)
            case Cancelled():
                self.ended = True
                raise EngineError("the speech server cancelled the unit")
        return True

    def frame(self, frame: AudioFrame) -> PcmChunk | None:
        """The frame's sound with the words that begin in it; None if it is not this unit's."""
        if self._joiner is None or frame.unit != self._joiner.unit:
            return None
        try:
            samples = self._joiner.take(frame)
        except WireError as error:
            raise LinkEndedError(f"the speech server sent a wrong frame: {error}") from error
        end = frame.first_sample + len(samples)
        words = tuple(word for word in self._words if word.start < end)
        self._words = [word for word in self._words if word.start >= end]
        return PcmChunk(self._unit_id, frame.first_sample, samples, words)

    def _start(self, number: int) -> None:
        if self._joiner is not None:
            raise LinkEndedError("the speech server began a unit twice")
        self._joiner = FrameJoiner(number)

    def _done(self, done: Done) -> None:
        self.ended = True
        if self._joiner is None:
            raise LinkEndedError("the speech server ended a unit that it had not begun")
        received = self._joiner.samples
        if received != done.samples:
            raise LinkEndedError(f"{done.samples - received} samples of a unit are missing")

    def _failed(self, error: Error) -> None:
        if error.id not in (None, self._wire_id) or not _ends_unit(error.code):
            return
        self.ended = True
        said = says(error.code)
        if error.code == Code.WRONG_ORDER:  # our units come after a hello and before a close
            raise LinkEndedError(said)
        if error.code in (Code.TEXT_TOO_LONG, Code.BAD_FIELD, Code.OVERSIZE):
            raise UnreadableUnitError(said)
        raise EngineError(said) if error.retryable else EngineRefusedError(said)


def _ends_unit(code: str) -> bool:
    known = {str(member): member for member in Code}
    return code not in known or known[code].ends_unit  # else it is of a later version


def _busy(busy: Busy) -> EngineError:
    if busy.reason == "draining":
        return LinkEndedError("the speech server is stopping")
    return EngineBusyError(f"the speech server is busy ({busy.reason})", busy.retry_after_s)

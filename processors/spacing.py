"""The white space of the record around words that are left out or put in between."""

from __future__ import annotations

from pipecat.frames.frames import AggregatedTextFrame

from processors.aggregator import BEFORE, GAP


class Spacing:
    """Keeps one blank where a unit does not follow the one it was written behind.

    ``BEFORE`` and ``GAP`` of a unit are right behind the unit before it in the text only.
    """

    def __init__(self) -> None:
        self._gap = " "
        self._torn = False

    def begin(self) -> None:
        """A reply begins."""
        self._gap, self._torn = " ", False

    def leave_out(self) -> None:
        """A unit is not spoken."""
        self._torn = True

    def put_in(self, frame: AggregatedTextFrame) -> None:
        """Words that were not written there."""
        self._torn = True
        self.join(frame)
        self._torn = True

    def join(self, frame: AggregatedTextFrame) -> None:
        """A unit that is spoken."""
        if self._torn:
            frame.metadata[BEFORE] = "" if self._gap else " "
        self._torn = False
        self._gap = frame.metadata.get(GAP, " ")

    def needs(self, frame: AggregatedTextFrame) -> bool:
        """Whether the record needs what is not spoken: white space alone joins what it stood in."""
        if not frame.text.strip():
            return not (self._torn and self._gap)
        self._gap = frame.text[len(frame.text.rstrip()) :]
        return True

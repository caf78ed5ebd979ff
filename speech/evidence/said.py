"""What has left for the listener, and how much of it was heard."""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, field

from speech.evidence.claims import Unit

MOST_UNITS = 64
"""Units that are remembered; what was said before them is not taken back."""

_WORD = re.compile(r"[\w']+")


@dataclass(eq=False, slots=True)
class Said:
    """A unit that was released. It counts as heard when half of its words were."""

    unit: Unit
    words: list[str] = field(init=False)
    played: int = 0

    def __post_init__(self) -> None:
        self.words = _words(self.unit.text)

    @property
    def finished(self) -> bool:
        """Every word of it was played."""
        return self.played >= len(self.words)

    @property
    def heard(self) -> bool:
        """A claim cut off before its middle was not made."""
        return 2 * self.played >= len(self.words)

    def take(self, piece: list[str]) -> bool:
        """Whether the piece is its next words."""
        if self.words[self.played : self.played + len(piece)] != piece:
            return False
        self.played += len(piece)
        return True


class SaidUnits:
    """Released units in order; ``heard`` moves on as their words are played."""

    def __init__(self) -> None:
        self._units: deque[Said] = deque(maxlen=MOST_UNITS)
        self.owed: list[Said] = []
        """What was said and is not true, until it is taken back."""

    def release(self, unit: Unit) -> None:
        """The unit goes on its way."""
        self._units.append(Said(unit))

    def heard(self, text: str) -> None:
        """A piece of text was played; speech of other origin matches nothing."""
        piece = _words(text)
        if piece:
            any(said.take(piece) for said in self._units)

    @property
    def finished(self) -> bool:
        """Nothing is on its way any more."""
        return all(said.finished for said in self._units)

    def cut(self) -> None:
        """What was not heard by now will not be."""
        self._units = deque((said for said in self._units if said.heard), maxlen=MOST_UNITS)
        self.owed = [said for said in self.owed if said.heard]

    def all(self) -> list[Said]:
        """Oldest first."""
        return list(self._units)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())

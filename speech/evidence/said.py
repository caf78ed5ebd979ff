"""What has left for the listener, and how much of it was heard."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from speech.evidence.claims import Unit
from speech.kokoro.markup import as_read

MOST_UNITS = 64
"""Units that are remembered; what was said before them is not taken back."""


@dataclass(eq=False, slots=True)
class Said:
    """A unit that was released. It counts as heard when half of its letters were.

    ``amends`` is what it takes back, for a correction.
    """

    unit: Unit
    amends: list[Said] = field(default_factory=list)
    letters: str = field(init=False)
    played: int = 0
    over: bool = False

    def __post_init__(self) -> None:
        self.letters = _letters(as_read(self.unit.text))

    @property
    def finished(self) -> bool:
        """Nothing more of it will be played."""
        return self.over or self.played >= len(self.letters)

    @property
    def heard(self) -> bool:
        """A claim cut off before its middle was not made."""
        return 2 * self.played >= len(self.letters)

    def take(self, piece: str, *, anew: bool = False) -> bool:
        """Whether the piece continues it; or begins it ``anew``, what went before not being it."""
        at = 0 if anew else self.played
        if self.finished or not self.letters.startswith(piece, at):
            return False
        self.played = at + len(piece)
        return True


class SaidUnits:
    """Released units in order; ``heard`` moves on as their words are played."""

    def __init__(self) -> None:
        self._units: deque[Said] = deque(maxlen=MOST_UNITS)
        self.owed: list[Said] = []
        """What was said and is not true, until it is taken back."""

    def release(self, unit: Unit, amends: Sequence[Said] = ()) -> None:
        """The unit goes on its way."""
        self._units.append(Said(unit, list(amends)))

    def heard(self, text: str) -> None:
        """A piece of text was played; speech of other origin matches nothing."""
        if piece := _letters(text):
            _ = self._take(piece, anew=False) or self._take(piece, anew=True)

    def _take(self, piece: str, *, anew: bool) -> bool:
        taken = next((said for said in self._units if said.take(piece, anew=anew)), None)
        for said in self._units:
            if taken is None or said is taken:
                break
            said.over = True  # the voice could not speak the rest of it
        return taken is not None

    @property
    def finished(self) -> bool:
        """Nothing is on its way any more."""
        return all(said.finished for said in self._units)

    def cut(self) -> None:
        """What was not heard by now will not be; a correction is owed again."""
        for said in self._units:
            said.over = True
            self.owed += [] if said.heard else said.amends
        self._units = deque((said for said in self._units if said.heard), maxlen=MOST_UNITS)
        self.owed = [said for said in self.owed if said.heard]

    def standing(self) -> list[Said]:
        """What was said and has not been taken back, oldest first."""
        corrections = [said for said in self._units if said.amends]
        amended = [said for correction in corrections for said in correction.amends]
        known = [*corrections, *amended, *self.owed]
        return [said for said in self._units if said not in known]


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))

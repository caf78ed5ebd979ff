"""When the words that wait for their sentence's end are spoken without it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from speech.units.characters import cost

LETTERS_PER_S = 17.0
"""Kokoro (af_heart, speed 1.0): the median over the 60 English sentences of bench/sentences.txt
was 17.3, eight in ten were between 15.4 and 18.8 (int8 on a CPU, 2026-11-30)."""
FIRST_AUDIO_S = 0.4
"""From a unit to its first sound on two processor cores, whatever its length: the synthesis
streams inside a unit (docs/streaming-kokoro.md)."""
SENTENCE = 80
"""Letters of an ordinary sentence: how far off the end of this one is."""
LATE_S = 0.8
"""A sentence that is expected to end later than this is worth parting: its first clause is
then heard that much sooner, for a melody that does not know the rest."""
LEAST_LETTERS = 24
"""About 1.4 s of speech: clauses of 21 to 28 letters took 1.35 to 1.57 s (measured as above),
which leaves the model a second for more words before they are late. A choice, not a measured
limit of how short a clause sounds well."""
LEAST_TOKENS = 4
"""Arrivals from which the model's pace is known."""
LEAD_S = 0.5
"""Words leave this long before the ones before them have been spoken, so that none is late."""


@dataclass(frozen=True)
class ReleaseRules:
    """``first_clause``: a slow model's opening clause may go. ``stall_s``: a model that pauses
    for so long is heard up to there."""

    first_clause: bool = True
    stall_s: float = 1.5


class Release:
    """Decides, on the clock alone, whether to wait for the end of the sentence.

    While something is being spoken there is time for whole sentences. While nothing is,
    an opening clause goes if the model's measured pace puts the sentence's end later than
    ``LATE_S``. A pause of ``stall_s`` in mid-sentence releases what is safe, as soon as what
    is being spoken runs out. The caller says what came and what left; all times are seconds
    on ``clock``.
    """

    def __init__(self, rules: ReleaseRules, clock: Callable[[], float]) -> None:
        self._rules = rules
        self._clock = clock
        self._spoken_until = 0.0
        self.begin()

    def begin(self) -> None:
        """A reply begins; what is being spoken goes on."""
        self._began: float | None = None
        self._came_at = 0.0
        self._letters = 0
        self._arrivals = 0

    def silent(self) -> None:
        """Nothing is being spoken any more: it ended, or was cut off."""
        self._spoken_until = 0.0

    def came(self, text: str) -> None:
        """Text came from the model."""
        now = self._clock()
        if self._began is None:
            self._began = now
        else:
            self._letters += len(text)
        self._arrivals += 1
        self._came_at = now

    def left(self, text: str) -> None:
        """A unit went to the voice."""
        begins = max(self._spoken_until, self._clock() + FIRST_AUDIO_S)
        self._spoken_until = begins + cost(text) / LETTERS_PER_S

    @property
    def speaking(self) -> bool:
        """Whether what has left lasts until new words could sound."""
        return self._clock() < self._spoken_until - LEAD_S

    def wants_clause(self, waiting: str, clause: str) -> bool:
        """Whether ``clause``, the safe beginning of what is ``waiting``, is to go now."""
        if not self._rules.first_clause or self.speaking or len(clause) < LEAST_LETTERS:
            return False
        return self._to_the_end_s(waiting) > LATE_S

    @property
    def stalled_at(self) -> float | None:
        """When a pause that began with the last text is long enough; None before any text."""
        if self._began is None:
            return None
        return max(self._came_at + self._rules.stall_s, self._spoken_until - LEAD_S)

    def _to_the_end_s(self, waiting: str) -> float:
        """How long the sentence is expected to take; 0 while the pace is unknown."""
        took = 0.0 if self._began is None else self._came_at - self._began
        if self._arrivals < LEAST_TOKENS or not self._letters or took <= 0:
            return 0.0
        return max(SENTENCE - len(waiting), 0) * took / self._letters

"""The samples each word of a piece is heard in.

Figures: 12 sentences, and 15 short ones in four voices at speeds 0.6 to 1.7, against the sound.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from speech.engine import Word
from speech.errors import EngineError
from speech.kokoro.phoneme_match import NOWHERE, is_sound

SAMPLES_PER_STEP = 600
"""Durations count steps of 25 ms, at 24 kHz."""
_EARLY = 840
"""35 ms: sounds begin so much before their step (median after pauses; vowels 0 to 50, s 90)."""
_LONGEST_FINAL = 3_600
"""150 ms: a word's last phoneme holds the pause after it too, but is heard for 100 ms at most."""
_ONSET = 3_600
"""150 ms: so much before the padding's end a sound may begin (7 to 143 without marks before)."""
_DECAY = 7_200
"""300 ms: 19 in 20 last sounds had died away to -60 dB so long after they began."""

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class WordPlace:
    """A word and its first and last phoneme; both ``NOWHERE`` if none is known to be its."""

    text: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class PieceWords:
    """The words that begin in a piece, in order."""

    phonemes: str
    places: tuple[WordPlace, ...]

    def times(
        self, durations: NDArray[np.int64], *, begin: int, lead: int, length: int
    ) -> tuple[Word, ...]:
        """Each word with the samples of the unit it is heard in; they never overlap.

        ``durations`` as in ``Utterance``. The piece is delivered as the samples ``begin`` to
        ``begin + length`` of the unit, after ``lead`` samples of its sound were cut off. A
        pause after a word is no part of it. A word without a place shares the time of the one
        before it, or of the one after.
        """
        if length < 2 * len(self.places):
            return ()
        bounds = _bounds(self.phonemes, durations)
        heard = [_heard(place, bounds) for place in self.places]
        spans = _fitted(_shared(heard, int(bounds[-1])), lead, lead + length)
        return tuple(
            Word(place.text, begin - lead + start, begin - lead + stop)
            for place, (start, stop) in zip(self.places, spans, strict=True)
        )


def leading_silence(durations: NDArray[np.int64], speed: float) -> int:
    """Samples at a piece's beginning that are silent.

    The sound begins up to 0.1 s later. Below speed 1 the padding grows as durations do, but
    the sound begins when it would at speed 1.
    """
    return max(0, int(durations[0] * SAMPLES_PER_STEP * min(speed, 1.0)) - _ONSET)


def trailing_silence(phonemes: str, durations: NDArray[np.int64]) -> int:
    """Samples at a piece's end that are probably silent: an estimate, look before you cut."""
    bounds = _bounds(phonemes, durations)
    sounds = [place for place, symbol in enumerate(phonemes) if is_sound(symbol)]
    end = int(bounds[sounds[-1]]) + _DECAY if sounds else 0
    return max(0, int(durations.sum()) * SAMPLES_PER_STEP - end)


def _bounds(phonemes: str, durations: NDArray[np.int64]) -> NDArray[np.int64]:
    """The sample each phoneme begins at, and last the one where they end."""
    if len(durations) != len(phonemes) + 2:
        raise EngineError(f"Kokoro failed: {len(durations)} durations for {len(phonemes)} phonemes")
    bounds: NDArray[np.int64] = np.cumsum(durations[:-1]) * SAMPLES_PER_STEP
    return bounds


def _heard(place: WordPlace, bounds: NDArray[np.int64]) -> Span | None:
    if place.first == NOWHERE:
        return None
    last_begins, last_ends = int(bounds[place.last]), int(bounds[place.last + 1])
    return (
        max(0, int(bounds[place.first]) - _EARLY),
        min(last_ends, last_begins + _LONGEST_FINAL) - _EARLY,
    )


def _shared(heard: Sequence[Span | None], end: int) -> list[Span]:
    """The spans with something for the words that have none."""
    spans: list[Span] = []
    for known, group in _groups(heard):
        spans += _divided(known or (0, end), group)
    return spans


def _groups(heard: Sequence[Span | None]) -> list[tuple[Span | None, int]]:
    """Each known span with the number of words that share it."""
    groups: list[tuple[Span | None, int]] = []
    for span in heard:
        if groups and (span is None or groups[-1][0] is None):
            known, count = groups.pop()
            groups.append((known or span, count + 1))
        else:
            groups.append((span, 1))
    return groups


def _divided(span: Span, count: int) -> list[Span]:
    cuts = [span[0] + (span[1] - span[0]) * part // count for part in range(count + 1)]
    return list(pairwise(cuts))


def _fitted(spans: Sequence[Span], begin: int, end: int) -> list[Span]:
    """The spans inside ``begin`` to ``end``, in order, at least a sample each."""
    fitted: list[Span] = []
    for place, (start, stop) in enumerate(spans):
        latest = end - 2 * (len(spans) - place) + 1
        start = min(max(start, begin, fitted[-1][1] if fitted else begin), latest)
        fitted.append((start, min(max(stop, start + 1), latest + 1)))
    return fitted

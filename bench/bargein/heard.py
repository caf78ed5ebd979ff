"""What a recording says about one reply that was cut, held or played to its end. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from bench.bargein.align import Run, Samples

AUDIBLE = 2
"""The virtual card is digitally silent, so any sample above rounding is sound."""
LOUD = 100
"""-50 dBFS: softer sound is not missed by anybody who listens to speech."""
HOLE_S = 0.02
"""A shorter silence is no hold: one callback of the device. (A hole in the sound that is
shorter shows as a shift all the same.)"""
FADE_S = 0.06
"""Where a fade is looked for, before the silence; ours last 8 to 30 ms."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """A word, or the text behind one, and the reference's sample that it ends at."""

    text: str
    end: int

    @property
    def is_word(self) -> bool:
        return any(sign.isalnum() for sign in self.text)


@dataclass(frozen=True, slots=True)
class Hold:
    """A silence in the reply: recording samples ``begin`` to ``end``.

    ``gap``: samples of the reference that are loud enough to be heard and lie between the
    last one heard before it and the first one heard after it; negative when so many were
    heard twice.
    """

    begin: int
    end: int
    gap: int


def last_audible(heard: Samples, begin: int, end: int) -> int | None:
    """The last sample of the recording that is no silence, in ``begin`` to ``end``."""
    loud = np.flatnonzero(np.abs(heard[begin:end].astype(np.int32)) >= AUDIBLE)
    return begin + int(loud[-1]) if loud.size else None


def first_audible(heard: Samples, begin: int) -> int | None:
    """The first sample from ``begin`` on that is no silence."""
    loud = np.flatnonzero(np.abs(heard[begin:].astype(np.int32)) >= AUDIBLE)
    return begin + int(loud[0]) if loud.size else None


def said_until(runs: Sequence[Run], last: int, length: int) -> int:
    """The reference sample that was audible last; -1 for none.

    ``last``: the recording's last audible sample of this reply, which may lie in a fade
    behind the last run; it has the run's shift still.
    """
    before = [run for run in runs if run.heard <= last]
    return min(last - before[-1].shift, length - 1) if before else -1


def audible_words(words: Sequence[Spoken], said: Samples, until: int) -> tuple[int, int]:
    """How many words (from the first on) were heard to their end: at least, at most.

    A word's end may lie in a pause, of which a recording cannot tell how much was played, or
    its last, soft samples in a fade: at most counts it once its last sample that is loud enough
    to be heard was, at least only where the whole of it was.
    """
    loud = np.flatnonzero(np.abs(said.astype(np.int32)) >= LOUD)
    least = most = 0
    for word in words:
        if not word.is_word:
            continue
        before = int(np.searchsorted(loud, word.end))
        audible_end = int(loud[before - 1]) if before else -1
        least += int(word.end - 1 <= until)
        most += int(audible_end <= until)
    return least, most


def holds(runs: Sequence[Run], said: Samples, heard: Samples, rate_hz: int) -> list[Hold]:
    """The silences between two runs of one reply, and what is missing across each."""
    found = []
    for before, after in pairwise(runs):
        if before.shift == after.shift:
            continue
        silent = longest_silence(heard[before.heard_end : after.heard])
        if silent is None or silent[1] - silent[0] < HOLE_S * rate_hz:
            found.append(Hold(before.heard_end, after.heard, after.said - before.said_end))
            continue
        begin, end = before.heard_end + silent[0], before.heard_end + silent[1]
        last, first = begin - 1 - before.shift, end - after.shift
        gap = first - last - 1
        if gap > 0:
            gap = int(np.count_nonzero(np.abs(said[last + 1 : first].astype(np.int32)) >= LOUD))
        found.append(Hold(begin, end, gap))
    return found


def longest_silence(heard: Samples) -> tuple[int, int] | None:
    """The longest run of silent samples, as first and one past the last."""
    quiet = np.abs(heard.astype(np.int32)) < AUDIBLE
    edges = np.flatnonzero(np.diff(np.concatenate([[False], quiet, [False]]).astype(np.int8)))
    if not edges.size:
        return None
    begins, ends = edges[::2], edges[1::2]
    best = int(np.argmax(ends - begins))
    return int(begins[best]), int(ends[best])


def step_ratio(heard: Samples, said: Samples, end: int, rate_hz: int) -> float | None:
    """The largest step from a sample to the next around a silence's begin (``end``: the last
    audible sample), of the largest in the whole reply; above 1 it sticks out of speech.
    """
    begin = max(0, end - round(FADE_S * rate_hz))
    there = np.abs(np.diff(heard[begin : end + 2].astype(np.int32)))
    speech = np.abs(np.diff(said.astype(np.int32)))
    if not there.size or not speech.size or not speech.max():
        return None
    return float(there.max() / speech.max())


def end_step(heard: Samples, end: int) -> int:
    """The step from the last audible sample down to silence, in units of int16."""
    return abs(int(heard[end]))


def stretch(samples: NDArray[np.int16], begin_s: float, end_s: float, rate_hz: int) -> Samples:
    """The samples from ``begin_s`` to ``end_s``."""
    return samples[max(0, round(begin_s * rate_hz)) : max(0, round(end_s * rate_hz))]

"""How much of a unit the network is shown at a time.

Durations and pitch are computed for all the network is shown before the first sound is, so a
long unit is shown in windows. Each is seen with some of what comes before and after it, and only
cut where a mark makes a pause: the voice neither ends there nor starts anew.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from speech.kokoro.streaming import FRAMES_PER_DURATION, Utterance

ALONE = 100
"""Phonemes: a unit up to here is shown whole."""
LONGEST = 510
"""What the network can be shown."""
_AIMS = (60, 110, 180)
"""Phonemes of the first window, the second, and all others: the first sound shall come soon, and
the next windows while it is heard."""
_LEAST = 20
"""Shorter windows are not worth a run."""
_BEFORE, _AFTER = 40, 30
"""Phonemes of context, cut to whole words. Without what comes after, a clause sounds final."""
_LONGEST_SPOKEN = LONGEST - _BEFORE - _AFTER

_SEAM = re.compile(r"[;:,.!?…—][\"”»)]*\s+")
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Window:
    """Phonemes that are spoken, and those the network sees around them."""

    phonemes: str
    before: str = ""
    after: str = ""

    @property
    def shown(self) -> str:
        """All the network sees: at most ``LONGEST`` symbols."""
        return self.before + self.phonemes + self.after


@dataclass(frozen=True, slots=True)
class Passage:
    """What of an utterance belongs to its window: frames ``first`` to ``stop``.

    ``durations`` as in ``Utterance``, of the window alone; the padding is 0 where the window
    has context.
    """

    first: int
    stop: int
    durations: NDArray[np.int64]

    @property
    def frames(self) -> int:
        """How many frames are spoken."""
        return self.stop - self.first


def windows(phonemes: str) -> list[Window]:
    """The windows of a unit, in order; their ``phonemes`` together are ``phonemes``."""
    borders = [0, *_borders(phonemes), len(phonemes)]
    return [
        Window(
            phonemes[start:stop],
            _tail(phonemes[max(0, start - _BEFORE) : start], is_whole=start <= _BEFORE),
            _head(phonemes[stop : stop + _AFTER], is_whole=stop + _AFTER >= len(phonemes)),
        )
        for start, stop in pairwise(borders)
        if stop > start
    ]


def passage(utterance: Utterance, window: Window) -> Passage:
    """The window's part of the utterance that was made of ``window.shown``."""
    durations = utterance.durations
    if not (window.before or window.after):
        return Passage(0, utterance.frames, durations)
    begin, end = 1 + len(window.before), len(durations) - 1 - len(window.after)
    spoken = durations[begin - 1 : end + 1].copy()
    first, stop = 0, utterance.frames
    if window.before:
        spoken[0] = 0
        first = FRAMES_PER_DURATION * int(durations[:begin].sum())
    if window.after:
        spoken[-1] = 0
        stop = FRAMES_PER_DURATION * int(durations[:end].sum())
    return Passage(first, stop, spoken)


def _borders(phonemes: str) -> Iterator[int]:
    if len(phonemes) <= ALONE:
        return
    seams = [match.end() for match in _SEAM.finditer(phonemes)]
    start, number = 0, 0
    while len(phonemes) - start > _LEAST:
        aim = _AIMS[min(number, len(_AIMS) - 1)]
        if number and len(phonemes) - start <= aim + _LEAST:
            return
        border = _border(phonemes, seams, start, aim)
        if border is None:
            return
        yield border
        start, number = border, number + 1


def _border(phonemes: str, seams: list[int], start: int, aim: int) -> int | None:
    """Where the window that begins at ``start`` ends; None at the end of the unit."""
    longest = min(start + _LONGEST_SPOKEN, len(phonemes) - _LEAST)
    fit = [seam for seam in seams if start + _LEAST <= seam <= longest]
    near = [seam for seam in fit if seam <= start + aim]
    if near:
        return near[-1]
    if fit:
        return fit[0]
    if len(phonemes) - start <= _LONGEST_SPOKEN:
        return None
    # No mark for so long: between words, and where there is no space in the middle of one.
    stop = start + _LONGEST_SPOKEN
    space = phonemes.rfind(" ", start + 1, stop)
    return stop if space < 0 else space + 1


def _tail(text: str, *, is_whole: bool) -> str:
    """The whole words at the end."""
    space = None if is_whole else _SPACE.search(text)
    return text if is_whole else text[space.end() :] if space else ""


def _head(text: str, *, is_whole: bool) -> str:
    """The whole words at the beginning."""
    return text if is_whole else text[: max(0, text.rfind(" "))]

"""A text in parts that a server takes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from speech.kokoro.markup import outside_markup

_ENDS = (re.compile(r"[.!?…]['\"”’)]*\s"), re.compile(r"[,;:—]\s"), re.compile(r"\s"))
"""Where a text is best cut, best first."""


def parts(text: str, longest: int) -> Iterator[str]:
    """The text in order, in pieces of at most ``longest`` characters.

    Cut behind a sentence, else behind a clause, a word, or anywhere, in the latter half of what
    fits.
    """
    while len(text) > longest:
        cut = _cut(text, longest)
        yield text[:cut]
        text = text[cut:]
    yield text


def _cut(text: str, longest: int) -> int:
    for mark in _ENDS:
        ends = [match.end() for match in mark.finditer(text, longest // 2, longest)]
        if ends:
            return _outside(text, ends[-1], longest)
    return _outside(text, longest, longest)


def _outside(text: str, cut: int, longest: int) -> int:
    moved = outside_markup(text, cut)
    return moved if 0 < moved <= longest else cut

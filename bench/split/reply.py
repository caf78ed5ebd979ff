"""A labelled reply: its text, where its units end, and what of it is spoken."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

Match = Literal["exact", "letters"]
Span = tuple[int, int]

_EMOJI_PARTS = "\ufe0e\ufe0f\u20e3"
"""Marks by category, but parts of an emoji: which variant of a picture, or a key's frame."""


@dataclass(frozen=True, slots=True)
class Reply:
    """Offsets count characters of ``text``.

    ``ends`` are where a unit must end, before the blanks that follow it; ``maybe`` where it
    may. ``silent`` spans are not spoken (code blocks); ``either`` spans are right spoken or
    left out (the number of a list item, the target of a link). ``match`` says how units are
    compared, as in the shared cases: ``exact`` after trimming and squeezing blanks, ``letters``
    by letters, marks and digits alone. ``way`` fixes how it is streamed; empty: every way.
    """

    id: str
    kind: str
    lang: str
    match: Match
    text: str
    ends: tuple[int, ...]
    maybe: tuple[int, ...] = ()
    silent: tuple[Span, ...] = ()
    either: tuple[Span, ...] = ()
    way: str = ""

    def units(self, also: Collection[int] = ()) -> Iterator[tuple[Span, frozenset[str]]]:
        """Each unit's span and the keys that are right for it.

        ``also`` names the ends in ``maybe`` that are taken as ends.
        """
        start = 0
        for end in sorted({*self.ends, *also}):
            yield (start, end), self._keys(start, end)
            start = end

    def _keys(self, start: int, end: int) -> frozenset[str]:
        spoken = without(self.text, self.silent, start, end)
        short = without(self.text, (*self.silent, *self.either), start, end)
        return frozenset({key_of(spoken, self.match), key_of(short, self.match)})


def key_of(text: str, match: Match) -> str:
    """What of a unit is compared."""
    if match == "exact":
        return " ".join(text.split())
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(filter(is_letter, folded))


def is_letter(character: str) -> bool:
    """A letter, a mark or a digit."""
    return unicodedata.category(character)[0] in "LMN" and character not in _EMOJI_PARTS


def without(text: str, spans: Sequence[Span], start: int, end: int) -> str:
    """``text[start:end]`` less what lies in the spans."""
    kept = []
    for low, high in sorted(spans):
        if start <= low and high <= end:
            kept.append(text[start:low])
            start = high
    return "".join([*kept, text[start:end]])

"""Who cuts: one interface for a splitter that streams and for a library that wants whole texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from bench.split.score import Released

MARKS = frozenset(".!?…‥。．｡！？؟۔।॥;；:：,،\n\r")
"""Nothing is cut before one of these was seen, so a library need not be asked before."""


class Splitter(Protocol):
    """Cuts one streamed reply after the other."""

    def units(self, tokens: Sequence[str], lang: str) -> list[Released]:
        """The units in order, each with the token after which it was given."""
        ...


class Growing:
    """A library of whole texts under a stream, as pipecat uses one: it is asked again whenever
    the buffer grew, and all but its last sentence are released."""

    def __init__(self, sentences: Callable[[str, str], Sequence[str]]) -> None:
        """``sentences`` takes a text and its language."""
        self._sentences = sentences

    def units(self, tokens: Sequence[str], lang: str) -> list[Released]:
        """See ``Splitter``."""
        released: list[Released] = []
        buffer = ""
        for at, token in enumerate(tokens):
            buffer += token
            if MARKS.isdisjoint(buffer):
                continue
            *whole, rest = self._parts(buffer, lang)
            released += [Released(part, at) for part in whole]
            buffer = rest
        released += [Released(part, len(tokens)) for part in self._parts(buffer, lang)]
        return [unit for unit in released if unit.text.strip()]

    def _parts(self, text: str, lang: str) -> list[str]:
        """The text cut where the library cuts it, with every blank kept; at least one part."""
        parts, start, cursor = [], 0, 0
        for sentence in self._sentences(text, lang)[:-1] if text.strip() else []:
            found = text.find(sentence, cursor)
            cursor = (cursor if found < 0 else found) + len(sentence)
            parts.append(text[start:cursor])
            start = cursor
        return [*parts, text[start:]]

"""A text on its way to being spoken, each character of which knows what it stands for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

Edit = tuple[int, int, str]
"""``text[start:stop]`` becomes this; edits of a text are in order and do not overlap."""

_IDEOGRAPH = r"[\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]"
_WORD = re.compile(rf"{_IDEOGRAPH}|(?:(?!{_IDEOGRAPH})\S)+")


@dataclass(frozen=True, slots=True)
class Span:
    """``spoken[spoken_start:spoken_end]`` is said for ``source[source_start:source_end]``.

    Offsets count code points.
    """

    spoken_start: int
    spoken_end: int
    source_start: int
    source_end: int


@dataclass(frozen=True)
class Spoken:
    """``text`` is said. ``starts`` and ``ends`` give each of its characters its source."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]

    @cached_property
    def spans(self) -> tuple[Span, ...]:
        """One for each word said, in order: white space parts them, a Han or kana is one.

        Several words of one number have the same source.
        """
        return tuple(self._spans())

    def _spans(self) -> Iterator[Span]:
        for word in _WORD.finditer(self.text):
            start, stop = word.span()
            yield Span(start, stop, min(self.starts[start:stop]), max(self.ends[start:stop]))


class Draft:
    """``text``, and for each of its characters the source it stands for.

    ``fixed`` characters are not edited any more: they are marked up to be said in a way of
    their own.
    """

    def __init__(self, source: str) -> None:
        self.text = source
        self._starts: list[int] = list(range(len(source)))
        self._ends: list[int] = list(range(1, len(source) + 1))
        self._fixed = bytearray(len(source))

    def fix(self, start: int, stop: int) -> None:
        """Keep these characters as they are."""
        self._fixed[start:stop] = b"\x01" * (stop - start)

    def next_fixed(self, start: int) -> int:
        """Where the first fixed character from ``start`` on is; the text's length if none."""
        found = self._fixed.find(1, start)
        return len(self.text) if found < 0 else found

    def next_free(self, start: int) -> int:
        """Where the first character from ``start`` on is that may be edited."""
        found = self._fixed.find(0, start)
        return len(self.text) if found < 0 else found

    def edit(self, edits: Iterable[Edit], *, fix: bool = False) -> None:
        """Apply the edits, and ``fix`` what they wrote. One in fixed characters is left out."""
        text: list[str] = []
        starts: list[int] = []
        ends: list[int] = []
        fixed = bytearray()
        done = 0
        for start, stop, words in edits:
            if self._fixed.find(1, start, stop) >= 0 or (
                self.text[start:stop] == words and not fix
            ):
                continue
            text += (self.text[done:start], words)
            starts += self._starts[done:start]
            ends += self._ends[done:start]
            fixed += self._fixed[done:start]
            starts += [self._starts[start]] * len(words)
            ends += [self._ends[stop - 1]] * len(words)
            fixed += (b"\x01" if fix else b"\x00") * len(words)
            done = stop
        if not done:
            return
        self.text = "".join((*text, self.text[done:]))
        self._starts = starts + self._starts[done:]
        self._ends = ends + self._ends[done:]
        self._fixed = fixed + self._fixed[done:]

    def spoken(self) -> Spoken:
        """The text as it is now."""
        return Spoken(self.text, self._starts, self._ends)

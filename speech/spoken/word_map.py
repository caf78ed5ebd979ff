"""From the words an engine reports back to the words that were written."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from speech.engine import Word
from speech.kokoro.markup import blanked
from speech.kokoro.written import written_words
from speech.spoken.draft import Spoken


@dataclass(slots=True)
class _Group:
    """Spoken characters ``first`` to ``last`` say the written words ``low`` to ``high``."""

    first: int
    last: int
    low: int
    high: int


class WordMap:
    """Takes the words of a spoken text in order and gives those written for which they stand.

    A written word said in several is given with the last of them, and lasts from the first's
    start to the last's end. Written words said together ("$5.3 billion") end together, a sample
    apart: who is cut off before that has heard none of them.
    """

    def __init__(self, source: str, spoken: Spoken) -> None:
        self._text = spoken.text
        self._written = [word.text for word in written_words(source)]
        self._groups = list(_groups(spoken, _places(source, self._written)))
        self._firsts = [group.first for group in self._groups]
        self._lasts = [group.last for group in self._groups]
        self._cursor = 0
        self._open: _Group | None = None
        self._start = self._end = 0

    def take(self, word: Word) -> list[Word]:
        """The written words that end with this one."""
        start = self._text.find(word.text, self._cursor)
        if start < 0 or not word.text:
            return []
        self._cursor = start + len(word.text)
        group = self._group(start, self._cursor)
        if group is None:
            return []
        done = []
        if self._open is None or group.low > self._open.high:
            done = self.rest()
            self._open, self._start = group, word.start
        else:
            self._open.high, self._open.last = group.high, group.last
        self._end = word.end
        return done + (self.rest() if self._cursor > self._open.last else [])

    def rest(self) -> list[Word]:
        """The written words that have begun and of which nothing more is said."""
        group, self._open = self._open, None
        if group is None:
            return []
        texts = self._written[group.low : group.high + 1]
        end = max(self._end, self._start + len(texts))
        cuts = [self._start, *range(end - len(texts) + 1, end + 1)]
        return [Word(text, *span) for text, span in zip(texts, pairwise(cuts), strict=True)]

    def _group(self, start: int, stop: int) -> _Group | None:
        """What the spoken characters stand for; nothing for a mark that is said."""
        low, high = bisect_left(self._lasts, start), bisect_right(self._firsts, stop - 1)
        found = self._groups[low:high]
        if not found:
            return None
        return _Group(found[0].first, found[-1].last, found[0].low, found[-1].high)


def _places(source: str, words: list[str]) -> list[tuple[int, int]]:
    """Where in the source each word is."""
    plain = blanked(source)
    places, cursor = [], 0
    for word in words:
        start = plain.find(word, cursor)
        if start < 0:  # runs on behind a link: [site](target)s
            start = cursor
        places.append((start, start + len(word)))
        cursor = max(cursor, start + len(word) if plain.startswith(word, start) else start)
    return places


def _groups(spoken: Spoken, places: list[tuple[int, int]]) -> Iterator[_Group]:
    """Stretches of the spoken text, each with the written words it is said for."""
    group: _Group | None = None
    word = 0
    for at, character in enumerate(spoken.text):
        if not character.isalnum():
            continue
        start, end = spoken.starts[at], spoken.ends[at]
        while word < len(places) and places[word][1] <= start:
            word += 1
        high = word
        while high + 1 < len(places) and places[high + 1][0] < end:
            high += 1
        if word == len(places) or places[word][0] >= end:
            continue
        if group is not None and word <= group.high:
            group.last, group.high = at, max(group.high, high)
            continue
        if group is not None:
            yield group
        group = _Group(at, at, word, high)
    if group is not None:
        yield group

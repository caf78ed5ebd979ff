"""Fenced code in a stream: nothing in it is spoken, and little of it is kept."""

from __future__ import annotations

import re

from speech.units.characters import LINE_ENDS, LONGEST_RUN, TICK_RUN, TILDE_RUN, Window

PIECE, LONGEST_PIECE = 1_000, 4_000
"""Characters. A long block leaves in pieces of whole lines, of any lines at the latest at
``LONGEST_PIECE``, so that a block without an end does not pile up."""

_RUNS = {"`": re.compile("`{3,}"), "~": re.compile("~{3,}")}
_MARKS = {"`": TICK_RUN, "~": TILDE_RUN}


class Fence:
    """An open block: ``mark`` repeated ``count`` times opened it, its text begins at ``body``."""

    def __init__(self, mark: str, count: int, body: int) -> None:
        self._mark = mark
        self._count = count
        self._scan = body
        self._line = body
        self._opening = True

    def shift(self, dropped: int) -> None:
        """The window lost characters in front."""
        self._scan -= dropped
        self._line -= dropped

    def advance(self, window: Window, start: int) -> tuple[int, bool] | None:
        """Where the next piece of code ends and whether the block does; None at the text's end.

        Raises ``Undecided`` at what may become the closing fence.
        """
        while True:
            seen = min(len(window.text), start + LONGEST_PIECE + LONGEST_RUN)
            found = _RUNS[self._mark].search(window.text, self._scan, seen)
            stop = found.start() if found else self._settled(window, seen)
            piece = self._piece(window.text, start, stop)
            if piece is not None:
                return piece, False
            self._pass(window.text, stop)
            if found is None:
                return None
            end = window.run(_MARKS[self._mark], stop)
            if self._closes(window, stop, end):
                return end, True
            self._scan = end

    def _settled(self, window: Window, seen: int) -> int:
        """Up to where no fence can begin any more."""
        if window.complete and seen == len(window.text):
            return seen
        while seen > self._scan and window.text[seen - 1] == self._mark:
            seen -= 1
        return seen

    def _closes(self, window: Window, stop: int, end: int) -> bool:
        if end - stop < self._count or window.at(end).isalnum():
            return False
        blank = self._line >= 0 and not window.text[self._line : stop].strip()
        return self._opening or blank

    def _piece(self, text: str, start: int, stop: int) -> int | None:
        """Where a piece must end that is long enough before ``stop``."""
        if stop - start <= PIECE:
            return None
        line = text.find("\n", start + PIECE, min(stop, start + LONGEST_PIECE))
        if line >= 0:
            end = line + 1
        elif stop - start > LONGEST_PIECE:
            end = start + LONGEST_PIECE
        else:
            return None
        self._pass(text, end)
        return end

    def _pass(self, text: str, end: int) -> None:
        """Note the lines that begin up to ``end``."""
        last = max(text.rfind(mark, self._scan, end) for mark in LINE_ENDS[:2])
        if last >= 0:
            self._line, self._opening = last + 1, False
        self._scan = max(self._scan, end)

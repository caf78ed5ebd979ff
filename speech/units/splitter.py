"""Tokens to units."""

from __future__ import annotations

import re

from speech.units.breaks import best_break, safe_break
from speech.units.characters import (
    COSTLY,
    COSTLY_EXTRA,
    LINE_ENDS,
    MARKS,
    SPEAKABLE,
    TICK_RUN,
    TILDE_RUN,
    Undecided,
    Window,
    cost,
)
from speech.units.fence import Fence
from speech.units.language import language
from speech.units.marks import Verdict, at_line_end, at_mark, at_semicolon, at_star, at_ticks
from speech.units.unit import Unit, UnitKind

LONGEST = 250
"""Letters, about 15 s of speech; digits and ideographs count for several. It keeps a unit below
Kokoro's 510 phonemes."""

_SIGNS = f"{MARKS}{LINE_ENDS}`*~"
_CANDIDATE = re.compile(f"[{re.escape(_SIGNS)}]")
_GREEK_CANDIDATE = re.compile(f"[{re.escape(_SIGNS)};]")


class UnitSplitter:
    """Cuts one reply into units, each as soon as its end is certain.

    ``feed`` what comes, ``finish`` at the end of the response. The same text gives the same
    units in whatever pieces it comes. The units lie end to end and are the whole reply; those
    to speak have a letter or a digit. What waits is bounded by ``longest`` letters (and a few
    hundred characters to look ahead), and the work by the length of the text.
    """

    def __init__(self, lang: str = "en", *, longest: int = LONGEST) -> None:
        self._language = language(lang)
        self._candidate = _GREEK_CANDIDATE if self._language.semicolon_asks else _CANDIDATE
        self._longest = longest
        self._window = Window()
        self._start = 0
        self._scan = 0
        self._costed = 0
        self._cost = 0
        self._fence: Fence | None = None
        self._out: list[Unit] = []

    @property
    def pending(self) -> str:
        """What has come and has not left."""
        return self._window.text

    def feed(self, token: str) -> list[Unit]:
        """The units that end now."""
        window = self._window
        begun = len(window.text)
        window.text += token
        if self._scan == begun and not self._fence:
            found = self._candidate.search(token)
            # A mark that comes last may go on: nothing can be decided yet.
            if not found or (found.end() == len(token) and found.group() in MARKS):
                end = begun + len(token)
                most = self._cost + (1 + COSTLY_EXTRA) * (end - self._costed)
                if most <= self._longest:  # only text, and certainly not too much
                    self._scan = begun + found.start() if found else end
                    return []
        return self._advance()

    def finish(self) -> list[Unit]:
        """The rest; the splitter is then ready for the next reply."""
        self._window.complete = True
        units = self._advance()
        rest = len(self._window.text)
        if rest > 0:
            self._emit(rest, UnitKind.CODE if self._fence else UnitKind.SPOKEN, force=True)
            units += self._take()
        self._window = Window()
        self._start = self._scan = self._costed = self._cost = 0
        self._fence = None
        return units

    def end_unit(self) -> list[Unit]:
        """End the unit here, as where the text's author or source changes; the reply goes on."""
        self._window.complete = True
        units = self._advance()
        self._window.complete = False
        if self._window.text and not self._fence:
            self._emit(len(self._window.text), UnitKind.SPOKEN)
        return units + self._take()

    def safe_clause(self, *, whole: bool = True) -> str:
        """What of the text that waits can be spoken without the rest; empty for nothing.

        A clause must be ``whole``, with a mark behind it; otherwise it may end with any word
        that does not lean on the next.
        """
        return self.pending[: self._safe_end(whole)].strip()

    def take_clause(self, *, whole: bool = True) -> Unit | None:
        """Cut behind ``safe_clause`` now, for a reader who cannot wait."""
        end = self._safe_end(whole)
        if not end or not self._emit(end, UnitKind.SPOKEN):
            return None
        return self._take()[-1]

    def _safe_end(self, whole: bool) -> int:
        return 0 if self._fence else safe_break(self._window, self._language, whole=whole)

    def _advance(self) -> list[Unit]:
        try:
            while self._step():
                pass
        except Undecided:
            pass
        return self._take()

    def _step(self) -> bool:
        if self._fence:
            return self._step_in_code(self._fence)
        window = self._window
        seen = min(len(window.text), self._scan + self._longest + 1)
        found = self._candidate.search(window.text, self._scan, seen)
        at = found.start() if found else seen
        if self._cut_if_too_long(at):
            return True
        if found is None:
            self._scan = at
            return at < len(window.text)
        verdict = self._verdict(at, found.group())
        if verdict is None:
            return self._open_fence(at)
        for cut in verdict.cuts:
            self._emit(cut, UnitKind.SPOKEN)
        self._scan = max(verdict.scan, self._start)
        return True

    def _verdict(self, at: int, mark: str) -> Verdict | None:
        """None where a block of code begins."""
        window, start, lang = self._window, self._start, self._language
        if mark == "`":
            return at_ticks(window, at)
        if mark == "*":
            return at_star(window, start, at, lang)
        if mark == "~":
            end = window.run(TILDE_RUN, at)
            begins = end - at >= 3 and not _on_line(window.text, start, at).strip()
            return None if begins else Verdict(end)
        if mark in LINE_ENDS:
            return at_line_end(window, start, at, lang)
        if mark == ";":
            return at_semicolon(window, at)
        return at_mark(window, start, at, lang)

    def _open_fence(self, at: int) -> bool:
        window = self._window
        self._emit(at, UnitKind.SPOKEN)
        mark = window.text[at]
        body = window.run(TICK_RUN if mark == "`" else TILDE_RUN, at)
        self._fence = Fence(mark, body - at, body)
        return True

    def _step_in_code(self, fence: Fence) -> bool:
        ended = fence.advance(self._window, self._start)
        if ended is None:
            return False
        end, closed = ended
        self._emit(end, UnitKind.CODE)
        self._scan = end
        if closed:
            self._fence = None
        return True

    def _cut_if_too_long(self, at: int) -> bool:
        """Cut before ``at`` where more than ``longest`` letters stand before it."""
        text = self._window.text
        begin = max(self._costed, self._start)
        if self._cost + (1 + COSTLY_EXTRA) * (at - begin) <= self._longest:
            return False  # whatever its characters are
        added = cost(text[begin:at])
        if self._cost + added <= self._longest:
            self._cost += added
            self._costed = max(at, begin)
            return False
        limit = _within(text, begin, at, self._longest - self._cost)
        self._emit(best_break(self._window, self._start, limit, self._language), UnitKind.SPOKEN,
                   force=True)  # fmt: skip
        self._scan = max(self._scan, self._start)
        return True

    def _emit(self, end: int, kind: UnitKind, *, force: bool = False) -> bool:
        """Hand out what reaches to ``end``; without letters it waits for a neighbour."""
        start, text = self._start, self._window.text
        spoken = kind is UnitKind.SPOKEN and SPEAKABLE.search(text, start, end)
        if kind is UnitKind.SPOKEN and not spoken:
            if not force:
                return False
            kind = UnitKind.SILENT
        written = text[start:end]
        base = self._window.base
        self._out.append(
            Unit(written.strip() if spoken else "", base + start, base + end, kind, written)
        )
        self._start = self._costed = end
        self._scan = max(self._scan, end)
        self._cost = 0
        return True

    def _take(self) -> list[Unit]:
        """The units cut, and the window without their text."""
        units, self._out = self._out, []
        dropped, self._start = self._start, 0
        if dropped:
            self._window.text = self._window.text[dropped:]
            self._window.base += dropped
            self._scan = max(self._scan - dropped, 0)
            self._costed = max(self._costed - dropped, 0)
            if self._fence:
                self._fence.shift(dropped)
        return units


def _within(text: str, begin: int, end: int, room: int) -> int:
    """The last index up to which ``text`` from ``begin`` costs no more than ``room``."""
    for index in range(begin, end):
        room -= 1 + (COSTLY_EXTRA if COSTLY.match(text[index]) else 0)
        if room < 0:
            return index
    return end


def _on_line(text: str, start: int, at: int) -> str:
    return text[max(start, text.rfind("\n", start, at) + 1) : at]

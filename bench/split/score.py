"""One streamed reply scored: right units, false cuts, delays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from bench.split.decidable import decidable_token
from bench.split.reply import Reply, key_of


class Released(NamedTuple):
    """A unit as a splitter gave it, with the index of the token after which it did;
    ``len(tokens)`` is the end of the reply."""

    text: str
    at: int


@dataclass(slots=True)
class Score:
    """Sums over streams. ``labelled`` counts the units that every splitter must end;
    ``wanted`` adds the ends a splitter was free to make and made."""

    labelled: int = 0
    wanted: int = 0
    given: int = 0
    right: int = 0
    false_cuts: int = 0
    missed_ends: int = 0
    delays: list[int] = field(default_factory=list)

    def add(self, other: Score) -> None:
        """Take in another's sums."""
        self.labelled += other.labelled
        self.wanted += other.wanted
        self.given += other.given
        self.right += other.right
        self.false_cuts += other.false_cuts
        self.missed_ends += other.missed_ends
        self.delays += other.delays

    @property
    def f1(self) -> float:
        """Of whole units: one that is cut, merged or changed counts for nothing."""
        return 2 * self.right / ((self.wanted + self.given) or 1)


def score(reply: Reply, tokens: Sequence[str], released: Sequence[Released]) -> Score:
    """See ``Score``.

    Units are compared in order (longest common subsequence), so that one wrong cut does not
    cost the units after it. Where a text is compared by letters, a unit without any is ignored.
    """
    given = [
        (key, unit.at) for unit in released if (key := key_of(unit.text, reply.match))
    ]  # fmt: skip
    ruler = _Ruler(reply)
    cuts = ruler.places([key for key, _at in given])
    chosen = [end for end in reply.maybe if ruler.place(end) in cuts]
    wanted = list(reply.units(chosen))
    pairs = _common([keys for _span, keys in wanted], [key for key, _at in given])
    return Score(
        labelled=len(reply.ends),
        wanted=len(wanted),
        given=len(given),
        right=len(pairs),
        false_cuts=sum(place not in ruler.allowed for place in cuts),
        missed_ends=sum(ruler.place(end) not in cuts for end in reply.ends),
        delays=_delays(reply, tokens, [(wanted[w][0][1], given[g][1]) for w, g in pairs]),
    )


def _delays(reply: Reply, tokens: Sequence[str], ends: list[tuple[int, int]]) -> list[int]:
    """Of units that must end, less the last, which everyone knows at the end of the reply."""
    inner = set(reply.ends[:-1])
    return [at - decidable_token(tokens, end) for end, at in ends if end in inner]


class _Ruler:
    """Measures cuts in compared characters, so that blanks, and marks in texts compared by
    letters, are on either side of a cut."""

    def __init__(self, reply: Reply) -> None:
        self._reply = reply
        self._places = [0]
        parts = [key_of(character, reply.match) for character in reply.text]
        for part in parts:
            self._places.append(self._places[-1] + len(part))
        self._flat = "".join(parts)
        self.allowed = self._allowed()

    def place(self, offset: int) -> int:
        """Of an offset in the text."""
        return self._places[offset]

    def _allowed(self) -> set[int]:
        """Where a cut is right: at the ends, and anywhere in what is not spoken."""
        reply = self._reply
        ends = {self.place(offset) for offset in (*reply.ends, *reply.maybe)}
        silent = [range(self.place(low), self.place(high) + 1) for low, high in reply.silent]
        return ends.union({len(self._flat)}, *silent)

    def places(self, keys: Sequence[str]) -> list[int]:
        """Where the given units end; one that is not the text's is measured by its length."""
        places, cursor = [], 0
        for key in keys:
            flat = "".join(key.split())
            found = self._flat.find(flat, cursor)
            cursor = min((cursor if found < 0 else found) + len(flat), len(self._flat))
            places.append(cursor)
        return places


def _common(wanted: Sequence[frozenset[str]], given: Sequence[str]) -> list[tuple[int, int]]:
    """Index pairs of a longest common subsequence."""
    rows, columns = len(wanted), len(given)
    longest = [[0] * (columns + 1) for _ in range(rows + 1)]
    for row in range(rows - 1, -1, -1):
        for column in range(columns - 1, -1, -1):
            same = given[column] in wanted[row]
            longest[row][column] = (
                longest[row + 1][column + 1] + 1
                if same
                else max(longest[row + 1][column], longest[row][column + 1])
            )
    pairs, row, column = [], 0, 0
    while row < rows and column < columns:
        if given[column] in wanted[row]:
            pairs.append((row, column))
            row, column = row + 1, column + 1
        elif longest[row + 1][column] >= longest[row][column + 1]:
            row += 1
        else:
            column += 1
    return pairs

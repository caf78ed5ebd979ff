"""Which symbol of one phoneme string stands where in another of the same text."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

WILDCARD = "*"
"""In the expected string: takes whatever comes in its place, or nothing."""
NOWHERE = -1

_SPACE, _MARK, _ACCENT, _VOWEL, _CONSONANT, _ANYTHING = range(6)
_MARKS = frozenset(';:,.!?¡¿—…"()“”«»[]{}')
_ACCENTS = frozenset("ˈˌː\u0303ʰʲ↓→↗↘")
_VOWELS = frozenset("AIOQSTWYaeiouyæøœɐɑɒɔəɚɛɜɤɨɪɯʊʌᵊᵻ")

_ALONE = np.array([1, 2, 1, 4, 4, 0], np.int32)
"""Cost, by class, of a symbol that only one side has: stress moves about and words run together,
sounds seldom vanish."""
_AT_WILDCARD = np.minimum(_ALONE, 2)
_INSTEAD = np.full((6, 6), 9, np.int32)
_INSTEAD[_VOWEL, _VOWEL] = 3
_INSTEAD[_CONSONANT, _CONSONANT] = 4
_INSTEAD[_ACCENT, _ACCENT] = _INSTEAD[_MARK, _MARK] = 1
_INSTEAD[_SPACE, _MARK] = _INSTEAD[_MARK, _SPACE] = 2
"""Cost of one class in the place of another; above both ``_ALONE`` where that is no likeness."""


def is_sound(symbol: str) -> bool:
    """Not white space and not a mark: something with a place in a word."""
    return symbol != " " and symbol not in _MARKS


def match(actual: str, expected: str, *, to_end: bool) -> list[int]:
    """For each symbol of ``actual`` the place in ``expected`` it stands at, rising.

    ``NOWHERE`` for symbols between two places. Unless ``to_end``, ``actual`` is the beginning
    of ``expected`` only. Time and memory go with the product of the lengths: 10 ms for 510
    symbols in 770.
    """
    if not actual or not expected:
        return [NOWHERE] * len(actual)
    replace = _replacing(actual, expected)
    insert, drop = _inserting(actual, expected), _ALONE[_classes(expected)]
    costs = _costs(replace, insert, drop)
    stop = len(expected) if to_end else int(costs[-1].argmin())
    return _trace(costs, replace, insert, expected, stop)


def _classes(symbols: str) -> NDArray[np.intp]:
    return np.fromiter(map(_class, symbols), np.intp, len(symbols))


def _class(symbol: str) -> int:
    if symbol == " ":
        return _SPACE
    if symbol in _MARKS:
        return _MARK
    if symbol in _ACCENTS:
        return _ACCENT
    if symbol == WILDCARD:
        return _ANYTHING
    return _VOWEL if symbol in _VOWELS else _CONSONANT


def _replacing(actual: str, expected: str) -> NDArray[np.int32]:
    instead: NDArray[np.int32] = _INSTEAD[np.ix_(_classes(actual), _classes(expected))]
    same = np.array(list(actual))[:, None] == np.array(list(expected))[None, :]
    return np.where(same, np.int32(0), instead)


def _inserting(actual: str, expected: str) -> NDArray[np.int32]:
    """Cost of each symbol of ``actual`` behind each of ``expected``; column 0 is before all."""
    insert = np.repeat(_ALONE[_classes(actual)][:, None], len(expected) + 1, axis=1)
    insert[:, 1:][:, np.array(list(expected)) == WILDCARD] = _AT_WILDCARD[_classes(actual)][:, None]
    return insert


def _costs(
    replace: NDArray[np.int32], insert: NDArray[np.int32], drop: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Least cost for every pair of beginnings."""
    dropped = np.concatenate([[0], np.cumsum(drop)]).astype(np.int32)
    costs = np.empty((replace.shape[0] + 1, replace.shape[1] + 1), np.int32)
    costs[0] = dropped
    for row in range(replace.shape[0]):
        here = costs[row] + insert[row]
        np.minimum(here[1:], costs[row, :-1] + replace[row], out=here[1:])
        # A drop follows any column to its left: a running minimum without its own cost.
        costs[row + 1] = np.minimum.accumulate(here - dropped) + dropped
    return costs


def _trace(
    costs: NDArray[np.int32],
    replace: NDArray[np.int32],
    insert: NDArray[np.int32],
    expected: str,
    stop: int,
) -> list[int]:
    """The way back along the least costs."""
    row, column = len(replace), stop
    places = [NOWHERE] * row
    while row:
        cost = costs[row, column]
        if column and cost == costs[row - 1, column - 1] + replace[row - 1, column - 1]:
            row, column = row - 1, column - 1
            places[row] = column
        elif cost == costs[row - 1, column] + insert[row - 1, column]:
            row -= 1
            if column and expected[column - 1] == WILDCARD:
                places[row] = column - 1
        else:
            column -= 1
    return places

"""Which words had been heard to their end when the sound was cut. Pure."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")

ROUNDING_S = 1e-6
"""Sums of sample durations differ by this much at most; a sample lasts 20 times as long."""


@dataclass(slots=True)
class _Entry(Generic[T]):
    item: T
    end_s: float
    is_word: bool


class Cut(NamedTuple, Generic[T]):
    """``heard`` and ``unheard`` items, each in order."""

    heard: list[T]
    unheard: list[T]


class HeardLedger(Generic[T]):
    """Words in the order they are spoken, each with the position its last sample is played at.

    Positions are seconds of played sound, holes left out, on any scale that only grows; a
    word counts as heard when the position has reached its end, never before. What has no
    sound of its own (``follow``) stands behind the words before it. Every item is given out
    once, in order, or named as unheard once.
    """

    def __init__(self) -> None:
        self._entries: deque[_Entry[T]] = deque()

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def next_end_s(self) -> float | None:
        """The position the next item waits for."""
        return self._entries[0].end_s if self._entries else None

    def word(self, item: T, end_s: float) -> None:
        """A word whose last sample is at ``end_s``; not before the end of the word before it."""
        self._entries.append(_Entry(item, max(end_s, self._last_end_s), True))

    def follow(self, item: T) -> None:
        """Something without sound, due when the words before it have been heard."""
        self._entries.append(_Entry(item, self._last_end_s, False))

    def heard(self, position_s: float) -> list[T]:
        """The items due at ``position_s``, which leave the ledger."""
        due = []
        while self._entries and self._entries[0].end_s <= position_s + ROUNDING_S:
            due.append(self._entries.popleft().item)
        return due

    def cap(self, end_s: float) -> None:
        """There is no sound beyond ``end_s``: what waits for more waits for that."""
        for entry in self._entries:
            entry.end_s = min(entry.end_s, end_s)

    def cut(self, position_s: float, keeps: Callable[[T], bool] = lambda _: False) -> Cut[T]:
        """The sound ends at ``position_s``, but for the words that ``keeps`` says go on.

        Everything else is given out: what was due, and what never will be. Kept followers
        wait only for kept words.
        """
        heard = self.heard(position_s)
        unheard, kept = [], deque[_Entry[T]]()
        end_s = position_s
        for entry in self._entries:
            if not keeps(entry.item):
                unheard.append(entry.item)
                continue
            end_s = entry.end_s if entry.is_word else end_s
            kept.append(_Entry(entry.item, end_s, entry.is_word))
        self._entries = kept
        return Cut(heard, unheard)

    @property
    def _last_end_s(self) -> float:
        return self._entries[-1].end_s if self._entries else 0.0

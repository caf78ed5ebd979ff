"""Who speaks how much, and when."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reply:
    """The user's turn, in seconds, and what the bot answers: units, and when each is written."""

    pause_s: float
    units: tuple[str, ...]
    written_s: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Mix:
    """A conversation in which users and bot take turns.

    ``units`` are the numbers of sentences of a reply, equally likely. ``pause_s`` is the time from
    a reply's end to the next one's first sentence: the user's words, the silence that ends them
    and the model's first token. The model then writes ``characters_per_s``.
    """

    units: tuple[int, ...] = (1, 1, 2, 2, 3)
    pause_s: tuple[float, float] = (3.0, 9.0)
    characters_per_s: float = 200.0

    def conversation(self, sentences: Sequence[str], seed: int) -> Iterator[Reply]:
        """Without end; the same for the same seed."""
        dice = random.Random(seed)  # noqa: S311
        while True:
            units = tuple(dice.choice(sentences) for _ in range(dice.choice(self.units)))
            written = tuple(
                sum(len(unit) for unit in units[:number]) / self.characters_per_s
                for number in range(len(units))
            )
            yield Reply(dice.uniform(*self.pause_s), units, written)

"""How long it is tried to go on with a unit whose link ended."""

from __future__ import annotations

from collections.abc import Callable

from speech.errors import EngineError
from speech.jitter import Chance, chance, spread

SHORTEST_S, LONGEST_S = 0.1, 1.0
"""Between two tries; the first is at once, as a spare link may be there."""
MOST = 30
"""Tries of a unit, however far each has brought it."""


class Recovery:
    """The pauses of one unit's new attempts, and when they are given up."""

    def __init__(
        self, deadline_s: float, clock: Callable[[], float], draw: Chance = chance
    ) -> None:
        self._deadline_s, self._clock, self._draw = deadline_s, clock, draw
        self._lost_at: float | None = None
        self._tries = 0
        self._all = 0

    @property
    def under_way(self) -> bool:
        """Whether a link has been lost."""
        return self._lost_at is not None

    def moved(self) -> None:
        """There was sound since the last loss: the deadline begins anew with the next."""
        self._lost_at, self._tries = None, 0

    def pause_s(self, error: EngineError, told_s: float | None = None) -> float:
        """Seconds until the next try; where a server has told them, no less.

        Raises ``error`` when it says to come back after the deadline, and ``EngineError`` when
        that has passed.
        """
        now = self._clock()
        if self._lost_at is None:
            self._lost_at = now
        pause_s = min(LONGEST_S, SHORTEST_S * 2 ** (self._tries - 1)) if self._tries else 0.0
        # Many clients of a server that restarts do not come at the same moment.
        pause_s = max(pause_s * (0.5 + self._draw() / 2), spread(told_s or 0.0, self._draw))
        self._tries += 1
        self._all += 1
        if told_s and now + pause_s > self._lost_at + self._deadline_s:
            raise error
        if self._all > MOST or now + pause_s > self._lost_at + self._deadline_s:
            raise EngineError(
                f"{error}; not reached again within {self._deadline_s:g} s"
            ) from error
        return pause_s

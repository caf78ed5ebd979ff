"""How long it is tried to go on with a unit whose link ended."""

from __future__ import annotations

import random
from collections.abc import Callable

from speech.errors import EngineError

SHORTEST_S, LONGEST_S = 0.1, 1.0
"""Between two tries; the first is at once, as a spare link may be there."""
MOST = 30
"""Tries of a unit, however far each has brought it."""


class Recovery:
    """The pauses of one unit's new attempts, and when they are given up."""

    def __init__(self, deadline_s: float, clock: Callable[[], float]) -> None:
        self._deadline_s, self._clock = deadline_s, clock
        self._lost_at: float | None = None
        self._tries = 0
        self._all = 0

    def moved(self) -> None:
        """There was sound since the last loss: the deadline begins anew with the next."""
        self._lost_at, self._tries = None, 0

    def pause_s(self, error: EngineError) -> float:
        """Seconds until the next try. Raises ``EngineError`` when the deadline has passed."""
        now = self._clock()
        if self._lost_at is None:
            self._lost_at = now
        pause_s = min(LONGEST_S, SHORTEST_S * 2 ** (self._tries - 1)) if self._tries else 0.0
        self._tries += 1
        self._all += 1
        if self._all > MOST or now + pause_s > self._lost_at + self._deadline_s:
            raise EngineError(
                f"{error}; not reached again within {self._deadline_s:g} s"
            ) from error
        # Many clients of a server that restarts do not come at the same moment.
        return pause_s * random.uniform(0.5, 1.0)  # noqa: S311 (no secret)

"""When an engine that failed is asked again."""

from __future__ import annotations

from collections.abc import Callable

from speech.errors import EngineBusyError, EngineRefusedError
from speech.jitter import Chance, chance, spread

SHORTEST_S, LONGEST_S = 5.0, 60.0
"""After a failure, doubled with each in a row: every attempt may cost a listener a wait."""
REFUSED_S = 600.0
"""What waiting does not mend somebody may mend meanwhile: a token, an endpoint."""


class Rest:
    """An engine's pause after it has failed; shared by all its sessions.

    A transient failure: 5 s, doubled with each in a row up to 60 s. One that says when to come
    back: then, but not sooner than that, and within ten minutes (to a quarter). One that
    refuses: ten minutes.
    """

    def __init__(self, clock: Callable[[], float], draw: Chance = chance) -> None:
        self._clock, self._draw = clock, draw
        self._failures = 0
        self._until_s = clock()

    @property
    def resting(self) -> bool:
        """Whether the engine is to be left alone now."""
        return self._clock() < self._until_s

    def failed(self, error: Exception) -> None:
        """It failed with ``error``."""
        pause_s = min(LONGEST_S, SHORTEST_S * 2**self._failures)
        if isinstance(error, EngineBusyError):
            told_s = min(REFUSED_S, error.retry_after_s or 0.0)
            pause_s = max(pause_s, spread(told_s, self._draw))
        if isinstance(error, EngineRefusedError):
            pause_s = REFUSED_S
        self._failures = min(self._failures + 1, 16)
        self._until_s = self._clock() + pause_s

    def spoke(self) -> None:
        """It has spoken a unit to its end."""
        self._failures = 0

"""What is configured: the policy, its bounds and its words."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Policy(StrEnum):
    """What happens to words that rest on something not known yet.

    ``SPEAK``: they are spoken, and taken back if need be. ``HOLD``: they wait.
    ``HOLD_WITH_PREAMBLE``: and a long wait is bridged with a filler.
    """

    SPEAK = "speak"
    HOLD = "hold"
    HOLD_WITH_PREAMBLE = "hold_with_preamble"


class AtBound(StrEnum):
    """What happens to words that have waited for too long: not spoken, or with a hedge."""

    DROP = "drop"
    HEDGE = "hedge"


@dataclass(frozen=True, slots=True)
class Rules:
    """Empty texts are not said.

    ``max_wait_s`` bounds each unit's wait, ``max_units`` how many wait; beyond either
    ``at_bound`` decides. ``preamble_after_s`` is the predicted silence worth a preamble.
    """

    policy: Policy = Policy.HOLD_WITH_PREAMBLE
    max_wait_s: float = 8.0
    max_units: int = 8
    at_bound: AtBound = AtBound.DROP
    preamble_after_s: float = 1.5
    preambles: tuple[str, ...] = ("One moment, I am checking.",)
    apology: str = "I could not confirm that yet."
    hedge: str = "I have not been able to check this yet."
    correction: str = "Sorry, I have to take that back."

    @property
    def holds(self) -> bool:
        """Whether unknown claims wait."""
        return self.policy != Policy.SPEAK

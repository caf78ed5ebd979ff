"""Not all at the same moment."""

from __future__ import annotations

import random
from collections.abc import Callable

Chance = Callable[[], float]
"""A number from 0 to 1, another one with each call."""

SPREAD = 0.25
"""A server that tells a hundred clients to come back in 4 s sees them come within one second."""

chance: Chance = random.random


def spread(seconds: float, draw: Chance = chance) -> float:
    """As long as was asked for, or up to a quarter longer."""
    return seconds * (1 + SPREAD * draw())

"""A clock that goes when it is told to."""

from __future__ import annotations


class FakeClock:
    """Seconds, from 100."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

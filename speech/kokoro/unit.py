"""A unit that Kokoro speaks."""

from __future__ import annotations

from speech.kokoro.model import Computation
from speech.line import AwaitedUnit


class Unit(AwaitedUnit):
    """Cancelling it stops its computation too."""

    def __init__(self, unit_id: str) -> None:
        super().__init__(unit_id)
        self.computation = Computation()

    def cancel(self) -> None:
        """Stop computing, give everything back and end every wait; idempotent."""
        self.computation.stop()
        super().cancel()

"""A unit that Kokoro speaks."""

from __future__ import annotations

from speech.kokoro.model import Computation
from speech.line import AwaitedUnit


class Unit(AwaitedUnit):
    """Cancelling it stops its computation too.

    It was asked for at ``asked_at`` (monotonic) and should be heard ``within_s`` later, if nothing
    of its session is heard before it.
    """

    def __init__(
        self, unit_id: str, characters: int = 0, asked_at: float = 0.0, within_s: float = 0.0
    ) -> None:
        super().__init__(unit_id)
        self.characters, self.asked_at, self.within_s = characters, asked_at, within_s
        self.begun = False
        """Whether its first front is done."""
        self.sound_s = 0.0
        """What has been made of it."""
        self.computation = Computation()

    def cancel(self) -> None:
        """Stop computing, give everything back and end every wait; idempotent."""
        self.computation.stop()
        super().cancel()

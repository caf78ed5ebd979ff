"""What carries the policy's decisions to the ear."""

from __future__ import annotations

from typing import Protocol


class Speaker(Protocol):
    """The output's side of barge-in. Nothing here waits; each may be called in any state.

    What may not be interrupted is left alone by ``cut``; the policy ducks nothing of it.
    """

    def duck(self, reply_id: str) -> None:
        """Fade out from the sample being played, and hold what is not audible yet."""
        ...

    def resume(self) -> None:
        """Ramp back and go on with the first sample that was held; nothing is lost."""
        ...

    def cut(self, reply_id: str) -> None:
        """Silence now, with a short fade; what is queued here is dropped, and what comes late."""
        ...

"""What a reply becomes when the voice fails in the middle of it."""

from __future__ import annotations

from collections.abc import Sequence


class VoiceFailure:
    """The policy for units that could not be spoken.

    With ``lost_voice`` None the reply goes on with its next unit, and one of which nothing has
    been heard gets the ``apology`` where the unit would have been. Else ``lost_voice`` is said
    in the unit's place, and no more of that reply is spoken. Both are texts prepared ahead.
    """

    def __init__(self, apology: Sequence[str] = (), lost_voice: Sequence[str] | None = None):
        self._apology, self._lost_voice = tuple(apology), lost_voice
        self._sounded: str | None = None
        self._given_up: str | None = None

    def sounded(self, context_id: str) -> None:
        """Something of this reply is on its way to the listener."""
        self._sounded = context_id

    def has_given_up(self, context_id: str) -> bool:
        """Whether no more of this reply is to be spoken."""
        return self._given_up == context_id

    def instead(self, context_id: str) -> tuple[str, ...]:
        """What is said in place of a unit that has just failed."""
        if self._lost_voice is not None:
            self._given_up = context_id
            return tuple(self._lost_voice)
        return () if self._sounded == context_id else self._apology

"""What one session's listener has in hand."""

from __future__ import annotations

import math


class Listener:
    """When the sound of one session runs dry, and how much more may be made for it.

    All times are seconds on the clock of whoever calls. Taken for granted unless ``plays`` says
    otherwise: the listener plays in real time from the moment the first sound is handed on.
    """

    def __init__(self) -> None:
        self._dry_at = -math.inf
        self._first_due = math.inf
        self.credit_s = math.inf
        """Seconds of sound that may still be made; without a limit until ``grant`` sets one."""
        self.turn_s = 0.0
        """Sound handed on since the listener last had none."""

    @property
    def due(self) -> float:
        """When the next sound is needed: past for one who waits in silence in mid-reply."""
        return max(self._dry_at, self._first_due)

    def begins(self, asked_at: float) -> bool:
        """Whether what was asked for then begins a reply: all before it had been heard."""
        return self._dry_at <= asked_at

    def due_of(self, asked_at: float, within_s: float) -> float:
        """When a unit asked for at ``asked_at`` is due: one that begins a reply ``within_s``
        later, one that goes on with it when the sound before it runs dry."""
        return asked_at + within_s if self.begins(asked_at) else self._dry_at

    def ask(self, asked_at: float, within_s: float) -> bool:
        """This unit is next. Tells whether it begins a reply."""
        begins = self.begins(asked_at)
        self._first_due = asked_at + within_s if begins else -math.inf
        if begins:
            self.turn_s = 0.0
        return begins

    def hear(self, seconds: float, now: float) -> None:
        """So much sound is handed on."""
        self._dry_at = max(self._dry_at, now) + seconds
        self._first_due = -math.inf
        self.turn_s += seconds
        self.credit_s -= seconds

    def plays(self, ahead_s: float, now: float) -> None:
        """It is known to have at least so much left to play."""
        if ahead_s > 0:
            self._dry_at = max(self._dry_at, now + ahead_s)

    def grant(self, seconds: float) -> None:
        """So much more may be made for it. From the first call on there is a limit."""
        self.credit_s = seconds + (0.0 if math.isinf(self.credit_s) else self.credit_s)

    def cut(self, *, waits: bool = False) -> None:
        """What was handed on has been thrown away. ``waits``: for the unit that is spoken."""
        self._dry_at = -math.inf
        if not waits:
            self._first_due = math.inf

    def sounds(self, now: float) -> bool:
        """Whether it has anything left to play."""
        return self._dry_at > now

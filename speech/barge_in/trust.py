"""Whether voice alone is to be believed."""

from __future__ import annotations

from speech.barge_in.config import BargeInConfig
from speech.barge_in.decision import Why


class Trust:
    """Voice is not believed while echo cancellation adapts, nor after too many false alarms."""

    def __init__(self, config: BargeInConfig) -> None:
        self._protect_s = config.protect_s
        self._at_most = config.false_alarms
        self._protected_until = float("-inf")
        self._false_alarms = 0

    def sound_began(self, at: float) -> None:
        """Only the first sound counts: the canceller learns from the bot's voice."""
        if self._protected_until == float("-inf"):
            self._protected_until = at + self._protect_s

    def false_alarm(self) -> None:
        """A duck had no consequence."""
        self._false_alarms += 1

    def new_reply(self) -> None:
        """False alarms are counted by the reply."""
        self._false_alarms = 0

    def doubt(self, now: float) -> Why | None:
        """Why voice does not count now; None: it does."""
        if self._protected_until > now:
            return Why.PROTECTED
        return Why.FALSE_ALARMS if self._false_alarms >= self._at_most else None

    def believed_at(self, at: float) -> float | None:
        """The earliest time from ``at`` on at which voice may count; None: not in this reply."""
        if self._false_alarms >= self._at_most:
            return None
        return max(at, self._protected_until)

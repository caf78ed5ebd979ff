"""After a cut that nobody meant: the answer is asked for again, once."""

from __future__ import annotations

from speech.barge_in.config import BargeInConfig


class Recovery:
    """Remembers the answer that was lost until it is known whether the user said something.

    Asks once between two things the user really said: a detector that hears voice in noise must
    not make the bot begin its answer for ever.
    """

    def __init__(self, config: BargeInConfig) -> None:
        self._config = config
        self._lost: str | None = None
        self._since = 0.0
        self._spent = False

    @property
    def lost(self) -> str | None:
        """The answer that may have to be asked for again."""
        return self._lost

    def lose(self, reply_id: str, now: float) -> None:
        """An answer is gone and no words say why."""
        if not self._spent:
            self._lost, self._since = reply_id, now

    def words_came(self) -> None:
        """The user said something: that will be answered."""
        self._lost, self._spent = None, False

    def answer_began(self) -> None:
        """Somebody answers already."""
        self._lost = None

    def spend(self) -> str | None:
        """The reply to ask for again, which may be done once; None: there is none."""
        lost, self._lost = self._lost, None
        self._spent = self._spent or lost is not None
        return lost

    def due(self, quiet_since: float | None) -> float | None:
        """When the words must have come.

        ``quiet_since`` None: the user still makes sound; infinite: holds the key and may think.
        """
        if self._lost is None or quiet_since == float("inf"):
            return None
        stuck = self._since + self._config.give_up_s
        if quiet_since is None:
            return stuck
        return min(stuck, max(self._since, quiet_since) + self._config.words_wait_s)

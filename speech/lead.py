"""How far the voice is ahead of the listener."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from speech.queues import QueueGauge, Queues

PATIENCE_S = 12.0
"""A position that stands still so long, with sound before it, is that of a lost listener. More
than any transport keeps what it cannot play: 5 s for a sound card that is gone, 10 s (pipecat's
write timeout) for a peer that reads no more. So what was made has been thrown away by then."""

SHORTEST_WAIT_S = 0.01
"""Positions move in steps of some milliseconds; looking more often gains nothing."""


class Lead:
    """Sound that was made and has not been heard, and whether more may be made.

    ``played`` is the position of the listener in seconds of the bot's sound: it never goes
    back. One that makes sound waits for ``room`` before it makes more, and tells what it has
    ``made``. Always: the sound ahead of the listener is at most ``lead_s`` and what was made at
    once after there was room. Where the listener is lost, so much is made every ``PATIENCE_S``.
    """

    def __init__(
        self,
        lead_s: float,
        played: Callable[[], float],
        clock: Callable[[], float],
        queues: Queues | None = None,
    ) -> None:
        self._lead_s = lead_s
        self._played = played
        self._clock = clock
        self._end_s = 0.0  # the position at which all that was made has been heard
        self._seen_s = 0.0
        self._moved_at = clock()
        self._gauge: QueueGauge | None = None
        if queues is not None:
            policy = "the voice waits; an interruption empties it"
            self._gauge = queues.watch("made, not heard", unit="s", bound=lead_s, policy=policy)

    @property
    def ahead_s(self) -> float:
        """Seconds of sound that were made and not yet heard."""
        position_s = self._look()
        return self._end_s - position_s

    def made(self, seconds: float) -> None:
        """So much sound is on its way to the listener."""
        self._look()
        self._end_s += seconds
        self._moved_at = self._clock()
        if self._gauge is not None:
            self._gauge.level(self.ahead_s)

    def cut(self) -> None:
        """What is on its way will not be heard. What the device still plays of it is forgotten."""
        self._end_s = self._look()

    def wait_s(self) -> float:
        """0 if more may be made; else there is no room sooner than after so many seconds."""
        over_s = self.ahead_s - self._lead_s
        if over_s <= 0:
            return 0.0
        still_s = self._clock() - self._moved_at
        if still_s >= PATIENCE_S:
            self.cut()
            return 0.0
        return max(SHORTEST_WAIT_S, min(over_s, PATIENCE_S - still_s))

    async def room(self) -> None:
        """Wait until more may be made; at once where the listener is near, or lost."""
        while True:
            wait_s = self.wait_s()
            if wait_s <= 0:
                return
            await asyncio.sleep(wait_s)  # sound takes its time: there is no room sooner

    def _look(self) -> float:
        """The position now. Sound that we did not make, such as the rest of a cut one, counts
        for nothing."""
        position_s = self._played()
        if position_s != self._seen_s:
            self._seen_s, self._moved_at = position_s, self._clock()
        self._end_s = max(self._end_s, position_s)
        return position_s

"""How much audio a session's client has asked for."""

from __future__ import annotations

from server.speech.changed import Changed
from speech.wire.fields import MAX_CREDIT_MS


class Credit:
    """Unlimited until the first ``give``; then ``take`` waits for more.

    Counts samples at ``sample_rate``.
    """

    def __init__(self, sample_rate: int) -> None:
        self._sample_rate = sample_rate
        self._left: float | None = None
        self._changed = Changed()

    def restart(self, sample_rate: int, ms: int | None) -> None:
        """Begin anew at this rate, with so much credit; None: unlimited."""
        self._sample_rate, self._left = sample_rate, None
        if ms is not None:
            self.give(ms)

    def give(self, ms: int) -> None:
        """Add so much; more than ``MAX_CREDIT_MS`` is never held."""
        most = MAX_CREDIT_MS * self._sample_rate / 1000
        self._left = min(most, (self._left or 0.0) + ms * self._sample_rate / 1000)
        self._changed.notify()

    async def take(self, samples: int) -> int:
        """Between 1 and ``samples``: what may be sent now, once there is any."""
        while self._left is not None and self._left < 1:
            await self._changed.wait()
        if self._left is None:
            return samples
        taken = min(samples, int(self._left))
        self._left -= taken
        return taken

    def give_back(self, samples: int) -> None:
        """What was taken and then not sent."""
        if self._left is not None:
            self._left += samples
            self._changed.notify()

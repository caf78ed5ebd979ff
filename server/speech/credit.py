"""How much audio a session's client has asked for."""

from __future__ import annotations

from server.speech.changed import Changed
from speech.wire.fields import MAX_CREDIT_MS


class Credit:
    """Unlimited until the first ``give``; then ``take`` waits for more.

    Counts samples at ``sample_rate``. The first ``give`` is the client's window: what was sent
    comes back as credit once the client has played it, or found room for it ahead of that.
    """

    def __init__(self, sample_rate: int) -> None:
        self._sample_rate = sample_rate
        self._left: float | None = None
        self._window = self._thrown = 0.0
        self._changed = Changed()

    @property
    def unheard_s(self) -> float:
        """Seconds that are at least still to be heard: they were sent, and have not come back."""
        return max(0.0, self._out - self._thrown) / self._sample_rate

    @property
    def _out(self) -> float:
        return 0.0 if self._left is None else self._window - self._left

    def restart(self, sample_rate: int, ms: int | None) -> None:
        """Begin anew at this rate, with so much credit; None: unlimited."""
        self._sample_rate, self._left = sample_rate, None
        if ms is not None:
            self.give(ms)

    def give(self, ms: int) -> None:
        """Add so much; more than ``MAX_CREDIT_MS`` is never held."""
        given, most = (each * self._sample_rate / 1000 for each in (ms, MAX_CREDIT_MS))
        if self._left is None:
            self._left, self._window = 0.0, min(most, given)
        self._left = min(most, self._left + given)
        self._came_back(given)

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
            self._came_back(samples)

    def cut(self) -> None:
        """What is out is not heard any more; it comes back before what is sent from now on."""
        self._thrown = max(0.0, self._out)

    def _came_back(self, samples: float) -> None:
        self._thrown = max(0.0, self._thrown - samples)
        self._changed.notify()

"""What a session has still to send."""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from server.speech.changed import Changed

MAX_AUDIO_FRAMES = 4
"""128 kB. A reader that sleeps holds up its own unit, and nothing is made for it."""

MAX_MESSAGES = 256
"""Further answers wait, and with them the reading of further messages."""


@dataclass(frozen=True, slots=True)
class _Item:
    data: str | bytes
    unit: int = 0
    samples: int = 0


class Outbound:
    """A bounded queue in front of a socket; its order is that of the calls.

    ``send`` delivers one message and may take as long as the other side pleases.
    """

    def __init__(self, send: Callable[[str | bytes], Awaitable[None]]) -> None:
        self._send = send
        self._items: deque[_Item] = deque()
        self._audio_frames = 0
        self._sending = False
        self._changed = Changed()

    async def run(self) -> None:
        """Send what comes, until cancelled."""
        while True:
            while not self._items:
                await self._changed.wait()
            item = self._items.popleft()
            self._sending = True
            await self._send(item.data)
            self._sending = False
            self._audio_frames -= item.samples > 0
            self._changed.notify()

    async def message(self, text: str) -> None:
        """Queue a control message; waits while ``MAX_MESSAGES`` are queued."""
        while len(self._items) - self._audio_frames >= MAX_MESSAGES:
            await self._changed.wait()
        self._put(_Item(text))

    async def audio(self, unit: int, data: bytes, samples: int) -> None:
        """Queue an audio frame of the unit; waits while ``MAX_AUDIO_FRAMES`` are queued."""
        while self._audio_frames >= MAX_AUDIO_FRAMES:
            await self._changed.wait()
        self._audio_frames += 1
        self._put(_Item(data, unit, samples))

    def drop(self, unit: int) -> int:
        """Forget the unit's audio that is not on its way yet; how many samples that was."""
        dropped = [item for item in self._items if item.samples and item.unit == unit]
        if dropped:
            self._items = deque(item for item in self._items if item not in dropped)
            self._audio_frames -= len(dropped)
            self._changed.notify()
        return sum(item.samples for item in dropped)

    async def flushed(self) -> None:
        """Return when everything has been handed to the socket."""
        while self._items or self._sending:
            await self._changed.wait()

    def _put(self, item: _Item) -> None:
        self._items.append(item)
        self._changed.notify()

"""How much of what was handed to the device has been heard."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

_BLOCKS = 256
"""Over 2 s of 10 ms blocks: more than a device ever holds."""


class _Block(NamedTuple):
    audible_at: float
    before_s: float
    sound_s: float


class PlayClock:
    """Maps a time to the seconds of *our* sound heard by then; silence in holes is not counted.

    Fed by the output callback with what each block held and when the device will play it.
    One writer, any readers: a reader works on a copy.
    """

    def __init__(self) -> None:
        self.handed_s = 0.0
        self._blocks: deque[_Block] = deque(maxlen=_BLOCKS)

    def note(self, audible_at: float, sound_s: float) -> None:
        """A block begins to sound at ``audible_at`` and starts with ``sound_s`` of our sound."""
        if sound_s > 0:
            self._blocks.append(_Block(audible_at, self.handed_s, sound_s))
            self.handed_s += sound_s

    def played_s(self, now: float) -> float:
        """Seconds of our sound heard at ``now``, on the clock of ``audible_at``."""
        played = 0.0
        for block in tuple(self._blocks):
            if now <= block.audible_at:
                return played or block.before_s
            played = block.before_s + min(block.sound_s, now - block.audible_at)
        return played

    @property
    def silent_at(self) -> float:
        """When the last of our sound has been heard; 0 before there was any."""
        if not self._blocks:
            return 0.0
        last = self._blocks[-1]
        return last.audible_at + last.sound_s

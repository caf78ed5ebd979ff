"""The buffer between a device's callback and the event loop."""

from __future__ import annotations

import threading
from collections import deque
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Stamped(NamedTuple):
    """A block, when its first frame came in (or sounds), and whether audio was lost before it."""

    samples: NDArray[np.int16]
    at: float
    lost: bool = False


class CaptureBuffer:
    """A bounded queue of blocks ``[frames, channels]`` or ``[frames]``; when full the oldest go.

    Fresh audio is worth more to a listener than old: after a stall of the event loop the
    bot hears what the user says now. ``dropped`` counts frames. Safe for one writer thread
    and one reader thread.
    """

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.dropped = 0
        self.high_water = 0
        self._held = 0
        self._blocks: deque[Stamped] = deque()
        self._lock = threading.Lock()

    def put(self, block: NDArray[np.int16], at: float, lost: bool = False) -> int:
        """Append a copy of ``block``; returns how many frames went for it."""
        copy = block.copy()
        dropped = 0
        with self._lock:
            self._blocks.append(Stamped(copy, at, lost))
            self._held += len(copy)
            while self._held > self.capacity and len(self._blocks) > 1:
                oldest = self._blocks.popleft().samples
                self._held -= len(oldest)
                dropped += len(oldest)
            self.dropped += dropped
            self.high_water = max(self.high_water, self._held)
        return dropped

    def take(self) -> list[Stamped]:
        """All blocks in order; the buffer is empty afterwards."""
        with self._lock:
            blocks = list(self._blocks)
            self._blocks.clear()
            self._held = 0
            return blocks

"""The small buffer between the event loop and the output callback."""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


@dataclass(slots=True)
class _Piece:
    samples: NDArray[np.int16]
    interruptible: bool
    tag: str | None


class Pulled(NamedTuple):
    """What one callback took: how many samples, and the tags of pieces that began in it."""

    taken: int
    tags: tuple[tuple[str, int], ...]


class Cleared(NamedTuple):
    """How many samples were dropped, and how many stay to be faded out."""

    dropped: int
    fading: int


_AT_ONCE: NDArray[np.float64] = np.zeros(0)


class PlaybackRing:
    """A bounded first-in first-out of int16 samples; every sample is pulled once or dropped.

    Bound: ``capacity`` samples; a writer keeps what does not fit and waits. Safe for one
    writer thread and one reader thread; the lock is held for a copy of ``capacity`` samples
    at most. Always: ``pushed == pulled + dropped + held``.
    """

    def __init__(self, capacity: int) -> None:
        if capacity < 1:
            raise ValueError("capacity must be at least one sample")
        self.capacity = capacity
        self.pushed = 0
        self.pulled = 0
        self.dropped = 0
        self.high_water = 0
        self._held = 0
        self._pieces: deque[_Piece] = deque()
        self._lock = threading.Lock()

    @property
    def held(self) -> int:
        """Samples that wait for the device."""
        return self._held

    @property
    def free(self) -> int:
        """Samples that still fit."""
        return self.capacity - self._held

    def push(
        self, samples: NDArray[np.int16], *, interruptible: bool = True, tag: str | None = None
    ) -> int:
        """Append what fits and return how many samples that is.

        ``tag`` comes back from the ``pull`` that takes the first of them; it is not kept
        where nothing fits.
        """
        with self._lock:
            taken = min(len(samples), self.capacity - self._held)
            if taken == 0:
                return 0
            self._pieces.append(_Piece(samples[:taken].copy(), interruptible, tag))
            self._held += taken
            self.pushed += taken
            self.high_water = max(self.high_water, self._held)
            return taken

    def pull(self, out: NDArray[np.int16]) -> Pulled:
        """Fill ``out`` (one dimension), zeros where nothing is held."""
        count = 0
        tags: list[tuple[str, int]] = []
        with self._lock:
            while self._pieces and count < len(out):
                count += self._take(out, count, tags)
            self._held -= count
            self.pulled += count
        out[count:] = 0
        return Pulled(count, tuple(tags))

    def clear(self, gains: NDArray[np.float64] = _AT_ONCE, *, everything: bool = False) -> Cleared:
        """Drop what may be interrupted (or everything).

        What is next to be pulled, if it is to be dropped, stays for as long as ``gains`` and is
        multiplied with them: a fade-out instead of a click.
        """
        with self._lock:
            faded = self._fade(gains, everything)
            kept = [p for p in self._pieces if not (everything or p.interruptible)]
            dropped = self._held - sum(len(p.samples) for p in (*faded, *kept))
            self._pieces = deque([*faded, *kept])
            self._held -= dropped
            self.dropped += dropped
            return Cleared(dropped, sum(len(p.samples) for p in faded))

    def _fade(self, gains: NDArray[np.float64], everything: bool) -> list[_Piece]:
        faded: list[_Piece] = []
        at = 0
        for piece in self._pieces:
            if at == len(gains) or not (everything or piece.interruptible):
                break
            piece.samples = piece.samples[: len(gains) - at]
            shaped = np.rint(piece.samples * gains[at : at + len(piece.samples)])
            piece.samples = shaped.astype(np.int16)
            at += len(piece.samples)
            faded.append(piece)
        return faded

    def _take(self, out: NDArray[np.int16], at: int, tags: list[tuple[str, int]]) -> int:
        piece = self._pieces[0]
        if piece.tag is not None:
            tags.append((piece.tag, at))
            piece.tag = None
        taken = min(len(piece.samples), len(out) - at)
        out[at : at + taken] = piece.samples[:taken]
        if taken == len(piece.samples):
            self._pieces.popleft()
        else:
            piece.samples = piece.samples[taken:]
        return taken

"""The audio of one user's speech, cut where the detector says so."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

PRE_ROLL_S = 1.2
"""Kept from before the detector's start: its start time (0.2 s), the soft first consonants it
never counts, and up to half a second by which it is late when the user goes on while the turn
model computes (0.15 s on an idle core)."""

MAX_PIECE_S = 14.0
"""Longer speech is handed on in pieces while it goes on, so that what is left to recognise at
its end never exceeds the recogniser's short window (15 s)."""

_SEARCH_S = 4.0
_HOP_S = 0.1


def quietest_cut(samples: NDArray[np.int16], rate_hz: int, search_s: float = _SEARCH_S) -> int:
    """Index in the last ``search_s`` where the audio is quietest: a pause between words."""
    hop = int(rate_hz * _HOP_S)
    start = max(0, len(samples) - int(rate_hz * search_s))
    tail = samples[start:]
    count = len(tail) // hop
    if count == 0:
        return len(samples)
    power = np.square(tail[: count * hop].astype(np.float64)).reshape(count, hop).mean(axis=1)
    return start + int(np.argmin(power)) * hop + hop // 2


class SegmentBuffer:
    """Collects int16 mono audio; gives it back as segments.

    Bounded: while nobody speaks it keeps ``PRE_ROLL_S``, while somebody does ``MAX_PIECE_S``.
    """

    def __init__(self, rate_hz: int) -> None:
        self.rate_hz = rate_hz
        self.speaking = False
        self._audio = bytearray()
        self._pre_roll_bytes = int(rate_hz * PRE_ROLL_S) * 2
        self._max_bytes = int(rate_hz * MAX_PIECE_S) * 2

    def append(self, pcm: bytes) -> NDArray[np.int16] | None:
        """Add audio; a piece that is due because the speech is long, else None."""
        self._audio += pcm
        if not self.speaking:
            excess = max(0, len(self._audio) - self._pre_roll_bytes)
            del self._audio[: excess // 2 * 2]  # whole samples, whatever the pieces' sizes
            return None
        if len(self._audio) < self._max_bytes:
            return None
        return self._take(quietest_cut(self._samples(), self.rate_hz) * 2)

    def speech_started(self) -> None:
        """What is kept from now on, and the pre-roll, belong to the segment."""
        self.speaking = True

    def speech_stopped(self) -> NDArray[np.int16]:
        """The segment, or what is left of it after the pieces; the buffer starts empty."""
        self.speaking = False
        return self._take(len(self._audio))

    def clear(self) -> None:
        """Drop everything."""
        self._audio.clear()

    def _samples(self) -> NDArray[np.int16]:
        whole = len(self._audio) // 2 * 2
        return np.frombuffer(bytes(self._audio[:whole]), dtype=np.int16)

    def _take(self, size: int) -> NDArray[np.int16]:
        taken = np.frombuffer(bytes(self._audio[: size // 2 * 2]), dtype=np.int16)
        del self._audio[:size]
        return taken

"""How much later the microphone hears a sound than it is said to be played."""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray

WINDOW_FRAMES = 200
"""Of 10 ms: 2 s of speech hold enough of every pitch."""

EVERY_FRAMES = 50
"""Of sound, between two looks: half a second; a look takes some 3 ms."""

SELDOM_FRAMES = 500
"""The same once the delay is known (it changes when somebody moves, or another device plays), or
``MISSES`` looks found none: headphones."""

MISSES = 6

AGREE_S = 0.003
"""Two looks in a row must agree so well: reflections come and go with the sounds."""

EARLIEST_S, LATEST_S = -0.15, 0.5
"""Also before its sound: a delay that was found wrongly once is to be seen again. The wider the
search, the more often another voice is taken for an echo."""

_FLOOR = 30.0**2
_CLEAR = 8.0
"""By how much the match stands above its surroundings (rms); that of unlike sounds reaches 6."""

_FIRST = 0.5
"""Of the best match: what comes earlier and is half as good is the sound itself, and the best a
reflection. To take a reflection for the sound would be to cancel too late."""

_WHITENING = 0.8
"""Of the spectrum's level, so that all pitches count about alike and the silent ones do not."""

Samples = NDArray[np.int16]


def find_delay(far: Samples, near: Samples, rate_hz: int) -> float | None:
    """Seconds by which ``near`` holds ``far`` later, from ``EARLIEST_S`` to ``LATEST_S``; None
    where it does not hold it. Both begin at the same moment and are as long as each other."""
    size = 2 * len(far)
    cross = np.fft.rfft(near.astype(np.float32), size) * np.conj(
        np.fft.rfft(far.astype(np.float32), size)
    )
    level = np.abs(cross)
    if not level.max(initial=0.0) > 0.0:
        return None
    match = np.fft.irfft(cross / (level + 1e-6 * level.max()) ** _WHITENING, size)
    first, last = round(EARLIEST_S * rate_hz), round(LATEST_S * rate_hz)
    around = np.abs(np.concatenate([match[first:], match[:last]]))
    best = float(around.max())
    if best < _CLEAR * float(np.sqrt(np.mean(around**2))):
        return None
    return (int(np.argmax(around >= _FIRST * best)) + first) / rate_hz


class EchoDelay:
    """Told all frames of 10 ms, says now and then what the delay is.

    Keeps 2 s. The bot has to sound; the user may speak over it.
    """

    def __init__(self, rate_hz: int) -> None:
        self._rate_hz = rate_hz
        self.restart()

    def restart(self) -> None:
        """Forget everything: what comes now is aligned in another way."""
        self._frames: deque[tuple[Samples, Samples]] = deque(maxlen=WINDOW_FRAMES)
        self._sounding = 0
        self._due = EVERY_FRAMES
        self._last: float | None = None
        self._misses = 0

    def note(self, far: Samples, near: Samples) -> float | None:
        """The delay where it was found just now, twice the same."""
        self._frames.append((far, near))
        self._sounding += float(np.mean(np.square(far, dtype=np.float32))) >= _FLOOR
        if self._sounding < self._due or len(self._frames) < WINDOW_FRAMES // 2:
            return None
        return self._look()

    def _look(self) -> float | None:
        fars, nears = zip(*self._frames, strict=True)
        delay_s = find_delay(np.concatenate(fars), np.concatenate(nears), self._rate_hz)
        before, self._last = self._last, delay_s
        found = delay_s is not None and before is not None and abs(delay_s - before) <= AGREE_S
        self._misses = self._misses + 1 if delay_s is None else 0
        self._sounding = 0
        self._due = SELDOM_FRAMES if found or self._misses >= MISSES else EVERY_FRAMES
        return delay_s if found else None

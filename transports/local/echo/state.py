"""How likely what is left after cancelling is still the bot's own sound."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

FLOOR = 10.0**2
"""Mean square of int16 samples, -70 dBFS: below it there is no sound to speak of."""

FALL_DB = 0.4
"""By how much a frame (10 ms) the echo of a sound dies away: by 60 dB in 1.5 s, a bare room. That
leaves room for what is not known, such as a delay that has just changed."""

RISE_DB = 0.3
SINK_DB = 0.1
"""How fast levels are learned, a frame: 30 dB a second up, 10 down, so that they rest where a
quarter of the frames is louder. The user's voice during the 0.25 s until the bot ducks moves them
by 8 dB at most, which is forgotten within a second."""

MARGIN_DB = 6.0
"""Above what is learned: the loudest syllables leave more than three in four do."""

ENOUGH = 200
"""Frames of sound after which the levels are worth telling: 2 s."""

WINDOW = 3
"""Frames that are judged together, 30 ms: as long as those of a voice detector."""


class _Frame(NamedTuple):
    echo: float
    clean: float


class EchoState:
    """Follows levels, frame by frame of 10 ms; pure.

    Two levels are learned while the bot sounds: by how much its sound is weaker in the
    microphone (``return_loss_db``), and by how much of that is taken out (``enhancement_db``).
    What they let expect, held against what is there, is the likelihood.
    """

    def __init__(self) -> None:
        self._playing = 0.0
        self._learned = 0
        self._coupling_db = 0.0
        self._left_db = 0.0
        self._frames: deque[_Frame] = deque(maxlen=WINDOW)

    @property
    def likelihood(self) -> float:
        """The share of the last 30 ms, as cleaned, that is probably the bot's own sound: 0 to 1.

        0 while the bot is silent. Until something has been learned all sound is the bot's
        while the bot sounds.
        """
        clean = sum(frame.clean for frame in self._frames)
        echo = sum(frame.echo for frame in self._frames)
        return min(1.0, echo / max(clean, FLOOR))

    @property
    def return_loss_db(self) -> float | None:
        """How much weaker the echo is than what is played, both as samples; None: not known."""
        return -self._coupling_db if self._learned >= ENOUGH else None

    @property
    def enhancement_db(self) -> float:
        """By how much cancelling weakens the echo, as learned: 0 at the beginning."""
        return -self._left_db

    def misaligned(self) -> None:
        """What is played is heard at another time from now on: nothing is taken out at first."""
        self._left_db = 0.0

    def note(
        self, far: NDArray[np.int16], raw: NDArray[np.int16], clean: NDArray[np.int16]
    ) -> None:
        """What sounded, what the microphone took and what was made of it, for the same 10 ms."""
        self._playing = max(_power(far), self._playing * _gain(-FALL_DB))
        heard, left = _power(raw), _power(clean)
        if self._playing < FLOOR:
            self._frames.append(_Frame(0.0, left))
            return
        echo = min(heard, self._playing * _gain(self._coupling_db))
        if _power(far) >= FLOOR:
            self._learn(heard, left)
        self._frames.append(_Frame(echo * _gain(self._left_db + MARGIN_DB), left))

    def _learn(self, heard: float, left: float) -> None:
        self._learned += 1
        self._coupling_db += _step(_db(heard / self._playing) - self._coupling_db)
        if heard >= FLOOR:
            self._left_db += _step(_db(left / heard) - self._left_db)


def _step(error_db: float) -> float:
    return max(-SINK_DB, min(RISE_DB, error_db))


def _power(samples: NDArray[np.int16]) -> float:
    return float(np.mean(np.square(samples, dtype=np.float64))) if len(samples) else 0.0


def _db(ratio: float) -> float:
    return 10.0 * float(np.log10(max(ratio, 1e-9)))


def _gain(db: float) -> float:
    return float(10.0 ** (db / 10.0))

"""Both sides of a scripted conversation, on one clock."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from speech.audio.resample import resample
from transports.script.track import Track

FLOOR = 104
"""Sample magnitude that counts as audible: -50 dBFS. Kokoro's own hiss stays below -60."""

FLOOR_DBFS = -50


@dataclass(frozen=True, slots=True)
class Recording:
    """The user's and the bot's track; position 0 of both is the moment ``origin``."""

    user: Track
    bot: Track
    origin: float

    @property
    def duration_s(self) -> float:
        """Seconds to the end of the longer side."""
        return max(len(side) / side.rate_hz for side in (self.user, self.bot))

    def stereo(self) -> NDArray[np.int16]:
        """``[samples, 2]`` at the bot's rate: left the user, right the bot."""
        user = resample(self.user.samples, self.user.rate_hz, self.bot.rate_hz)
        length = max(len(user), len(self.bot))
        both = np.zeros((length, 2), np.int16)
        both[: len(user), 0] = user
        both[: len(self.bot), 1] = self.bot.samples
        return both


def audible_span(
    samples: NDArray[np.int16], start: int, end: int, floor: int = FLOOR
) -> tuple[int, int] | None:
    """First and last position in ``[start, end)`` whose magnitude exceeds ``floor``."""
    loud = np.flatnonzero(np.abs(samples[start:end].astype(np.int32)) > floor)
    return (start + int(loud[0]), start + int(loud[-1])) if len(loud) else None

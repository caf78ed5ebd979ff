"""What a recording of the test sounds says about loudspeaker, room, microphone and canceller."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bot.doctor.chirp import LEVEL_DBFS, find_chirp
from bot.doctor.duplex import PAUSE_S, SWEEPS_S, Duplex

EARLY_S = 0.1
"""By so much the speaker's account of when it plays may be wrong."""

SETTLED_S = 2.0
"""Of the sweeps, at their end: what is measured of a canceller that has learned."""

_LOWEST_DBFS = -96.0
_BEGIN_S = 0.3
"""Of the recording, left out: devices click when they start."""


@dataclass(frozen=True)
class Acoustics:
    """Levels are RMS in dB of full scale; None: not to be told, as nothing was heard.

    ``delay_ms``: from the moment at which the speaker says it plays to the one at which the
    microphone says it took it, that is the air and what the devices do not admit.
    ``round_trip_ms``: from program to program, the devices' buffers included.
    ``return_loss_db``: how much weaker the echo is than what is played; ``after_db``: the same
    once cancelled. What is weaker than the room's noise counts as that noise.
    """

    noise_dbfs: float
    echo_dbfs: float | None = None
    left_dbfs: float | None = None
    delay_ms: float | None = None
    round_trip_ms: float | None = None
    return_loss_db: float | None = None
    after_db: float | None = None
    ran_dry: int = 0
    trouble: str = ""

    @property
    def heard(self) -> bool:
        """Whether the microphone takes what the speaker plays."""
        return self.echo_dbfs is not None

    @property
    def enhancement_db(self) -> float | None:
        """What cancelling gains."""
        if self.after_db is None or self.return_loss_db is None:
            return None
        return self.after_db - self.return_loss_db

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def measure(duplex: Duplex) -> Acoustics:
    """Pure: the same recording gives the same figures."""
    rate_hz = duplex.rate_hz
    noise = _level(duplex.heard, rate_hz, _BEGIN_S, duplex.chirp_s - EARLY_S)
    base = Acoustics(noise, ran_dry=duplex.ran_dry, trouble=duplex.trouble)
    from_s = max(0.0, duplex.chirp_s - EARLY_S)
    window = duplex.heard[_index(from_s, rate_hz) : _index(duplex.sweeps_s, rate_hz)]
    arrival = find_chirp(window, rate_hz)
    if arrival is None:
        return base
    delay_s = from_s + arrival.at_s - duplex.chirp_s
    end_s = duplex.sweeps_s + SWEEPS_S + min(max(delay_s, 0.0), PAUSE_S)
    span = end_s - SETTLED_S, end_s
    echo = _level(duplex.heard, rate_hz, *span)
    left = None if duplex.clean is None else _level(duplex.clean, rate_hz, *span)
    return Acoustics(
        noise,
        echo,
        left,
        round(delay_s * 1000, 1),
        round((delay_s + duplex.held_s) * 1000, 1),
        round(LEVEL_DBFS - echo, 1),
        None if left is None else round(LEVEL_DBFS - left, 1),
        duplex.ran_dry,
        duplex.trouble,
    )


def _index(at_s: float, rate_hz: int) -> int:
    return max(0, round(at_s * rate_hz))


def _level(samples: NDArray[np.int16], rate_hz: int, begin_s: float, end_s: float) -> float:
    part = samples[_index(begin_s, rate_hz) : _index(end_s, rate_hz)].astype(np.float64)
    power = float(np.mean(part**2)) if len(part) else 0.0
    return round(max(_LOWEST_DBFS, 10 * float(np.log10(max(power, 1e-9) / 32_768**2))), 1)

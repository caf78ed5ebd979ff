"""The test sounds: a chirp, to be found again, and sweeps for a canceller to learn from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

LEVEL_DBFS = -24.0
"""RMS while it sounds: a bit softer than the bot's own voice (Kokoro: -21 dBFS)."""

CHIRP_S = 0.4
SWEEP_S = 0.2
_LOW_HZ, _HIGH_HZ = 250.0, 3_600.0
"""What small loudspeakers and 8 kHz pipelines carry."""

_FADE_S = 0.01
_CLEAR = 7.0
"""How much higher the match is than its surroundings are on average (rms): noise reached 5.5 in
forty recordings of 6 s."""

Samples = NDArray[np.int16]


@dataclass(frozen=True)
class Arrival:
    """``at_s``: where the chirp begins in the recording. ``clear``: see ``_CLEAR``."""

    at_s: float
    clear: float


def make_chirp(rate_hz: int) -> Samples:
    """Once up through the band, in ``CHIRP_S``."""
    return _samples(_sweep(rate_hz, CHIRP_S, _LOW_HZ, _HIGH_HZ))


def make_sweeps(rate_hz: int, seconds: float) -> Samples:
    """One after the other, each another one, up and down: no two places are alike."""
    chance = np.random.default_rng(5)
    sweeps = []
    for _ in range(round(seconds / SWEEP_S)):
        ends = np.exp(chance.uniform(np.log(_LOW_HZ), np.log(_HIGH_HZ), 2))
        noise = chance.normal(0, 0.5, round(rate_hz * SWEEP_S)) * _fade(rate_hz, SWEEP_S)
        sweeps.append(_sweep(rate_hz, SWEEP_S, float(ends[0]), float(ends[1])) + noise)
    return _samples(np.concatenate(sweeps))


def find_chirp(recording: Samples, rate_hz: int) -> Arrival | None:
    """Where it is heard best, however softly; None where it is not."""
    wanted = _sweep(rate_hz, CHIRP_S, _LOW_HZ, _HIGH_HZ)
    if len(recording) <= len(wanted):
        return None
    size = len(recording) + len(wanted)
    sound = np.fft.rfft(recording.astype(np.float64), size)
    match = np.fft.irfft(sound * np.conj(np.fft.rfft(wanted, size)), size)
    match = np.abs(match[: len(recording) - len(wanted)])
    best = int(np.argmax(match))
    around = np.delete(match, slice(max(0, best - rate_hz // 50), best + rate_hz // 50))
    clear = float(match[best] / (np.sqrt(np.mean(around**2)) + 1e-9)) if len(around) else 0.0
    return Arrival(best / rate_hz, clear) if match[best] > 0 and clear >= _CLEAR else None


def _sweep(rate_hz: int, seconds: float, from_hz: float, to_hz: float) -> NDArray[np.float64]:
    """A sine whose pitch rises or falls evenly, RMS about 0.7."""
    times = np.arange(round(rate_hz * seconds)) / rate_hz
    growth = np.log(to_hz / from_hz) / seconds
    turns = times * from_hz if abs(growth) < 1e-6 else from_hz * np.expm1(growth * times) / growth
    return np.asarray(np.sin(2 * np.pi * turns) * _fade(rate_hz, seconds))


def _fade(rate_hz: int, seconds: float) -> NDArray[np.float64]:
    times = np.arange(round(rate_hz * seconds)) / rate_hz
    return np.asarray(np.clip(np.minimum(times, seconds - times) / _FADE_S, 0.0, 1.0))


def _samples(wave: NDArray[np.float64]) -> Samples:
    loud = 32_768 * 10 ** (LEVEL_DBFS / 20) / float(np.sqrt(np.mean(wave**2)))
    return np.clip(np.rint(wave * loud), -32_768, 32_767).astype(np.int16)

"""Coughs, slams and other noises, made by arithmetic. Pure; the same seed gives the same noise."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

RATE_HZ = 48_000
Sound = NDArray[np.float64]

LOUD = 0.35
"""Peak of a noise beside a microphone, of full scale: about as loud as the users here."""


def cough(rng: np.random.Generator) -> Sound:
    """One to three barks: a burst of breath through a throat, then a short voiced end.

    A cough is 0.3 to 0.5 s: 30 ms of explosion, up to 200 ms of flow, and a voiced phase in
    about half of all coughs; its energy lies from 300 Hz to 4 kHz with broad formants.
    """
    barks = [_bark(rng) for _ in range(rng.integers(1, 4))]
    pause = np.zeros(round(rng.uniform(0.08, 0.25) * RATE_HZ))
    parts = [part for bark in barks for part in (bark, pause)][:-1]
    return _level(np.concatenate(parts))


def slam(rng: np.random.Generator) -> Sound:
    """A door: the click of the latch, a thud of 60 to 120 Hz, and the room's rattle."""
    length = round(rng.uniform(0.4, 0.8) * RATE_HZ)
    t = np.arange(length) / RATE_HZ
    thud = np.sin(2 * np.pi * rng.uniform(60, 120) * t) * np.exp(-t / 0.08)
    rattle = _band(rng.normal(0, 1, length), 150, 1_500) * np.exp(-t / rng.uniform(0.05, 0.15))
    click = _band(rng.normal(0, 1, length), 1_500, 6_000) * np.exp(-t / 0.004)
    return _level(thud + 0.6 * rattle / np.abs(rattle).max() + click / np.abs(click).max())


def knocks(rng: np.random.Generator) -> Sound:
    """Three knocks on wood."""
    knock = slam(rng)[: round(0.12 * RATE_HZ)]
    pause = np.zeros(round(rng.uniform(0.08, 0.16) * RATE_HZ))
    return _level(np.concatenate([knock, pause, knock, pause, knock]))


def clearing(rng: np.random.Generator) -> Sound:
    """A throat is cleared: rough, voiced, some 0.4 s."""
    length = round(rng.uniform(0.3, 0.5) * RATE_HZ)
    t = np.arange(length) / RATE_HZ
    pitch = rng.uniform(80, 140) * (1 + 0.15 * _smooth_noise(rng, length, 0.02))
    buzz = np.sign(np.sin(2 * np.pi * np.cumsum(pitch) / RATE_HZ)) * (
        1 + 0.8 * _smooth_noise(rng, length, 0.004)
    )
    breath = rng.normal(0, 0.7, length)
    return _level(_throat(buzz + breath, rng) * np.sin(np.pi * t / t[-1]) ** 0.5)


MADE: dict[str, Callable[[np.random.Generator], Sound]] = {
    "cough": cough,
    "slam": slam,
    "knocks": knocks,
    "clearing": clearing,
}
"""The noises there are, by kind."""


def as_int16(sound: Sound) -> NDArray[np.int16]:
    """For a WAV file."""
    return np.rint(np.clip(sound, -1, 1) * 32_767).astype(np.int16)


def _bark(rng: np.random.Generator) -> Sound:
    length = round(rng.uniform(0.15, 0.35) * RATE_HZ)
    t = np.arange(length) / RATE_HZ
    envelope = np.minimum(1, t / 0.008) * np.exp(-t / rng.uniform(0.05, 0.1))
    flow = rng.normal(0, 1, length)
    if rng.random() < 0.5:  # the voiced end
        pitch = rng.uniform(120, 300) * (1 - 0.3 * t / t[-1])
        voiced = np.sin(2 * np.pi * np.cumsum(pitch) / RATE_HZ) ** 3
        flow = flow + 1.5 * voiced * np.clip((t - 0.08) / 0.04, 0, 1)
    return _throat(flow, rng) * envelope


def _throat(source: Sound, rng: np.random.Generator) -> Sound:
    """Broad formants of an open mouth."""
    formants = [rng.uniform(500, 800), rng.uniform(1_100, 1_600), rng.uniform(2_400, 3_000)]
    spectrum = np.fft.rfft(source)
    hz = np.fft.rfftfreq(len(source), 1 / RATE_HZ)
    shape = sum(1 / (1 + ((hz - formant) / (0.25 * formant)) ** 2) for formant in formants)
    voiced: Sound = np.fft.irfft(spectrum * shape, len(source))
    return voiced


def _band(source: Sound, low_hz: float, high_hz: float) -> Sound:
    spectrum = np.fft.rfft(source)
    hz = np.fft.rfftfreq(len(source), 1 / RATE_HZ)
    passed: Sound = np.fft.irfft(spectrum * ((hz >= low_hz) & (hz <= high_hz)), len(source))
    return passed


def _smooth_noise(rng: np.random.Generator, length: int, over_s: float) -> Sound:
    size = max(1, round(over_s * RATE_HZ))
    rough = rng.normal(0, 1, length + size)
    smooth = np.convolve(rough, np.ones(size) / size, mode="valid")[:length]
    levelled: Sound = smooth / np.abs(smooth).max()
    return levelled


def _level(sound: Sound) -> Sound:
    levelled: Sound = LOUD * sound / np.abs(sound).max()
    return levelled

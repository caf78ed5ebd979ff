"""Sounds that are not speech, made from a seed so that a run can be repeated."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bot.scenario.schema import Noise
from speech.audio.pcm import float_to_int16

Float = NDArray[np.float32]

_COUGH_BURST_S = 0.35
"""A cough is two bursts of breath noise of about this length, the second one weaker."""

_CLICK_S = 0.003


def make_noise(noise: Noise, rate_hz: int, random: np.random.Generator) -> NDArray[np.int16]:
    """``noise`` as int16 mono."""
    count = max(1, round(noise.s * rate_hz))
    level = float(10 ** (noise.dbfs / 20))
    if noise.kind == "click":
        return float_to_int16(_click(count, rate_hz, random) * level)
    shape = _white if noise.kind == "white" else _cough
    wave = shape(count, rate_hz, random)
    return float_to_int16(wave * (level / max(1e-9, float(np.sqrt(np.mean(wave**2))))))


def _white(count: int, _rate_hz: int, random: np.random.Generator) -> Float:
    return random.standard_normal(count, np.float32)


def _cough(count: int, rate_hz: int, random: np.random.Generator) -> Float:
    burst = min(count, round(_COUGH_BURST_S * rate_hz))
    time = np.arange(burst, dtype=np.float32) / rate_hz
    attack = np.minimum(1.0, time / 0.01)
    envelope = (attack * np.exp(-time / 0.08)).astype(np.float32)
    wave = np.zeros(count, np.float32)
    for start, strength in ((0, 1.0), (burst, 0.6)):
        room = wave[start : start + burst]
        breath = _throat(random.standard_normal(burst, np.float32), rate_hz)
        room += strength * (breath * envelope)[: len(room)]
    return wave


def _throat(noise: Float, rate_hz: int) -> Float:
    """Band-limit to 300 to 3000 Hz, where a cough has its energy."""
    spectrum = np.fft.rfft(noise)
    hertz = np.fft.rfftfreq(len(noise), 1 / rate_hz)
    spectrum[(hertz < 300) | (hertz > 3_000)] = 0
    return np.fft.irfft(spectrum, len(noise)).astype(np.float32)


def _click(count: int, rate_hz: int, random: np.random.Generator) -> Float:
    wave = np.zeros(count, np.float32)
    length = min(count, max(1, round(_CLICK_S * rate_hz)))
    wave[:length] = random.uniform(-1.0, 1.0, length).astype(np.float32)
    wave[0] = 1.0
    return wave

"""Human recordings installed for tests, and noises made here."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import soundfile
import soxr
from numpy.typing import NDArray

from tests.speech_assets import speech_dir
from tests.support import require

RATE_HZ = 16_000
PROMPTS = Path("/usr/share/asterisk/sounds/en_US_f_Allison")
READINGS = speech_dir()

Samples = NDArray[np.int16]

PROMPT_TEXTS = {
    "hello-world": "hello world",
    "vm-goodbye": "goodbye",
    "tt-weasels": "weasels have eaten our phone system",
    "tt-somethingwrong": "something is terribly wrong",
    "vm-dialout": "please wait while i connect your call",
    "please-try-again": "please try again",
    "queue-youarenext": (
        "your call is now first in line and will be answered by the next available representative"
    ),
    "vm-nobodyavail": "nobody is available to take your call at the moment",
    "tt-allbusy": (
        "all representatives of the household are currently assisting other telemarketers "
        "please hold and your call will be answered in the order it was received"
    ),
    "auth-thankyou": "thank you",
    "conf-onlyperson": "you are currently the only person in this conference",
}


def to_int16(audio: NDArray[np.floating]) -> Samples:
    return (np.clip(audio, -1, 1) * 32767).astype(np.int16)


def read(path: Path, rate_hz: int = RATE_HZ) -> Samples:
    audio, rate = soundfile.read(path, dtype="float32")
    return to_int16(soxr.resample(audio, rate, rate_hz))


def prompt(name: str, rate_hz: int = RATE_HZ) -> Samples:
    path = PROMPTS / f"{name}.wav"
    require(path.is_file(), "asterisk-core-sounds-en-wav is not installed")
    return read(path, rate_hz)


def reading(name: str, rate_hz: int = RATE_HZ) -> Samples:
    path = READINGS / f"{name}.wav"
    require(path.is_file(), "moonshine-voice's recordings are not in the test cache")
    return read(path, rate_hz)


def silence(seconds: float, rate_hz: int = RATE_HZ) -> Samples:
    return np.zeros(int(seconds * rate_hz), np.int16)


def at_level(audio: NDArray[np.floating], dbfs: float) -> Samples:
    """Scaled so that its RMS is ``dbfs``."""
    rms = float(np.sqrt(np.mean(np.square(audio, dtype=np.float64)))) or 1.0
    return to_int16(audio / rms * 10 ** (dbfs / 20))


def speech_at(samples: Samples, dbfs: float) -> Samples:
    """Speech scaled so that the RMS of its louder parts is ``dbfs``."""
    audio = samples / 32768.0
    power = np.square(audio[: len(audio) // 320 * 320]).reshape(-1, 320).mean(axis=1)
    active = power[power > power.max() * 1e-3].mean()
    return to_int16(audio * 10 ** (dbfs / 20) / np.sqrt(active))


def white(seconds: float, dbfs: float, rate_hz: int = RATE_HZ, seed: int = 1) -> Samples:
    return at_level(np.random.default_rng(seed).standard_normal(int(seconds * rate_hz)), dbfs)


def click(rate_hz: int = RATE_HZ) -> Samples:
    """0.2 s with one loud click of half a millisecond."""
    audio = silence(0.2, rate_hz)
    audio[rate_hz // 100 : rate_hz // 100 + rate_hz // 2000] = 30_000
    return audio


def cough(dbfs: float = -20.0, rate_hz: int = RATE_HZ, seed: int = 3) -> Samples:
    """A burst of band noise with a fast attack, then a short hoarse voiced tail; 0.5 s."""
    rng = np.random.default_rng(seed)
    t = np.arange(int(0.35 * rate_hz)) / rate_hz
    burst = _band(rng, len(t), 300, 3_500, rate_hz) * np.exp(-t / 0.08) * (1 - np.exp(-t / 0.004))
    t = np.arange(int(0.18 * rate_hz)) / rate_hz
    voiced = 0.3 * np.sign(np.sin(2 * np.pi * 180 * t)) * np.hanning(len(t))
    tail = 0.4 * _band(rng, len(t), 200, 1_500, rate_hz) * np.hanning(len(t)) + voiced
    return at_level(np.concatenate([burst, 0.6 * tail]), dbfs)


def _band(
    rng: np.random.Generator, count: int, low: float, high: float, rate_hz: int
) -> NDArray[np.float64]:
    spectrum = np.fft.rfft(rng.standard_normal(count))
    frequency = np.fft.rfftfreq(count, 1 / rate_hz)
    spectrum[(frequency < low) | (frequency > high)] = 0
    return np.fft.irfft(spectrum, count)


def words(text: str) -> str:
    """For comparing: lower case, no punctuation, digits as words."""
    digits = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
    text = re.sub(r"\d", lambda found: f" {digits[int(found.group())]} ", text.lower())
    return " ".join(re.sub(r"[^a-z' ]", " ", text).split())

"""A loudspeaker that is heard by the microphone, without either: echo, room, stamps with noise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from speech.audio.resample import resample
from speech.audio.wav import read_wav
from tests.speech_assets import speech_dir
from tests.support import require
from transports.local.echo import EchoCanceller, open_processing

NEAR_HZ = 16_000
BLOCK_S = 0.02
AHEAD_S = 0.05
"""What a sound card holds: PulseAudio's figure with latency low."""

Samples = NDArray[np.int16]


def clip(name: str, rate_hz: int = NEAR_HZ) -> Samples:
    """A human reading, at -24 dBFS."""
    path = speech_dir() / f"{name}.wav"
    require(path.is_file(), "human speech: python -m tests.speech_assets")
    samples, from_hz = read_wav(path)
    sound = resample(samples, from_hz, rate_hz)
    return scaled(sound, 2_000 / float(np.sqrt(np.mean(sound.astype(np.float64) ** 2))))


def scaled(samples: Samples, gain: float) -> Samples:
    return np.clip(np.rint(samples * gain), -32_768, 32_767).astype(np.int16)


def room(seconds: float = 0.3, seed: int = 3) -> NDArray[np.float64]:
    """A room's response: the direct sound, then noise that dies away by 60 dB. Energy 1."""
    count = round(seconds * NEAR_HZ)
    tail = np.random.default_rng(seed).normal(0, 0.15, count)
    response = tail * 10 ** (-3 * np.arange(count) / count)
    response[0] = 1.0
    return np.asarray(response / np.linalg.norm(response))


@dataclass(frozen=True)
class EchoPath:
    """``noise_s`` is the wander of the stamps, ``late_s`` how late they are on average."""

    delay_s: float = 0.08
    gain: float = 0.5
    response: NDArray[np.float64] | None = None
    noise_s: float = 0.002
    late_s: float = 0.002

    def echo(self, played: Samples) -> Samples:
        """What the microphone takes of it; both at ``NEAR_HZ``."""
        sound = np.concatenate([np.zeros(round(self.delay_s * NEAR_HZ)), played * self.gain])
        if self.response is not None:
            size = len(sound) + len(self.response)
            spectrum = np.fft.rfft(sound, size) * np.fft.rfft(self.response, size)
            sound = np.fft.irfft(spectrum, size)
        return np.rint(sound[: len(played)]).astype(np.int16)

    def stamps(self, count: int, seed: int) -> NDArray[np.float64]:
        """By how much each is wrong."""
        rng, wrong = np.random.default_rng(seed), np.zeros(count)
        for number in range(1, count):
            wrong[number] = 0.98 * wrong[number - 1] + rng.normal(0, 0.2 * self.noise_s)
        return wrong + rng.exponential(self.late_s, count)


def converse(
    played: Samples, user: Samples, path: EchoPath, speaker_hz: int = 24_000
) -> tuple[Samples, Samples, EchoCanceller]:
    """Play and record; what the microphone took, and what was made of it.

    ``played`` and ``user`` are as long as each other and at ``NEAR_HZ``.
    """
    heard = path.echo(played) + user
    canceller = EchoCanceller(open_processing(NEAR_HZ), NEAR_HZ)
    far = resample(played, NEAR_HZ, speaker_hz)
    count, size = len(heard) // 320, speaker_hz // 50
    wrong, cleaned, handed = path.stamps(2 * count + 10, 1), [], 0
    for number in range(count):
        while handed * BLOCK_S - AHEAD_S <= (number + 1) * BLOCK_S and handed < count:
            at = handed * BLOCK_S + wrong[handed]
            canceller.played(far[handed * size : (handed + 1) * size], at, speaker_hz)
            handed += 1
        at = number * BLOCK_S + wrong[count + number]
        cleaned.append(canceller.captured(heard[number * 320 : (number + 1) * 320], at))
    clean = np.concatenate(cleaned)
    return heard[: len(clean)], clean, canceller


def enhancement_db(heard: Samples, clean: Samples, begin_s: float, end_s: float) -> float:
    """By how much the cleaned signal is weaker (ERLE), in dB."""
    part = slice(round(begin_s * NEAR_HZ), round(end_s * NEAR_HZ))
    return 10 * float(np.log10(_power(heard[part]) / max(_power(clean[part]), 1e-3)))


def _power(samples: Samples) -> float:
    return float(np.mean(samples.astype(np.float64) ** 2))

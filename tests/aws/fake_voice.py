"""What a fake speaks with: a tone for each letter, as long as reading it takes."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

LETTER_S = 0.05
PIECE_S = 0.2


def letters(text: str) -> int:
    """How much there is to say; tags are not said."""
    return len(re.findall(r"[^\W_]", re.sub(r"<[^<>]*>", "", text)))


def pcm(text: str, rate_hz: int = 24_000, speed: float = 1.0) -> bytes:
    """PCM16LE, mono; nothing for a text without letters."""
    count = round(letters(text) * LETTER_S / speed * rate_hz)
    second = 8_000 * np.sin(2 * np.pi * 220 * np.arange(rate_hz) / rate_hz)
    return np.resize(second.astype("<i2"), count).tobytes()


def pieces(text: str, rate_hz: int = 24_000, speed: float = 1.0) -> Iterator[bytes]:
    """The same, in pieces."""
    sound, size = pcm(text, rate_hz, speed), 2 * round(PIECE_S * rate_hz)
    for start in range(0, len(sound), size):
        yield sound[start : start + size]

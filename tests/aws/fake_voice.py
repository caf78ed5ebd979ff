"""What a fake speaks with: a tone for each letter, as long as reading it takes."""

from __future__ import annotations

import re

import numpy as np

LETTER_S = 0.05


def letters(text: str) -> int:
    """How much there is to say."""
    return len(re.findall(r"[^\W_]", text))


def pcm(text: str, rate_hz: int = 24_000, speed: float = 1.0) -> bytes:
    """PCM16LE, mono; nothing for a text without letters."""
    seconds = letters(text) * LETTER_S / speed
    count = round(seconds * rate_hz)
    tone = 8_000 * np.sin(2 * np.pi * 220 * np.arange(count) / rate_hz)
    return tone.astype("<i2").tobytes()

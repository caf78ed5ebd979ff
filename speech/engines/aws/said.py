"""What is sent to a service that speaks."""

from __future__ import annotations

import math

from speech.errors import UsageError
from speech.kokoro.markup import as_read
from speech.kokoro.speakable import speakable

MIN_SPEED, MAX_SPEED = 0.5, 2.0


def plain(text: str) -> str:
    """The text as it is read, without markup; empty where nothing of it can be spoken."""
    read = speakable(as_read(text)).strip()
    return read if any(map(str.isalnum, read)) else ""


def check_speed(speed: float) -> None:
    """Raise ``UsageError`` for a speed that no engine takes."""
    if not (math.isfinite(speed) and MIN_SPEED <= speed <= MAX_SPEED):
        raise UsageError(f"speed is {speed:g}; give {MIN_SPEED} to {MAX_SPEED}")

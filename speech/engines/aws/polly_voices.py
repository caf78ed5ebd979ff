"""Polly's voices, its formats, and how it is told the speed."""

from __future__ import annotations

from functools import cache
from xml.sax.saxutils import escape

from speech.errors import UnknownVoiceError

RATE_HZ = 16_000
"""The highest that Polly gives as PCM."""


@cache
def voices() -> tuple[str, ...]:
    """Every voice that botocore knows of, sorted; not each speaks with every engine of Polly's."""
    import botocore.session

    model = botocore.session.Session().get_service_model("polly")
    return tuple(sorted(model.shape_for("VoiceId").enum))


def check_voice(name: str) -> None:
    """Raise ``UnknownVoiceError``, with the list."""
    if name not in voices():
        raise UnknownVoiceError(
            f"Polly has no voice {name!r}; choose one of: {', '.join(voices())}"
        )


def written(text: str, speed: float) -> tuple[str, str]:
    """What is sent and its kind (``text`` or ``ssml``): the speed is written in SSML."""
    if speed == 1.0:
        return text, "text"
    percent = f"{100 * speed:.0f}%"
    return f'<speak><prosody rate="{percent}">{escape(text)}</prosody></speak>', "ssml"

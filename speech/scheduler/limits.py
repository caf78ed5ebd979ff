"""What a shared engine takes on at most."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """An engine without limits serves whoever asks. Those of connections are the server's."""

    text_characters: int = 5_000
    """Of one unit; longer ones are wrong use."""
    units: int = 128
    """Of one listener that have not ended, the one that is spoken included."""
    sessions: int = 64
    """Listeners: those with several voices count once."""
    first_audio_s: float = 1.0
    """When the first sound of a reply is due: listeners with more in hand let it go first. With
    admission a reply is taken on only if it is heard by then and nobody's sound stops for it."""

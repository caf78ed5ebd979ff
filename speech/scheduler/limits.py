"""What one server takes on at most."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of a shared engine; an engine without them serves whoever asks.

    The engine keeps ``text_characters``, ``units``, ``sessions`` and ``first_audio_s``; whoever
    owns the connections keeps the others.
    """

    text_characters: int = 5_000
    """Of one unit; longer ones are wrong use."""
    units: int = 128
    """Of one session that have not ended, the one that is spoken included."""
    sessions: int = 64
    session_age_s: float = 3600.0
    """A connection is ended after so long, between two units."""
    idle_s: float = 300.0
    """A connection on which nothing was said for so long is ended."""
    request_age_s: float = 56.0
    """A request that says it was made longer ago is stale: 408. The reference's own bound."""
    first_audio_s: float = 1.0
    """When the first sound of a reply is due: listeners with more in hand let it go first. With
    admission a reply is taken on only if it is heard by then and nobody's sound stops for it."""

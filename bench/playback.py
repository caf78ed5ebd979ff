"""A simulated player: what a listener hears of audio that arrives in pieces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Arrival:
    """A piece of unit ``unit``, ``audio_s`` long, handed to the player at ``at_s``."""

    at_s: float
    audio_s: float
    unit: int = 0


@dataclass(frozen=True, slots=True)
class Gap:
    """Silence of ``length_s`` at ``at_s``, because the next piece, of ``unit``, was late.

    ``between_units`` tells it from a gap inside a unit.
    """

    at_s: float
    length_s: float
    unit: int
    between_units: bool


@dataclass(frozen=True, slots=True)
class Playback:
    """The gaps heard, and the least audio in hand (s) when a piece arrived.

    ``least_lead_s`` is below zero by the longest gap, None where one piece was all.
    """

    gaps: tuple[Gap, ...]
    least_lead_s: float | None


def play(arrivals: Sequence[Arrival], tolerance_s: float = 0.001) -> Playback:
    """Play pieces back to back from the moment the first arrives.

    The player has no buffer and waits for nothing. Lateness of up to ``tolerance_s`` is
    not listed as a gap: what one device block hides.
    """
    gaps: list[Gap] = []
    leads: list[float] = []
    ends_s: float | None = None
    unit = 0
    for piece in arrivals:
        if ends_s is not None:
            leads.append(ends_s - piece.at_s)
            if piece.at_s - ends_s > tolerance_s:
                gaps.append(Gap(ends_s, piece.at_s - ends_s, piece.unit, piece.unit != unit))
        ends_s = max(piece.at_s, piece.at_s if ends_s is None else ends_s) + piece.audio_s
        unit = piece.unit
    return Playback(tuple(gaps), min(leads, default=None))


def real_time_factor(arrivals: Sequence[Arrival], begun_s: float) -> float | None:
    """Seconds of work for a second of audio: from ``begun_s`` to the last piece's arrival."""
    audio_s = sum(piece.audio_s for piece in arrivals)
    return (arrivals[-1].at_s - begun_s) / audio_s if audio_s else None

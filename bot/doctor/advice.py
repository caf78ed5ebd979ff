"""Which way of talking suits what was measured, and the setting that makes it so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from bot.doctor.acoustics import Acoustics

Mode = Literal["full duplex", "guarded", "push to talk"]

GOOD_DB = 25.0
"""What cancelling has to gain: with that no frame of Kokoro's voice passed for a user's that the
echo's likelihood had not marked (docs/echo.md)."""

POOR_DB = 10.0
"""Below it every loud syllable comes through."""

NEAR_NOISE_DB = 6.0
"""An echo so little above the room's noise wakes no voice detector."""

LATE_MS = 450.0
"""What WebRTC's canceller looks for an echo in, less the lead it is given."""

SETTINGS: Mapping[Mode, Mapping[str, object]] = {
    "full duplex": {"barge_in.policy": "natural"},
    "guarded": {"barge_in.policy": "natural", "vad.confidence": 0.9},
    "push to talk": {"barge_in.policy": "push_to_talk"},
}
"""Keys of config.yaml and what to write there. Of what a poor canceller left of Kokoro's voice
Silero took 3 frames for a user's at 0.9 and 8 at 0.7, of a user over it 43 in place of 47."""

HEADPHONES: Mapping[str, object] = {"barge_in.policy": "natural", "barge_in.protect_s": 0.0}
"""Without an echo nothing has to adapt before the user may be heard."""


@dataclass(frozen=True)
class Advice:
    """``why`` is one clause; ``hint`` what would make it better, or empty."""

    mode: Mode
    why: str
    settings: Mapping[str, object]
    hint: str = ""


def advise(found: Acoustics) -> Advice:
    """Pure; a microphone that gives nothing at all is somebody else's to report."""
    if not found.heard:
        return Advice("full duplex", "the microphone does not hear the speaker", HEADPHONES)
    gained_db = found.enhancement_db
    if found.left_dbfs is None or gained_db is None:
        return _advice("push to talk", "nothing cancels the echo", found.trouble)
    if found.left_dbfs <= found.noise_dbfs + NEAR_NOISE_DB:
        return _advice("full duplex", "of the echo nothing is left above the room's noise")
    if gained_db >= GOOD_DB:
        return _advice("full duplex", f"the echo is {gained_db:.0f} dB weaker cancelled")
    mode: Mode = "guarded" if gained_db >= POOR_DB else "push to talk"
    return _advice(mode, f"cancelling takes only {gained_db:.0f} dB off the echo", _hint(found))


def _advice(mode: Mode, why: str, hint: str = "") -> Advice:
    return Advice(mode, why, SETTINGS[mode], hint)


def _hint(found: Acoustics) -> str:
    if found.delay_ms is not None and found.delay_ms > LATE_MS:
        return f"the echo comes {found.delay_ms:.0f} ms late: a speaker on a wire is faster"
    return "turn the speaker down, move the microphone away from it, or use headphones"

"""Statistics of the default voice, so that it streams at once on a machine that never spoke."""

from __future__ import annotations

from pathlib import Path

from speech.kokoro.statistics import VoiceStatistics, statistics_file
from speech.kokoro.voices import Voice


def known_statistics(
    folder: Path, voice_name: str, table: Voice, model_hash: str
) -> VoiceStatistics:
    """What this machine measured of the voice with this model, else what is shipped, else none.

    What is learnt further goes to a file of its own in ``folder``.
    """
    return VoiceStatistics(
        statistics_file(folder / model_hash[:16], voice_name, table),
        shipped=shipped_file(voice_name, table, model_hash),
    )


def shipped_file(voice_name: str, table: Voice, model_hash: str) -> Path:
    """Where the statistics of this very voice and model would lie; most have none."""
    return statistics_file(Path(__file__).parent / model_hash[:16], voice_name, table)

"""What was measured of the published model, so that no user's machine has to.

Statistics of the default voice, with which it streams at once on a machine that never spoke;
ranges of the generator's convolutions, without which there is no int8.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from speech.kokoro.graph.static_int8 import Range
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


def ranges_file(model_hash: str) -> Path:
    """Where the ranges of this very model would lie; other exports have none."""
    return Path(__file__).parent / model_hash[:16] / "ranges.npz"


def shipped_ranges(model_hash: str) -> dict[str, Range]:
    """Of this very model; empty for other exports."""
    file = ranges_file(model_hash)
    if not file.is_file():
        return {}
    with np.load(file) as arrays:
        return {name: arrays[name].astype(np.float32) for name in arrays.files}

"""What was measured of the published model, so that no user's machine has to.

Statistics of the default voice, with which it streams at once on a machine that never spoke;
ranges of the generator's convolutions, without which there is no int8.
"""

from __future__ import annotations

from collections.abc import Mapping
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
    return read_ranges(file) if file.is_file() else {}


def write_ranges(file: Path, ranges: Mapping[str, Range]) -> None:
    """As float16, all in one array: one for each side of each convolution takes 40 kB more."""
    names = sorted(ranges)
    np.savez_compressed(
        file,
        names=np.asarray(names),
        channels=np.asarray([ranges[name].shape[1] for name in names]),
        values=np.concatenate([np.float16(ranges[name]) for name in names], axis=1),
    )


def read_ranges(file: Path) -> dict[str, Range]:
    """What ``write_ranges`` has written."""
    with np.load(file) as arrays:
        values = arrays["values"].astype(np.float32)
        sides = np.split(values, np.cumsum(arrays["channels"])[:-1], axis=1)
        return dict(zip(arrays["names"].tolist(), sides, strict=True))

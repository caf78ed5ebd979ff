"""A waveform small enough for a page."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

COLUMNS_PER_S = 50
MAX_COLUMNS = 6_000
"""Two minutes in full detail; longer runs get wider columns. At most about 70 kB a side."""

HEIGHT = 100
"""Half the height of a track, in the picture's units."""


def columns_for(duration_s: float) -> int:
    """How many columns a recording of this length is drawn with."""
    return int(min(MAX_COLUMNS, max(1, duration_s * COLUMNS_PER_S)))


def envelope_path(samples: NDArray[np.int16], columns: int) -> str:
    """An SVG path around the lowest and highest sample of each column.

    x runs from 0 to ``columns``, y from -``HEIGHT`` (full scale) to ``HEIGHT``. Levels are
    drawn by their square root, so that quiet speech and room noise can be seen.
    """
    if not len(samples):
        return "M0 0H1"
    edges = np.linspace(0, len(samples), columns + 1).astype(int)
    starts = np.minimum(edges[:-1], len(samples) - 1)
    scaled = samples.astype(np.float32) / 32_768
    high = _units(np.maximum.reduceat(scaled, starts))
    low = _units(np.minimum.reduceat(scaled, starts))
    top = [f"{x} {-y}" for x, y in enumerate(np.maximum(high, 0))]
    bottom = [f"{x} {-y}" for x, y in enumerate(np.minimum(low, 0))]
    return "M" + "L".join(_corners(top) + _corners(bottom)[::-1]) + "Z"


def _units(level: NDArray[np.float32]) -> NDArray[np.int_]:
    return np.round(np.sign(level) * np.sqrt(np.abs(level)) * HEIGHT).astype(int)


def _corners(points: list[str]) -> list[str]:
    """Without the points inside a flat run: silence costs nothing."""
    levels = [point.partition(" ")[2] for point in points]
    inner = range(1, len(points) - 1)
    kept = [i for i in inner if not levels[i - 1] == levels[i] == levels[i + 1]]
    ends = [0, *kept, len(points) - 1] if len(points) > 1 else [0]
    return [points[i] for i in ends]

"""What a voice's norms measure, learnt once and refined from use."""

from __future__ import annotations

import hashlib
import math
import zipfile
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from speech.kokoro.streaming import Statistics
from speech.whole_file import replacing

BUCKET_EDGES = (24, 40, 70, 120, 220)
"""Upper phoneme counts of the buckets but the last. Kokoro takes another row of the voice's
table for each count. Neighbouring rows hardly differ, rows far apart do: a line of 7 phonemes
came out silent with the statistics of 60. Between the middles of two buckets their averages are
mixed: with steps instead, sentences of 62 to 70 phonemes were 0.6 dB too loud."""

_BEYOND = 0.5
"""How far below the middle of the lowest bucket its trend is followed, of the way to the next."""

VERSION = 4
"""Raised with every change of the buckets or of what they are learnt from: older averages are
then learnt anew."""

MEMORY = 16
"""Units that an average remembers: enough to level out sentences, few enough to follow."""

SAVE_EVERY = 8
"""New units between two writes to disk."""


def bucket_of(phonemes: int) -> int:
    """Index of the bucket a unit of so many phonemes belongs to."""
    return sum(phonemes > edge for edge in BUCKET_EDGES)


Layer = NDArray[np.float32]
_LEAST = np.float32(1e-12)
_LARGEST_PLACE = math.log(1_000)


@dataclass(frozen=True)
class _Average:
    """Of ``count`` units; ``place`` is the average of the logarithms of their phonemes."""

    statistics: Statistics
    place: float
    count: int

    def with_one_more(self, own: Statistics, place: float) -> _Average:
        share = 1.0 / min(self.count + 1, MEMORY)
        known = self.statistics
        return _Average(
            Statistics(
                tuple(_blend(a, b, share) for a, b in zip(known.mean, own.mean, strict=True)),
                tuple(
                    _blend(a, b, share) for a, b in zip(known.variance, own.variance, strict=True)
                ),
            ),
            self.place + (place - self.place) * share,
            self.count + 1,
        )

    def share_of(self, higher: _Average, place: float) -> float:
        """How much of the way from here to ``higher`` the place is."""
        return (place - self.place) / (higher.place - self.place)


class VoiceStatistics:
    """Averages of one voice and model, by bucket, kept in a file. Not thread-safe.

    A file that is damaged or of another model counts as absent. A folder that cannot be
    written costs only the memory of the next start.
    """

    def __init__(
        self, file: Path, shapes: tuple[int, ...] = (), shipped: Path | None = None
    ) -> None:
        """``shapes``: channels of each layer, where known; a file with others is not used.

        ``shipped`` is read where ``file`` gives nothing, and never written.
        """
        self._file = file
        self._averages: dict[int, _Average] = {}
        self._unsaved = 0
        self._shapes = shapes
        self._load(file)
        if shipped is not None and not self._averages:
            self._load(shipped)

    @property
    def buckets(self) -> list[int]:
        """Buckets with an average, in order."""
        return sorted(self._averages)

    def get(self, phonemes: int) -> Statistics | None:
        """What units of this length measure, or of neighbouring ones; None if unknown.

        The shortest units have none: their rows differ too much from each other.
        """
        wanted = bucket_of(phonemes)
        near = [k for k in self.buckets if k > 0 and abs(k - wanted) <= 1]
        if wanted == 0 or not near:
            return None
        place = math.log(phonemes)
        pairs = [(self._averages[a], self._averages[b]) for a, b in pairwise(near)]
        if not pairs:
            return self._averages[near[0]].statistics
        low, high = next((pair for pair in pairs if place <= pair[1].place), pairs[-1])
        least = -_BEYOND if near[0] == 1 else 0.0
        return _between(low, high, min(max(low.share_of(high, place), least), 1.0))

    def fold(self, phonemes: int, own: Statistics) -> None:
        """Take a unit's own statistics into the average."""
        bucket = bucket_of(phonemes)
        if bucket == 0:
            return
        place = math.log(phonemes)
        known = self._averages.get(bucket, _Average(own, place, 0))
        self._averages[bucket] = known.with_one_more(own, place)
        self._unsaved += 1
        if self._unsaved >= SAVE_EVERY:
            self.save()

    def save(self) -> None:
        """Write to the file, whole or not at all."""
        if not self._unsaved:
            return
        arrays: dict[str, NDArray[np.float32]] = {}
        for bucket, average in self._averages.items():
            arrays[f"{bucket}/count"] = np.asarray([average.count, average.place], np.float32)
            known = average.statistics
            for k, (mean, variance) in enumerate(zip(known.mean, known.variance, strict=True)):
                arrays[f"{bucket}/{k}"] = np.stack([mean, variance])
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with replacing(self._file) as part, part.open("wb") as file:
                np.savez(file, **arrays)  # type: ignore[arg-type]  # its stub has no keywords
        except OSError:
            return  # learnt again after the next start
        self._unsaved = 0

    def _load(self, file: Path) -> None:
        try:
            with np.load(file) as arrays:
                buckets = {int(name.split("/")[0]) for name in arrays.files}
                for bucket in buckets:
                    self._averages[bucket] = self._read(arrays, bucket)
        except (OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile):
            self._averages.clear()

    def _read(self, arrays: np.lib.npyio.NpzFile, bucket: int) -> _Average:
        count, place = (float(value) for value in arrays[f"{bucket}/count"])
        layers = sum(name.startswith(f"{bucket}/") for name in arrays.files) - 1
        pairs = [np.asarray(arrays[f"{bucket}/{k}"], np.float32) for k in range(layers)]
        channels = tuple(pair.shape[1] for pair in pairs)
        in_place = 0 < place < _LARGEST_PLACE and bucket_of(round(math.exp(place))) == bucket
        sound = all(map(_is_sound, pairs)) and in_place and count >= 1
        if (self._shapes and channels != self._shapes) or not sound:
            raise ValueError("statistics of another model")
        known = Statistics(tuple(p[0] for p in pairs), tuple(p[1] for p in pairs))
        return _Average(known, place, int(count))


def statistics_file(folder: Path, voice_name: str, table: NDArray[np.float32]) -> Path:
    """Where a voice's averages are kept; another table under the same name gets another file."""
    digest = hashlib.sha256(np.ascontiguousarray(table, "<f4").tobytes()).hexdigest()[:12]
    plain = "".join(c if c.isalnum() or c in "._-" else "-" for c in voice_name)[:60]
    return folder / f"statistics-v{VERSION}" / f"{plain}-{digest}.npz"


def _blend(old: Layer, new: Layer, share: float) -> Layer:
    return (old * np.float32(1 - share) + new * np.float32(share)).astype(np.float32)


def _between(low: _Average, high: _Average, share: float) -> Statistics:
    """``share`` of the way; variances by their logarithms, so that they stay above 0."""
    a, b = low.statistics, high.statistics
    means = (_blend(m, n, share) for m, n in zip(a.mean, b.mean, strict=True))
    logarithms = (
        _blend(np.log(v + _LEAST), np.log(w + _LEAST), share)
        for v, w in zip(a.variance, b.variance, strict=True)
    )
    return Statistics(tuple(means), tuple(np.exp(value) for value in logarithms))


def _is_sound(pair: NDArray[np.float32]) -> bool:
    return bool(np.isfinite(pair).all() and (pair[1] >= 0).all()) and math.prod(pair.shape) > 0

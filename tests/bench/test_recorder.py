"""A stretch of a recording has the times it was heard at, and says when samples were lost."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from bench.soundcard import recorder
from bench.soundcard.recorder import MonitorRecorder

RATE_HZ = 1_000
PIECE = 10


class FakeStream:
    """Pieces of 10 ms that count up, each at its own time on ``clock``; then the end."""

    def __init__(self, arrivals: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
        self._arrivals: Iterator[float] = iter(arrivals)
        self._number = 0
        self._now = 0.0
        monkeypatch.setattr(recorder.time, "monotonic", lambda: self._now)

    def read(self, size: int) -> bytes:
        self._now = next(self._arrivals, -1.0)
        if self._now < 0:
            return b""
        first, self._number = self._number, self._number + PIECE
        return np.arange(first, self._number, dtype=np.int16).tobytes()


def recorded(arrivals: list[float], monkeypatch: pytest.MonkeyPatch) -> MonitorRecorder:
    made = MonitorRecorder("monitor", {}, RATE_HZ)
    made._read(FakeStream(arrivals, monkeypatch))  # type: ignore[arg-type]
    return made


def test_the_earliest_piece_tells_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    late = [0.007, 0.002, 0.009, 0.004]
    arrivals = [50 + 0.01 * (n + 1) + late[n % 4] for n in range(100)]
    found = recorded(arrivals, monkeypatch).stretch(50.5, 50.6)
    assert found.begins_at + 0.002 == pytest.approx(50.5 + 0.002, abs=0.001)
    assert found.drift_s == pytest.approx(0, abs=1e-6)
    assert found.samples[0] == pytest.approx(498, abs=1)
    assert len(found.samples) == 100


def test_lost_samples_show_as_drift_and_do_not_shift_what_is_behind_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = [10 + 0.01 * (n + 1) for n in range(100)]
    behind = [41 + 0.01 * (n + 1) for n in range(100)]  # thirty seconds never came
    found = recorded([*before, *behind], monkeypatch).stretch(41.5, 41.6)
    assert found.drift_s == pytest.approx(30)
    assert found.samples[0] == pytest.approx(1_500, abs=1)
    assert found.begins_at == pytest.approx(41.5, abs=0.001)

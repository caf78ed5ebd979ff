"""A device's clock is read out of noisy stamps without wandering, and follows drift and jumps."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transports.local.echo.clock import JUMP_BLOCKS, DeviceClock, Line

RATE_HZ = 48_000
BLOCK = 960
MOST_WANDER = 60e-6
"""What WebRTC's canceller stands without loss (docs/echo.md)."""


def _blocks(seconds: float) -> Iterator[int]:
    yield from range(0, round(seconds * RATE_HZ), BLOCK)


def _wander(seed: int, count: int, rms_s: float, kept: float = 0.98) -> list[float]:
    """As PulseAudio's stamps do: each near the one before."""
    rng, noise = np.random.default_rng(seed), [0.0]
    for step in rng.normal(0, rms_s * np.sqrt(1 - kept**2), count):
        noise.append(kept * noise[-1] + float(step))
    return noise


@pytest.mark.parametrize("drift", [0.0, 1e-4, -1e-4, 3e-4])
def test_exact_stamps_give_the_drift(drift: float) -> None:
    clock = DeviceClock(RATE_HZ)
    for index in _blocks(40.0):
        assert not clock.note(index, 100.0 + index / RATE_HZ * (1 + drift))
    assert clock.line.drift == pytest.approx(drift, abs=30e-6)
    last = 40.0 * RATE_HZ
    # What was missed before the drift was known is worked off slowly.
    assert clock.line.time_of(last) == pytest.approx(100.0 + 40.0 * (1 + drift), abs=0.005)


@pytest.mark.parametrize("seed", range(4))
def test_noise_does_not_become_wander(seed: int) -> None:
    clock, noise = DeviceClock(RATE_HZ), _wander(seed, 4_000, 0.002)
    speeds = []
    for number, index in enumerate(_blocks(60.0)):
        assert not clock.note(index, index / RATE_HZ + noise[number])
        speeds.append(abs(clock.line.drift))
    assert max(speeds) < MOST_WANDER
    assert clock.line.time_of(60.0 * RATE_HZ) == pytest.approx(60.0, abs=0.005)


def test_late_stamps_of_a_busy_machine_move_nothing() -> None:
    clock, rng = DeviceClock(RATE_HZ), np.random.default_rng(1)
    for index in _blocks(20.0):
        late_s = 0.2 if rng.random() < 0.2 else 0.0
        assert not clock.note(index, index / RATE_HZ + late_s)
    assert clock.line.time_of(20.0 * RATE_HZ) == pytest.approx(20.0, abs=0.001)


def test_wrong_stamps_at_the_start_are_forgotten() -> None:
    """PulseAudio's first blocks say that they sound now."""
    clock = DeviceClock(RATE_HZ)
    for number, index in enumerate(_blocks(2.0)):
        clock.note(index, 0.0 if number < 3 else index / RATE_HZ + 0.05)
    assert clock.line.time_of(0.0) == pytest.approx(0.05, abs=1e-6)


@pytest.mark.parametrize("by_s", [0.2, -0.2, 1.0, -1.0])
def test_a_jump_is_told_once_and_followed(by_s: float) -> None:
    clock, told = DeviceClock(RATE_HZ), []
    for index in _blocks(10.0):
        at = index / RATE_HZ + (by_s if index >= 5 * RATE_HZ else 0.0)
        told += [index] if clock.note(index, at) else []
    first = 5 * RATE_HZ
    assert len(told) == 1
    assert first <= told[0] <= first + JUMP_BLOCKS * BLOCK
    assert clock.line.time_of(10.0 * RATE_HZ) == pytest.approx(10.0 + by_s, abs=0.001)


@given(
    st.lists(st.floats(-0.01, 0.01), min_size=60, max_size=300),
    st.floats(-2e-4, 2e-4),
)
@settings(max_examples=20, deadline=None)
def test_the_line_never_jumps_by_itself(noise: list[float], drift: float) -> None:
    clock, before = DeviceClock(RATE_HZ), None
    for number, late_s in enumerate(noise):
        index = number * BLOCK
        jumped = clock.note(index, index / RATE_HZ * (1 + drift) + late_s)
        here_s = clock.line.time_of(float(index))
        if number > 25 and before is not None and not jumped:
            assert here_s == pytest.approx(before.time_of(float(index)), abs=1e-9)
        before = clock.line


@given(st.floats(-3e-4, 3e-4), st.floats(0, 1e6), st.floats(-1e5, 1e5))
def test_there_and_back(drift: float, pivot: float, offset_s: float) -> None:
    line = Line(RATE_HZ, offset_s, drift, pivot)
    assert line.index_of(line.time_of(12_345.0)) == pytest.approx(12_345.0, abs=1e-3)

"""What was played is found by the time at which it sounded, at any rate and in any blocks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from transports.local.echo.far import KEPT_S, FarEnd

NEAR_HZ = 16_000


def _tones(times: NDArray[np.float64]) -> NDArray[np.float64]:
    """300 Hz and 3 kHz."""
    low, high = np.sin(2 * np.pi * 300 * times), np.sin(2 * np.pi * 3_000 * times)
    return np.asarray(8_000 * low + 4_000 * high)


def _play(far: FarEnd, rate_hz: int, begin: float, seconds: float, block_s: float = 0.02) -> None:
    """The tones, as the device's callback would hand them over."""
    size = round(rate_hz * block_s)
    for number in range(round(seconds / block_s)):
        at = begin + number * size / rate_hz
        samples = _tones(at + np.arange(size) / rate_hz)
        far.played(np.rint(samples).astype(np.int16), at, rate_hz)
        far.take()


@pytest.mark.parametrize("rate_hz", [16_000, 22_050, 24_000, 44_100, 48_000])
@pytest.mark.parametrize("at", [11.0, 11.000_017, 12.3456])
def test_at_every_rate_it_is_the_sound_of_that_moment(rate_hz: int, at: float) -> None:
    far = FarEnd()
    _play(far, rate_hz, 10.0, 3.0)
    wanted = _tones(at + np.arange(320) / NEAR_HZ)
    error = far.read(at, 320, NEAR_HZ) - wanted
    assert np.sqrt(np.mean(error**2)) < 0.01 * np.sqrt(np.mean(wanted**2))


def test_what_the_new_rate_cannot_carry_does_not_come_back_as_another_tone() -> None:
    far, times = FarEnd(), np.arange(48_000) / 48_000
    whistle = np.rint(8_000 * np.sin(2 * np.pi * 13_000 * times)).astype(np.int16)
    for begin in range(0, len(whistle), 960):
        far.played(whistle[begin : begin + 960], begin / 48_000, 48_000)
        far.take()
    assert np.abs(far.read(0.5, 320, NEAR_HZ)).max() < 80  # -40 dB


@given(st.lists(st.integers(1, 1_200), min_size=1, max_size=30), st.floats(0.0, 0.5))
@settings(max_examples=30, deadline=None)
def test_any_blocks_give_the_same(sizes: list[int], at: float) -> None:
    noise = np.random.default_rng(0).integers(-9_000, 9_000, sum(sizes)).astype(np.int16)
    whole, cut = FarEnd(), FarEnd()
    whole.played(noise, 0.0, 24_000)
    done = 0
    for size in sizes:
        cut.played(noise[done : done + size], done / 24_000, 24_000)
        done += size
        cut.take()
    whole.take()
    assert np.abs(whole.read(at, 200, NEAR_HZ) - cut.read(at, 200, NEAR_HZ)).max() <= 1


def test_around_it_there_is_silence() -> None:
    far = FarEnd()
    assert not far.read(0.0, 160, NEAR_HZ).any()
    _play(far, 24_000, 10.0, 1.0)
    assert not far.read(9.9, 160, NEAR_HZ).any()
    assert not far.read(11.1, 160, NEAR_HZ).any()
    half = far.read(11.0 - 0.005, 160, NEAR_HZ)
    assert half[:70].any()
    assert not half[90:].any()
    assert far.known_until == pytest.approx(11.0)


def test_a_restarted_device_did_not_play_what_it_held() -> None:
    """From 12.0 on it held a second of sound, forgot it, and goes on with something else."""
    far = FarEnd()
    _play(far, 24_000, 10.0, 3.0)
    for number in range(25):
        far.played(np.full(480, 500, np.int16), 12.0 + number * 0.02, 24_000)
        far.take()
    assert far.stretches == 2
    assert far.read(12.3, 160, NEAR_HZ).tolist() == [500] * 160
    assert np.abs(far.read(11.5, 160, NEAR_HZ) - _tones(11.5 + np.arange(160) / NEAR_HZ)).max() < 99


def test_another_device_at_another_rate() -> None:
    far = FarEnd()
    _play(far, 24_000, 10.0, 1.0)
    _play(far, 48_000, 12.0, 1.0)
    for at in (10.5, 12.5):
        wanted = _tones(at + np.arange(160) / NEAR_HZ)
        assert np.abs(far.read(at, 160, NEAR_HZ) - wanted).max() < 200


def test_memory_is_flat_whether_it_is_read_or_not() -> None:
    read, unread = FarEnd(), FarEnd()
    for number in range(2_000):
        block = np.full(960, number % 100, np.int16)
        unread.played(block, number * 0.02, 48_000)
        read.played(block, number * 0.02, 48_000)
        read.take()
    assert unread._inbox.blocks.high_water <= KEPT_S * 48_000
    assert sum(len(stretch._held) for stretch in read._stretches) <= 2 * KEPT_S * 48_000
    assert read.read(39.5, 10, NEAR_HZ).tolist() == [1_975 % 100] * 10

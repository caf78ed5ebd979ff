"""What sounded is put beside what was heard at that moment, whatever the devices do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.transports.local.echo.path import EchoPath, clip
from transports.local.echo import EchoCanceller
from transports.local.echo.canceller import GOOD_S, LEAD_S, STARVED_BLOCKS
from transports.local.echo.delay import find_delay

RATE_HZ = 16_000


class FakeProcessing:
    """Remembers what it was given; takes nothing out."""

    def __init__(self) -> None:
        self.far: list[NDArray[np.int16]] = []
        self.broken = False
        self.restarts = 0

    def restart(self) -> None:
        self.restarts += 1

    def process(
        self, far: NDArray[np.int16], near: NDArray[np.int16], delay_s: float
    ) -> NDArray[np.int16]:
        if self.broken:
            raise RuntimeError("no")
        self.far.append(far)
        return near


def _tone(begin: float, count: int, rate_hz: int) -> NDArray[np.int16]:
    times = begin + np.arange(count) / rate_hz
    return np.rint(9_000 * np.sin(2 * np.pi * 310 * times)).astype(np.int16)


def _canceller() -> tuple[EchoCanceller, FakeProcessing]:
    processing = FakeProcessing()
    return EchoCanceller(processing, RATE_HZ), processing


def _converse(
    canceller: EchoCanceller,
    seconds: float,
    *,
    begin: float = 5.0,
    speaker_hz: int = 24_000,
    ahead_s: float = 0.06,
    drift: float = 0.0,
) -> None:
    """Blocks of 20 ms both ways; the speaker is handed ``ahead_s`` before it sounds."""
    handed, size = 0, speaker_hz // 50
    for number in range(round(seconds * 50)):
        while handed / 50 - ahead_s <= (number + 1) / 50:
            at = begin + handed / 50 * (1 + drift)
            canceller.played(_tone(at, size, speaker_hz), at, speaker_hz)
            handed += 1
        canceller.captured(np.zeros(320, np.int16), begin + number / 50)


@pytest.mark.parametrize("speaker_hz", [16_000, 24_000, 44_100, 48_000])
def test_the_far_end_leads_by_a_fixed_time(speaker_hz: int) -> None:
    canceller, processing = _canceller()
    _converse(canceller, 3.0, speaker_hz=speaker_hz)
    far = np.concatenate(processing.far[100:250])
    wanted = _tone(5.0 + 1.0 + LEAD_S, len(far), RATE_HZ)
    assert np.abs(far - wanted).max() < 150
    assert canceller.stats.lead_ms == LEAD_S * 1000


@pytest.mark.parametrize("drift", [1e-4, -1e-4])
def test_two_clocks_that_run_apart_stay_together(drift: float) -> None:
    canceller, processing = _canceller()
    _converse(canceller, 40.0, drift=drift)
    late = [
        _late_s(processing.far[begin : begin + 50], 5.0 + begin / 100) for begin in (3_800, 3_950)
    ]
    assert abs(late[1] - late[0]) < 1.5 * 40e-6  # where the clocks run apart by 100 ppm
    assert max(map(abs, late)) < 0.0016
    assert canceller.stats.drift_ppm == pytest.approx(drift * 1e6, abs=40)


def _late_s(far: list[NDArray[np.int16]], at: float) -> float:
    """How much later than where it belongs the tone is, by its phase."""
    tone = np.concatenate(far).astype(np.float64)
    times = at + LEAD_S + np.arange(len(tone)) / RATE_HZ
    return float(
        -np.angle(1j * np.sum(tone * np.exp(-2j * np.pi * 310 * times))) / (2 * np.pi * 310)
    )


@given(st.lists(st.integers(1, 900), min_size=1, max_size=40))
@settings(max_examples=25, deadline=None)
def test_any_blocks_of_the_microphone_give_the_same(sizes: list[int]) -> None:
    near = np.random.default_rng(3).integers(-999, 999, sum(sizes)).astype(np.int16)
    canceller, processing = _canceller()
    canceller.played(_tone(5.0, 24_000 * 3, 24_000), 5.0, 24_000)
    cleaned, done = [], 0
    for size in sizes:
        cleaned.append(canceller.captured(near[done : done + size], 5.0 + done / RATE_HZ))
        done += size
    got = np.concatenate(cleaned)
    assert len(near) - len(got) < 160
    assert (got == near[: len(got)]).all()
    far = np.concatenate([*processing.far, np.zeros(0, np.int16)])
    assert np.abs(far - _tone(5.0 + LEAD_S, len(far), RATE_HZ))[20:].max(initial=0) < 150


def test_once_the_delay_is_known_a_sound_is_told_just_before_its_echo() -> None:
    canceller, processing = _canceller()
    bot = clip("beckett")[: 6 * RATE_HZ]
    heard = EchoPath(0.1).echo(bot)
    for begin in range(0, len(bot), 320):
        at = 5.0 + begin / RATE_HZ
        canceller.played(bot[begin : begin + 320], at + 0.06, RATE_HZ)
        canceller.captured(heard[begin : begin + 320], at + 0.06)
    assert canceller.stats.delay_ms == pytest.approx(100, abs=1)
    assert canceller.stats.lead_ms == pytest.approx(1000 * (GOOD_S - 0.1), abs=1)
    assert processing.restarts == 2  # the first stretch, and this
    far = np.concatenate(processing.far)[-RATE_HZ:]
    assert find_delay(far, heard[-RATE_HZ:], RATE_HZ) == pytest.approx(GOOD_S, abs=0.001)


def test_a_device_with_less_in_hand_gets_a_shorter_lead() -> None:
    canceller, processing = _canceller()
    _converse(canceller, 3.0, ahead_s=0.0)
    assert 0 < canceller.stats.lead_ms < LEAD_S * 1000
    assert canceller.stats.starved == STARVED_BLOCKS
    far = np.concatenate(processing.far[100:200])
    at = 5.0 + 1.0 + canceller.stats.lead_ms / 1000
    assert np.abs(far - _tone(at, len(far), RATE_HZ)).max() < 150


def test_a_speaker_that_is_gone_is_not_waited_for() -> None:
    canceller, processing = _canceller()
    _converse(canceller, 1.0)
    for number in range(200):
        canceller.captured(np.zeros(320, np.int16), 6.0 + number / 50)
    assert canceller.stats.lead_ms == pytest.approx(LEAD_S * 1000)
    assert not processing.far[-1].any()


def test_another_microphone_begins_anew() -> None:
    canceller, processing = _canceller()
    _converse(canceller, 2.0)
    canceller.captured(np.ones(100, np.int16), 7.0)
    canceller.microphone_opened()
    processing.far.clear()
    _converse(canceller, 1.0, begin=9.0)
    far = np.concatenate(processing.far[-20:])
    assert np.abs(far - _tone(10.0 - 0.2 + LEAD_S, len(far), RATE_HZ)).max() < 150


def test_a_library_that_fails_leaves_the_microphone_as_it_is() -> None:
    canceller, processing = _canceller()
    processing.broken = True
    near = _tone(0.0, 320, RATE_HZ)
    assert (canceller.captured(near, 0.0) == near).all()
    assert canceller.stats.failed == 2


def test_a_device_that_ran_dry_is_found_again_at_once() -> None:
    """For 0.3 s it had nothing to play, and says so: all later sound is that much later."""
    canceller, processing = _canceller()
    _converse(canceller, 2.0)
    for number in range(20):
        at = 7.3 + number / 50
        canceller.played(_tone(at, 480, 24_000), at, 24_000, ran_dry=number == 0)
    processing.far.clear()
    for number in range(15):
        canceller.captured(np.zeros(320, np.int16), 7.0 + number / 50)
    silent, far = np.concatenate(processing.far[:20]), np.concatenate(processing.far[28:])
    assert not silent[960:].any()
    assert np.abs(far - _tone(7.28 + LEAD_S, len(far), RATE_HZ)).max() < 150
    assert canceller.stats.stretches == 2


def test_what_nobody_takes_is_bounded_and_counted() -> None:
    canceller, _ = _canceller()
    for number in range(300):
        canceller.played(np.zeros(480, np.int16), number / 50, 24_000)
    assert canceller.use.high_water == canceller.use.bound == 5.0
    assert canceller.use.dropped == pytest.approx(1.0)

"""The delay of an echo is found to a millisecond, in rooms and noise; where there is none, none."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.transports.local.echo.path import NEAR_HZ, EchoPath, clip, room
from transports.local.echo.delay import EVERY_FRAMES, MISSES, SELDOM_FRAMES, EchoDelay, find_delay


def _frames(samples: NDArray[np.int16]) -> list[NDArray[np.int16]]:
    return np.split(samples, len(samples) // 160)


def _sound(seconds: float = 2.0) -> NDArray[np.int16]:
    return clip("beckett")[: round(seconds * NEAR_HZ)]


@pytest.mark.parametrize("delay_s", [0.0, 0.005, 0.06, 0.12, 0.4])
@pytest.mark.parametrize("gain", [1.0, 0.5, 0.05])
@pytest.mark.parametrize("response", [None, room(), room(0.5, seed=5)], ids=["dry", "0.3", "0.5"])
def test_it_is_found(delay_s: float, gain: float, response: NDArray[np.float64] | None) -> None:
    noise = np.random.default_rng(1).normal(0, 10, 2 * NEAR_HZ).astype(np.int16)
    heard = EchoPath(delay_s, gain, response).echo(_sound()) + noise
    assert find_delay(_sound(), heard, NEAR_HZ) == pytest.approx(delay_s, abs=0.001)


@pytest.mark.parametrize("early_s", [0.01, 0.1])
def test_an_echo_before_its_sound_is_seen(early_s: float) -> None:
    """So that it can be told earlier: nothing could cancel it."""
    late = EchoPath(early_s, 1.0).echo(_sound())
    assert find_delay(late, _sound(), NEAR_HZ) == pytest.approx(-early_s, abs=0.001)


def test_a_user_over_the_bot_does_not_matter() -> None:
    heard = EchoPath(0.08).echo(_sound()) + clip("two_cities")[: 2 * NEAR_HZ]
    assert find_delay(_sound(), heard, NEAR_HZ) == pytest.approx(0.08, abs=0.001)


@pytest.mark.parametrize("kind", ["silence", "noise", "another voice"])
def test_without_an_echo_there_is_none(kind: str) -> None:
    heard = {
        "silence": np.zeros(2 * NEAR_HZ, np.int16),
        "noise": np.random.default_rng(1).normal(0, 900, 2 * NEAR_HZ).astype(np.int16),
        "another voice": clip("two_cities")[: 2 * NEAR_HZ],
    }[kind]
    assert find_delay(_sound(), heard, NEAR_HZ) is None


def test_it_is_told_when_seen_twice_and_then_seldom() -> None:
    sound = _sound(9.0)
    delay, told = EchoDelay(NEAR_HZ), []
    for number, (far, near) in enumerate(
        zip(_frames(sound), _frames(EchoPath(0.1).echo(sound)), strict=True)
    ):
        told += [number] if delay.note(far, near) is not None else []
    assert 2 * EVERY_FRAMES <= told[0] < 5 * EVERY_FRAMES
    assert len(told) <= 2
    assert all(later - told[0] > SELDOM_FRAMES - 100 for later in told[1:])


def test_silence_of_the_bot_is_not_looked_at() -> None:
    delay, silence = EchoDelay(NEAR_HZ), np.zeros(160, np.int16)
    assert all(delay.note(silence, near) is None for near in _frames(_sound()))
    assert delay._sounding == 0


def test_headphones_are_looked_at_seldom() -> None:
    delay, silence = EchoDelay(NEAR_HZ), np.zeros(160, np.int16)
    looks = 0
    for far in _frames(np.concatenate([_sound(9.0)] * 2)):
        before = delay._sounding
        assert delay.note(far, silence) is None
        looks += delay._sounding < before
    assert MISSES <= looks <= MISSES + 3

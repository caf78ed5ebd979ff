"""A click where two chunks meet, or a change of level, is seen in the figures."""

from __future__ import annotations

import numpy as np
import pytest

from bench.signal import border_step, border_step_nearby, lead_silence_s, level_db

RATE_HZ = 24_000


def tone(amplitude: float = 0.5, seconds: float = 1.0) -> np.ndarray:
    time_s = np.arange(round(seconds * RATE_HZ)) / RATE_HZ
    return amplitude * np.sin(2 * np.pi * 200 * time_s)


@pytest.mark.parametrize("amplitude", [0.5, 0.05])
def test_level_of_a_tone(amplitude: float) -> None:
    expected = 20 * np.log10(amplitude / np.sqrt(2))
    assert level_db(tone(amplitude), RATE_HZ) == pytest.approx(expected, abs=0.01)


def test_level_leaves_pauses_out_and_takes_int16() -> None:
    spoken = np.concatenate([tone(), np.zeros(3 * RATE_HZ)])
    whole = (spoken * 32767).astype(np.int16)
    assert level_db(whole, RATE_HZ) == pytest.approx(level_db(tone(), RATE_HZ), abs=0.01)


@pytest.mark.parametrize("samples", [np.zeros(RATE_HZ), np.zeros(0), np.zeros(10)])
def test_silence_has_no_level_and_no_lead(samples: np.ndarray) -> None:
    assert level_db(samples, RATE_HZ) is None
    assert lead_silence_s(samples, RATE_HZ) is None


def test_silence_before_the_sound() -> None:
    samples = np.concatenate([np.full(2400, 0.001), tone()])
    assert lead_silence_s(samples, RATE_HZ) == pytest.approx(0.1, abs=0.001)


def clicked(border: int, height: float) -> np.ndarray:
    samples = tone()
    samples[border:] += height
    return samples


@pytest.mark.parametrize(
    ("samples", "borders", "low", "high"),
    [
        (tone(), [4800, 9600], 0.9, 1.0),  # zero crossings: as steep as the tone is elsewhere
        (tone(), [4830], 0.0, 0.1),  # on the crest
        (clicked(4800, 0.3), [4800], 10, 20),
        (clicked(7000, 0.3), [4800], 0.0, 0.1),  # a click elsewhere is not the border's
    ],
)
def test_border_step(samples: np.ndarray, borders: list[int], low: float, high: float) -> None:
    found = border_step(samples, borders)
    assert found is not None
    assert low <= found <= high


@pytest.mark.parametrize(
    ("samples", "borders"),
    [(tone(), []), (tone(), [0]), (tone(), [RATE_HZ + 5]), (np.zeros(0), [1]), (np.zeros(9), [4])],
)
def test_without_a_border_or_a_signal_there_is_no_step(
    samples: np.ndarray, borders: list[int]
) -> None:
    assert border_step(samples, borders) is None


def test_a_click_in_a_quiet_stretch_is_seen_nearby_only() -> None:
    samples = np.concatenate([tone(0.9), tone(0.001)])
    at = RATE_HZ + 6000
    samples[at:] += 0.01
    assert (border_step(samples, [at]) or 0) < 0.5
    assert border_step_nearby(samples, [at], RATE_HZ) == pytest.approx(1.0)
    assert border_step_nearby(samples, [], RATE_HZ) is None

"""A stream resampled in pieces sounds like the whole: no clicks, nothing lost."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from speech.audio.resample import StreamResampler, resample

FROM_HZ = 24_000
PIECE = FROM_HZ * 20 // 1000


def tone(hz: float, rate_hz: int, seconds: float) -> np.ndarray:
    return 0.5 * np.sin(2 * np.pi * hz * np.arange(int(seconds * rate_hz)) / rate_hz)


def in_pieces(samples: np.ndarray, to_hz: int, piece: int = PIECE) -> np.ndarray:
    resampler = StreamResampler(FROM_HZ, to_hz)
    parts = [
        resampler.process(samples[start : start + piece]) for start in range(0, len(samples), piece)
    ]
    return np.concatenate([*parts, resampler.flush()])


def thd_n_db(samples: np.ndarray, hz: float, rate_hz: int) -> float:
    """Everything but the tone, against the tone, fitted by least squares."""
    phase = 2 * np.pi * hz * np.arange(len(samples)) / rate_hz
    basis = np.stack([np.sin(phase), np.cos(phase)], axis=1)
    fitted = basis @ np.linalg.lstsq(basis, samples, rcond=None)[0]
    return float(10 * np.log10(np.mean((samples - fitted) ** 2) / np.mean(fitted**2)))


@pytest.mark.parametrize("to_hz", [8_000, 16_000, 48_000])
def test_pieces_equal_the_whole_without_clicks(to_hz: int) -> None:
    """Case D07: 440 Hz, amplitude 0.5, 2 s, pieces of 20 ms."""
    source = np.rint(tone(440, FROM_HZ, 2.0) * 32_767).astype(np.int16)
    chunked = in_pieces(source, to_hz)
    whole = resample(source, FROM_HZ, to_hz)
    assert np.max(np.abs(chunked - whole.astype(int))) / 32_767 < 0.01
    assert abs(len(chunked) / to_hz - 2.0) <= 0.020
    inner = chunked[to_hz // 10 : -to_hz // 10].astype(float)
    assert thd_n_db(inner, 440, to_hz) < -40
    assert np.max(np.abs(inner)) / 32_767 == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize("to_hz", [8_000, 16_000])
def test_what_the_new_rate_cannot_hold_is_removed_not_folded(to_hz: int) -> None:
    """The second tone of D07: above the target's half rate it must vanish, not alias."""
    source = np.rint(tone(10_000, FROM_HZ, 1.0) * 32_767).astype(np.int16)
    inner = in_pieces(source, to_hz)[to_hz // 10 : -to_hz // 10]
    assert np.max(np.abs(inner)) < 33  # -60 dB


@settings(deadline=None, max_examples=30)
@given(st.lists(st.integers(0, 2_000), max_size=20), st.sampled_from([8_000, 16_000, 48_000]))
def test_any_split_gives_equal_samples(sizes: list[int], to_hz: int) -> None:
    source = np.random.default_rng(7).integers(-20_000, 20_000, 6_000).astype(np.int16)
    resampler, parts, position = StreamResampler(FROM_HZ, to_hz), [], 0
    for size in [*sizes, len(source)]:
        parts.append(resampler.process(source[position : position + size]))
        position += size
    parts.append(resampler.flush())
    assert np.array_equal(np.concatenate(parts), resample(source, FROM_HZ, to_hz))


def test_after_flush_a_new_stream_begins() -> None:
    source = np.rint(tone(440, FROM_HZ, 0.2) * 32_767).astype(np.int16)
    resampler = StreamResampler(FROM_HZ, 16_000)
    first = np.concatenate([resampler.process(source), resampler.flush()])
    second = np.concatenate([resampler.process(source), resampler.flush()])
    assert np.array_equal(first, second)


def test_equal_rates_pass_through() -> None:
    source = np.arange(10, dtype=np.int16)
    resampler = StreamResampler(16_000, 16_000)
    assert resampler.process(source) is source
    assert resampler.flush().size == 0

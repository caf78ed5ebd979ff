"""Samples come out as they went in: no wrap at full scale, no lost or swapped byte."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from speech.audio.pcm import PcmJoiner, float_to_int16, int16_to_float, mix_down


def peak_hz(samples: np.ndarray, rate_hz: int) -> float:
    """The strongest frequency, interpolated by zero padding to about 1 Hz."""
    spectrum = np.abs(np.fft.rfft(samples * np.hanning(len(samples)), rate_hz))
    return float(np.argmax(spectrum) * rate_hz / (2 * (len(spectrum) - 1)))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_full_scale_clips_and_never_wraps(dtype: type) -> None:
    """Case D05."""
    floats = np.array([0, 0.5, 1, -1, 1.2, -1.2, np.nan, np.inf, -np.inf], dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        samples = float_to_int16(floats)
    assert samples.dtype == np.int16
    assert samples.tolist() == [0, 16384, 32767, -32767, 32767, -32767, 0, 32767, -32767]


def test_every_sample_survives_the_way_through_floats() -> None:
    every = np.arange(-32767, 32768).astype(np.int16)
    assert np.array_equal(float_to_int16(int16_to_float(every)), every)


def test_stereo_is_mixed_down_at_full_length() -> None:
    """Case D03: 960 frames stay 960 samples, at the same pitch."""
    tone = (8_000 * np.sin(2 * np.pi * 440 * np.arange(960) / 48_000)).astype(np.int16)
    mono = mix_down(np.stack([tone, tone], axis=1))
    assert len(mono.tobytes()) == 1920
    assert abs(peak_hz(mono, 48_000) - 440) <= 5


def test_one_channel_alone_is_halved() -> None:
    """Case D03, left only."""
    left = np.array([32767, -32768, 1000, 0], np.int16)
    mono = mix_down(np.stack([left, np.zeros_like(left)], axis=1))
    assert mono.tolist() == [16384, -16384, 500, 0]


def test_loud_channels_do_not_clip_or_wrap() -> None:
    loud = np.full((3, 6), 32767, np.int16)
    assert mix_down(loud).tolist() == [32767] * 3


def test_mono_passes_through() -> None:
    mono = np.array([1, 2, 3], np.int16)
    assert mix_down(mono) is mono
    assert mix_down(mono[:, None]).tolist() == [1, 2, 3]


def test_odd_pieces_are_joined() -> None:
    """Case D06."""
    ramp = np.arange(5_000, dtype=np.int16)
    data, joiner, out, position = ramp.tobytes(), PcmJoiner(), [], 0
    for size in [4063, 1697, 1, 2, 3, 4234]:
        out.append(joiner.feed(data[position : position + size]))
        position += size
    assert position == len(data)
    assert np.array_equal(np.concatenate(out), ramp)


def test_a_lone_byte_is_not_carried_into_the_next_reply() -> None:
    """Case D06, "then"."""
    joiner = PcmJoiner()
    joiner.feed(b"\x01\x00\x7f")
    assert joiner.end() == 1
    assert joiner.feed(b"\x02\x00").tolist() == [2]
    assert joiner.end() == 0


@given(st.binary(max_size=400), st.lists(st.integers(0, 50), max_size=30))
def test_any_split_of_bytes_gives_equal_samples(data: bytes, sizes: list[int]) -> None:
    joiner, out, position = PcmJoiner(), [], 0
    for size in [*sizes, len(data)]:
        out.append(joiner.feed(data[position : position + size]))
        position += size
    whole = data[: len(data) // 2 * 2]
    assert np.concatenate(out).tobytes() == whole
    assert joiner.end() == len(data) % 2

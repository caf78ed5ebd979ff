"""Whatever a device takes or gives, the pipeline sees mono at its own rate (D02, D03)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from transports.local.convert import CaptureConverter, PlaybackConverter


def _sine(hz: float, rate_hz: int, seconds: float = 1.0, level: int = 10_000) -> NDArray[np.int16]:
    times = np.arange(round(rate_hz * seconds)) / rate_hz
    return (level * np.sin(2 * np.pi * hz * times)).astype(np.int16)


def _pitch(samples: NDArray[np.int16], rate_hz: int) -> float:
    spectrum = np.abs(np.fft.rfft(samples * np.hanning(len(samples))))
    return float(np.argmax(spectrum) * rate_hz / len(samples))


@pytest.mark.parametrize("device_hz", [8_000, 16_000, 44_100, 48_000])
@pytest.mark.parametrize("channels", [1, 2, 6])
def test_a_tone_keeps_its_pitch_and_length(device_hz: int, channels: int) -> None:
    converter = CaptureConverter(device_hz, 16_000, 320)
    sound = np.repeat(_sine(1_000, device_hz)[:, np.newaxis], channels, axis=1)
    pieces = [p for at in range(0, device_hz, 441) for p in converter.process(sound[at : at + 441])]
    assert {len(piece) for piece in pieces} == {320}
    heard = np.concatenate([*pieces, converter.flush()])
    assert abs(len(heard) - 16_000) <= 20
    assert abs(_pitch(heard, 16_000) - 1_000) <= 5


@pytest.mark.parametrize(("right", "level"), [(1, 10_000), (0, 5_000)])
def test_stereo_is_mixed_down_where_the_rates_agree(right: int, level: int) -> None:
    left = _sine(440, 48_000, 0.02)
    converter = CaptureConverter(48_000, 48_000, 960)
    [piece] = converter.process(np.stack([left, left * right], axis=1).astype(np.int16))
    assert len(piece.tobytes()) == 1920
    assert abs(np.abs(piece).max() - level) <= 1 + level // 1000


@pytest.mark.parametrize("device_hz", [24_000, 44_100, 48_000, 16_000])
def test_playback_keeps_pitch_and_length(device_hz: int) -> None:
    converter = PlaybackConverter(24_000, device_hz)
    audio = _sine(1_000, 24_000).tobytes()
    pieces = [converter.process(audio[at : at + 1_920], 1) for at in range(0, len(audio), 1_920)]
    played = np.concatenate([*pieces, converter.flush()])
    assert abs(len(played) - device_hz) <= 20
    assert abs(_pitch(played, device_hz) - 1_000) <= 5


def test_stereo_playback_is_mixed_down() -> None:
    left = _sine(440, 24_000, 0.1)
    audio = np.stack([left, left], axis=1).astype(np.int16).tobytes()
    assert np.array_equal(PlaybackConverter(24_000, 24_000).process(audio, 2), left)


def test_nothing_of_a_flushed_reply_comes_back() -> None:
    converter = PlaybackConverter(24_000, 48_000)
    converter.process(_sine(440, 24_000, 0.5).tobytes(), 1)
    converter.flush()
    silence = converter.process(bytes(24_000), 1)
    assert not silence.any()

"""mu-law is G.711's to the bit, and its silence is silent."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from speech.audio import mulaw


@pytest.mark.parametrize(("code", "sample"), [(0xFF, 0), (0x7F, 0), (0x00, -32124), (0x80, 32124)])
def test_table(code: int, sample: int) -> None:
    """Case D08."""
    assert mulaw.decode(bytes([code])).tolist() == [sample]


def test_the_last_frame_is_filled_with_silence() -> None:
    """Case D08: 100 samples in a frame of 160."""
    samples = (3_000 * np.sin(np.arange(100))).astype(np.int16)
    frame = mulaw.pad(mulaw.encode(samples), 160)
    assert len(frame) == 160
    assert mulaw.decode(frame[100:]).tolist() == [0] * 60


@pytest.mark.parametrize(("size", "padded"), [(0, 0), (160, 160), (161, 320)])
def test_whole_frames_stay(size: int, padded: int) -> None:
    assert len(mulaw.pad(b"\x10" * size, 160)) == padded


def test_every_code_survives_but_the_negative_zero() -> None:
    """Case D08."""
    codes = bytes(code for code in range(256) if code not in (0x7F, 0xFF))
    assert mulaw.encode(mulaw.decode(codes)) == codes
    assert mulaw.encode(np.zeros(1, np.int16)) == b"\xff"


def test_equals_the_standard_librarys_on_every_sample() -> None:
    """``audioop`` is an independent G.711; Python 3.13 has none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        audioop = pytest.importorskip("audioop")
    every = np.arange(-32768, 32768).astype(np.int16)
    assert mulaw.encode(every) == audioop.lin2ulaw(every.tobytes(), 2)
    codes = bytes(range(256))
    assert mulaw.decode(codes).astype("<i2").tobytes() == audioop.ulaw2lin(codes, 2)

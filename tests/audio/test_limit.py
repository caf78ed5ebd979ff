"""Loud peaks are rounded, never cut off, and quieter speech is left alone."""

from __future__ import annotations

import numpy as np

from speech.audio.limit import soft_limit


def test_below_the_knee_nothing_changes() -> None:
    quiet = np.linspace(-0.8, 0.8, 1_001, dtype=np.float32)
    assert np.array_equal(soft_limit(quiet), quiet)


def test_peaks_stay_in_order_and_within_full_scale() -> None:
    loud = np.linspace(-1.4, 1.4, 2_801, dtype=np.float32)
    limited = soft_limit(loud)
    assert np.abs(limited).max() < 1.0
    assert (np.diff(limited) > 0).all()
    assert np.diff(limited).max() <= 0.00101  # no jump at the knee


def test_chunks_come_out_as_the_whole() -> None:
    samples = np.random.default_rng(3).normal(0, 0.6, 5_000).astype(np.float32)
    parts = [soft_limit(samples[start : start + 77]) for start in range(0, 5_000, 77)]
    assert np.array_equal(np.concatenate(parts), soft_limit(samples))

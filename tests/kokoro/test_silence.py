"""Trimmed in pieces or whole, an utterance comes out the same at its beginning."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from speech.kokoro.silence import Trim, is_quiet, trim

RATE_HZ = 24_000


def utterance(before_s: float, speech_s: float, after_s: float) -> np.ndarray:
    parts = [(before_s, 0.0), (speech_s, 0.2), (after_s, 0.0)]
    return np.concatenate([np.full(round(s * RATE_HZ), v, np.float32) for s, v in parts])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(0.02, 0.5), min_size=1, max_size=6), st.floats(0.0, 0.5))
def test_pieces_give_what_the_whole_gives(cuts: list[float], before_s: float) -> None:
    audio = utterance(before_s, 0.7, 0.6)
    whole = trim(audio, "a.", RATE_HZ)
    pieces = np.split(audio, np.cumsum([round(cut * RATE_HZ) for cut in cuts]))
    pieces = [piece for piece in pieces if len(piece)]
    cutter = Trim("a.", RATE_HZ)
    out = [
        cutter.feed(piece, is_last=number + 1 == len(pieces)) for number, piece in enumerate(pieces)
    ]
    joined = np.concatenate(out)
    spoken = np.flatnonzero(whole)[-1] + 1
    np.testing.assert_array_equal(joined[:spoken], whole[:spoken])
    assert cutter.lead == max(0, round(before_s * RATE_HZ) - round(0.03 * RATE_HZ))


@pytest.mark.parametrize("pieces", [1, 2, 5])
def test_silence_alone_raises_nothing_and_keeps_no_more_than_a_pause(pieces: int) -> None:
    cutter = Trim("a.", RATE_HZ)
    audio = np.zeros(RATE_HZ, np.float32)
    out = [
        cutter.feed(part, is_last=number + 1 == pieces)
        for number, part in enumerate(np.array_split(audio, pieces))
    ]
    assert sum(map(len, out)) <= 0.3 * RATE_HZ


def test_a_pause_that_was_not_computed_is_silence() -> None:
    audio = utterance(0.1, 0.5, 0.1)
    assert len(trim(audio, "a.", RATE_HZ)) == pytest.approx((0.03 + 0.5 + 0.3) * RATE_HZ, abs=2)


def test_sound_that_has_not_died_away_is_not_followed_by_silence() -> None:
    audio = utterance(0.0, 0.5, 0.01)
    assert not is_quiet(audio)
    assert len(trim(audio, "a.", RATE_HZ)) == len(audio)


def test_inside_a_unit_both_sides_stay() -> None:
    audio = utterance(0.4, 0.3, 0.6)
    inside = Trim("a,", RATE_HZ, cuts_lead=False, cuts_end=False)
    np.testing.assert_array_equal(inside.feed(audio, is_last=True), audio)

"""Trimmed in pieces or whole, an utterance comes out the same at its beginning."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from speech.kokoro.silence import Trim, trim

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

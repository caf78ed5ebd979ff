"""Words are timed by the durations the network predicted, apart from each other and in order."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from speech.errors import EngineError
from speech.kokoro.phoneme_match import NOWHERE
from speech.kokoro.word_times import (
    SAMPLES_PER_STEP,
    PieceWords,
    WordPlace,
    leading_silence,
    trailing_silence,
)

EARLY = 840
PIECE = PieceWords("ab cd. ", (WordPlace("ab", 0, 1), WordPlace("cd", 3, 4)))
DURATIONS = np.array([14, 2, 3, 1, 2, 12, 6, 1, 2])
TOTAL = int(DURATIONS.sum()) * SAMPLES_PER_STEP


def test_words_begin_with_their_first_phoneme_and_end_before_the_pause() -> None:
    first, second = PIECE.times(DURATIONS, begin=0, lead=0, length=TOTAL)
    assert (first.text, first.start, first.end) == ("ab", 14 * 600 - EARLY, 19 * 600 - EARLY)
    assert (second.start, second.end) == (20 * 600 - EARLY, 22 * 600 + 3_600 - EARLY)


def test_times_count_from_the_units_first_sample() -> None:
    plain = PIECE.times(DURATIONS, begin=0, lead=0, length=TOTAL)
    moved = PIECE.times(DURATIONS, begin=50_000, lead=7_000, length=TOTAL - 7_000)
    assert [w.start - p.start for w, p in zip(moved, plain, strict=True)] == [43_000, 43_000]


def test_a_word_without_a_place_shares_its_neighbours_time() -> None:
    lost = WordPlace("lost", NOWHERE, NOWHERE)
    ab, cd = PIECE.places
    plain = PIECE.times(DURATIONS, begin=0, lead=0, length=TOTAL)
    words = PieceWords(PIECE.phonemes, (lost, ab, lost, cd)).times(
        DURATIONS, begin=0, lead=0, length=TOTAL
    )
    assert [word.text for word in words] == ["lost", "ab", "lost", "cd"]
    assert (words[0].start, words[2].end) == (plain[0].start, plain[0].end)
    assert words[3] == plain[1]
    only = PieceWords("ab", (lost,)).times(np.array([1, 1, 1, 1]), begin=0, lead=0, length=2_400)
    assert (only[0].start, only[0].end) == (0, 1_800)


def test_other_phonemes_than_the_durations_are_a_mistake() -> None:
    with pytest.raises(EngineError, match="9 durations for 2 phonemes"):
        PieceWords("ab", (WordPlace("ab", 0, 1),)).times(DURATIONS, begin=0, lead=0, length=9_000)


@given(st.data())
def test_words_lie_in_what_is_delivered_and_never_overlap(data: st.DataObject) -> None:
    lengths = data.draw(st.lists(st.integers(1, 6), min_size=1, max_size=20))
    phonemes = " ".join("a" * length for length in lengths)
    places, at = [], 0
    for number, length in enumerate(lengths):
        known = data.draw(st.booleans())
        first, last = (at, at + length - 1) if known else (NOWHERE, NOWHERE)
        places.append(WordPlace(str(number), first, last))
        at += length + 1
    steps = st.integers(1, 30)
    durations = np.array([data.draw(steps) for _ in range(len(phonemes) + 2)])
    total = int(durations.sum()) * SAMPLES_PER_STEP
    lead = data.draw(st.integers(0, total))
    length, begin = data.draw(st.integers(0, total - lead)), data.draw(st.integers(0, 10**6))
    words = PieceWords(phonemes, tuple(places)).times(
        durations, begin=begin, lead=lead, length=length
    )
    if length >= 2 * len(places):
        assert [word.text for word in words] == [place.text for place in places]
    assert all(begin <= word.start < word.end <= begin + length for word in words)
    assert all(before.end <= after.start for before, after in pairwise(words))


def test_silence_before_the_first_sound() -> None:
    assert leading_silence(DURATIONS, 1.0) == 14 * 600 - 3_600
    assert leading_silence(DURATIONS, 1.7) == leading_silence(DURATIONS, 1.0)
    assert leading_silence(np.array([28, 1, 1]), 0.5) == leading_silence(DURATIONS, 1.0)
    assert leading_silence(np.array([2, 1, 1]), 1.0) == 0


def test_silence_after_the_last_sound() -> None:
    assert trailing_silence("ab cd. ", DURATIONS) == TOTAL - 22 * 600 - 7_200
    assert trailing_silence("ab", np.array([9, 1, 1, 1])) == 0
    assert trailing_silence("...", np.array([9, 1, 1, 1, 1])) == 13 * 600

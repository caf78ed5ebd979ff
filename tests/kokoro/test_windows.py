"""What the network is shown of a unit at a time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from speech.kokoro.streaming import Utterance
from speech.kokoro.windows import ALONE, LONGEST, Window, passage, windows

CLAUSE = "ðə tɹˈeɪn lˈiːvz æt nˈaɪn, "
WORD = "tɹˈeɪn "

phonemes = st.lists(
    st.sampled_from(["ə", "tɹˈeɪn", "lˈiːvz", ", ", ". ", " ", "—", "; ", "3", "e.g. "]),
    max_size=200,
).map("".join)


@given(phonemes)
def test_the_windows_are_the_unit_in_order(text: str) -> None:
    assert "".join(window.phonemes for window in windows(text)) == text


@given(phonemes)
def test_no_window_is_empty_or_longer_than_the_network_takes(text: str) -> None:
    assert all(window.phonemes and len(window.shown) <= LONGEST for window in windows(text))


@given(phonemes)
def test_the_context_is_what_stands_there(text: str) -> None:
    start = 0
    for window in windows(text):
        stop = start + len(window.phonemes)
        assert text[:start].endswith(window.before)
        assert text[stop:].startswith(window.after)
        start = stop


@given(st.integers(0, 3_000))
def test_a_unit_without_a_space_is_cut_and_nothing_lost(length: int) -> None:
    text = "a" * length
    parts = windows(text)
    assert "".join(window.phonemes for window in parts) == text
    assert all(len(window.shown) <= LONGEST for window in parts)


def test_a_short_unit_is_shown_whole() -> None:
    text = (CLAUSE * 9)[:ALONE]
    assert windows(text) == [Window(text)]
    assert windows("") == []


def test_a_long_unit_without_marks_is_shown_whole() -> None:
    text = (WORD * 60).strip()
    assert windows(text) == [Window(text)]


def test_beyond_what_the_network_takes_it_is_cut_between_words() -> None:
    parts = windows((WORD * 150).strip())
    assert len(parts) > 1
    assert all(window.phonemes.startswith("t") for window in parts)


def test_the_first_window_is_short_and_later_ones_grow() -> None:
    parts = windows((CLAUSE * 18).strip())
    lengths = [len(window.phonemes) for window in parts]
    assert lengths[0] <= 60 < lengths[1] < lengths[2]
    assert all(window.phonemes.endswith(", ") for window in parts[:-1])


def test_the_first_window_may_be_longer_where_no_mark_comes_sooner() -> None:
    first = WORD * 15 + ", "
    assert windows(first + WORD * 10)[0].phonemes == first


def test_context_is_whole_words() -> None:
    first, second = windows((CLAUSE * 6).strip())[:2]
    assert first.before == ""
    assert all(word in CLAUSE for word in first.after.split())
    assert second.before.startswith("ðə") or second.before.split()[0] in CLAUSE


@pytest.mark.parametrize("mark", ["; ", ": ", ", ", ". ", "! ", "? ", "… ", "— ", ".” "])
def test_marks_that_make_a_pause_may_end_a_window(mark: str) -> None:
    first = WORD * 7 + mark.strip() + " "
    assert windows(first + WORD * 12)[0].phonemes == first


def test_a_passage_is_the_part_of_the_utterance_between_the_contexts() -> None:
    window = Window("cd", before="ab", after="e")
    durations = np.array([10, 1, 2, 3, 4, 5, 20])
    spoken = passage(Utterance(2 * 45, durations, None), window)
    assert (spoken.first, spoken.stop, spoken.frames) == (2 * 13, 2 * 20, 14)
    assert spoken.durations.tolist() == [0, 3, 4, 0]
    assert durations[0] == 10


def test_a_window_without_context_is_the_whole_utterance() -> None:
    durations = np.array([10, 1, 2, 20])
    spoken = passage(Utterance(66, durations, None), Window("ab"))
    assert (spoken.first, spoken.stop) == (0, 66)
    assert spoken.durations is durations


def test_the_ends_of_a_unit_keep_their_padding() -> None:
    durations = np.array([10, 1, 2, 20])
    head = passage(Utterance(66, durations, None), Window("a", after="b"))
    tail = passage(Utterance(66, durations, None), Window("b", before="a"))
    assert (head.first, head.stop, head.durations.tolist()) == (0, 22, [10, 1, 0])
    assert (tail.first, tail.stop, tail.durations.tolist()) == (22, 66, [0, 2, 20])

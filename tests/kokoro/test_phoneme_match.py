"""A phoneme string is found in another of the same text, in order, its likeliest way."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from speech.kokoro.phoneme_match import NOWHERE, WILDCARD, is_sound, match

phonemes = st.text("aɪʌptkˈː .,", max_size=30)


@pytest.mark.parametrize(
    ("actual", "expected", "places"),
    [
        ("ab", "ab", [0, 1]),
        ("ʌvðə", "ʌv ðə", [0, 1, 3, 4]),
        ("tʊ", "tuː", [0, 1]),
        ("a ænd b", f"a {WILDCARD} b", [0, 1, 2, 2, 2, 3, 4]),
        ("a b", f"a {WILDCARD} b", [0, 1, 4]),
        ("ˈɪn", "ɪn", [NOWHERE, 0, 1]),
        ("", "ab", []),
        ("ab", "", [NOWHERE, NOWHERE]),
    ],
)
def test_places(actual: str, expected: str, places: list[int]) -> None:
    found = match(actual, expected, to_end=True)
    # Which of two spaces around nothing is kept does not matter.
    assert [place for place, symbol in zip(found, actual, strict=True) if symbol != " "] == [
        place for place, symbol in zip(places, actual, strict=True) if symbol != " "
    ]


def test_a_beginning_is_not_spread_over_the_rest() -> None:
    assert match("pɪt", "pɪt kat t", to_end=False) == [0, 1, 2]


@given(phonemes, phonemes, st.booleans())
def test_places_never_fall_back(actual: str, expected: str, to_end: bool) -> None:
    places = match(actual, expected, to_end=to_end)
    assert len(places) == len(actual)
    known = [place for place in places if place != NOWHERE]
    assert known == sorted(set(known))
    assert all(place < len(expected) for place in known)


@given(phonemes)
def test_a_string_matches_itself(text: str) -> None:
    assert match(text, text, to_end=True) == list(range(len(text)))


def test_marks_and_white_space_are_no_sounds() -> None:
    assert [symbol for symbol in "ˈa, b.—“ː" if is_sound(symbol)] == ["ˈ", "a", "b", "ː"]

"""Whisper's spelling of a number or a mark is no word error of the voice."""

from __future__ import annotations

import pytest

from bench.tts.words import number_words, plain_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ""),
        ("Hello, World!", "hello world"),
        ("don’t stop", "don't stop"),
        ("It is 9:30.", "it is nine thirty"),
        ("20 runners", "twenty runners"),
        ("the 2nd floor", "the second floor"),
        ("the 1st, 3rd and 20th", "the first third and twentieth"),
        ("in the 31st year", "in the thirty first year"),
        ("1,203 sheep", "one thousand two hundred three sheep"),
        ("1,2 and 3", "one two and three"),
        ("twenty-one", "twenty one"),
    ],
)
def test_plain_words(text: str, words: str) -> None:
    assert plain_words(text) == words.split()


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (0, "zero"),
        (19, "nineteen"),
        (40, "forty"),
        (99, "ninety nine"),
        (100, "one hundred"),
        (999_999, "nine hundred ninety nine thousand nine hundred ninety nine"),
        (1_000_000, "one zero zero zero zero zero zero"),
    ],
)
def test_number_words(number: int, words: str) -> None:
    assert number_words(number) == words.split()

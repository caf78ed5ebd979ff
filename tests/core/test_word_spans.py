"""The pieces handed out for spoken words, joined, are the written text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from speech.word_spans import WordSpans


@pytest.mark.parametrize(
    ("text", "words", "pieces"),
    [
        ("Hello there.", ["Hello", "there"], ["Hello ", "there."]),
        ("“Yes,” she said!", ["Yes", "she", "said"], ["“Yes,” ", "she ", "said!"]),
        ("It costs $5.20 today", ["$5.20", "today"], ["It costs $5.20 ", "today"]),
        ("a b", ["zebra", "b"], ["", "a b"]),
        ("well-known facts", ["well", "known", "facts"], ["well-", "known ", "facts"]),
        ("", ["x"], [""]),
    ],
)
def test_pieces(text: str, words: list[str], pieces: list[str]) -> None:
    spans = WordSpans(text)
    assert [spans.take(word) for word in words] == pieces


@given(st.text(), st.lists(st.text(max_size=5)))
def test_nothing_is_lost_whatever_the_words(text: str, words: list[str]) -> None:
    spans = WordSpans(text)
    taken = "".join(spans.take(word) for word in words)
    assert taken + spans.rest() == text
    assert spans.rest() == ""


@given(st.text())
def test_the_words_of_a_text_take_all_of_it(text: str) -> None:
    spans = WordSpans(text)
    taken = "".join(spans.take(word) for word in text.split())
    assert (taken + spans.rest()).split() == text.split()

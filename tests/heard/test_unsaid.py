"""What was not heard of an answer is the rest of it, however it is spaced."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from speech.heard.unsaid import Answer, rest_of, shortened

WORDS = st.lists(st.text("abc.é", min_size=1, max_size=4), max_size=8)


@pytest.mark.parametrize(
    ("written", "heard", "rest"),
    [
        ("One two three.", "One ", "two three."),
        ("One two three.", "One two three. ", ""),
        ("One two three.", "", "One two three."),
        ("One. Two.", "One.\n\nTw", "o."),
        ("One.  Two.", "One. ", "Two."),
        ("", "", ""),
        ("One", "One two", ""),
    ],
)
def test_table(written: str, heard: str, rest: str) -> None:
    assert rest_of(written, heard) == rest


@given(WORDS, st.integers(0, 8), st.sampled_from([" ", "  ", "\n"]))
def test_heard_and_rest_make_the_whole(words: list[str], heard: int, gap: str) -> None:
    rest = rest_of(" ".join(words), gap.join(words[:heard]))
    assert rest.split() == words[heard:]


@pytest.mark.parametrize(
    ("text", "most", "short"),
    [("One two.", 8, "One two."), ("One two.", 6, "One…"), ("Onetwo.", 4, "One…")],
)
def test_a_long_rest_ends_with_a_word(text: str, most: int, short: str) -> None:
    assert shortened(text, most) == short


UNITS = ["One two.", "Three four.", "Five six."]


@pytest.mark.parametrize(
    ("heard", "rest"),
    [
        ({0: "One "}, "two. Three four. Five six."),
        ({0: "One two. ", 1: " "}, "Three four. Five six."),
        ({1: "Three "}, "four. Five six."),  # the first one failed
        ({0: "One two. ", 2: "Five "}, "six."),  # the second one was left out
        ({0: "One two. ", 7: "Sorry."}, "Three four. Five six."),  # said in place of one
        ({2: "Five six."}, ""),
        ({0: " "}, ""),
        ({}, ""),
    ],
)
def test_a_unit_that_was_not_said_takes_nothing_from_the_others(
    heard: dict[int, str], rest: str
) -> None:
    answer = Answer()
    for number, text in enumerate(UNITS):
        answer.write(number, text)
    for number, text in heard.items():
        answer.hear(number, text)
    assert answer.rest == rest

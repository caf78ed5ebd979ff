"""Energy and scores decide whether somebody spoke; no phrase is ever blamed for itself."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from speech.hearing.judgement import (
    compression_ratio,
    cut_loops,
    has_words,
    is_audible,
    loudest_dbfs,
    sayable,
)
from speech.hearing.recogniser import Transcript
from tests.hearing.sounds import RATE_HZ, click, prompt, silence, speech_at, white

PHRASE = "Thank you for watching!"


@pytest.mark.parametrize(
    ("transcript", "expected"),
    [
        (Transcript(PHRASE, 0.9), False),
        (Transcript(PHRASE, 0.02), True),
        (Transcript("Thank you.", 0.02, -0.1), True),
        (Transcript("Thank you."), True),  # an endpoint without scores
        (Transcript("...", 0.02), False),
        (Transcript("", 0.02), False),
        (Transcript("7", 0.1), True),
        (Transcript("是的", 0.1), True),
    ],
)
def test_words(transcript: Transcript, expected: bool) -> None:
    assert has_words(transcript) is expected


@pytest.mark.parametrize(
    ("text", "seconds", "kept"),
    [
        ("Hello there.", 0.0, "Hello there."),
        ("word " * 200_000, 1.0, "word " * 19 + "word"),
        ("x" * 200_000, 1.0, "x" * 600),
        ("a " + "x" * 200_000, 1.0, "a"),
        ("", 1.0, ""),
    ],
)
def test_no_more_is_taken_than_can_be_said_in_the_time(
    text: str, seconds: float, kept: str
) -> None:
    assert sayable(text, seconds) == kept


@given(st.text(), st.floats(0, 60))
def test_a_transcript_is_kept_from_its_start(text: str, seconds: float) -> None:
    kept = sayable(text, seconds)
    assert text.startswith(kept)
    assert kept == text or len(kept) > 0


def test_energy() -> None:
    assert loudest_dbfs(silence(1), RATE_HZ) == -120
    assert loudest_dbfs(silence(0), RATE_HZ) == -120
    assert loudest_dbfs(np.full(1600, 32767, np.int16), RATE_HZ) == pytest.approx(0, abs=0.01)
    assert not is_audible(silence(1), RATE_HZ)
    assert not is_audible(white(1, -60), RATE_HZ)
    assert is_audible(click(), RATE_HZ)
    assert is_audible(white(1, -40), RATE_HZ)


@pytest.mark.parametrize("dbfs", [-20, -30, -40, -50])
def test_quiet_speech_is_audible(dbfs: float) -> None:
    assert is_audible(speech_at(prompt("hello-world"), dbfs), RATE_HZ)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("no, no, no", "no, no, no"),
        ("bye bye", "bye bye"),
        ("message " * 40, "message"),
        ("Location. " * 12, "Location."),
        ("Call me. " + "I will be back. " * 15 + "I will", "Call me. I will be back."),
        ("", ""),
    ],
)
def test_loops_are_cut(text: str, expected: str) -> None:
    assert cut_loops(text) == expected


@given(st.text(alphabet="abcd ", max_size=200))
def test_cutting_invents_nothing_and_ends(text: str) -> None:
    words = cut_loops(text).split()
    assert set(words) <= set(text.split())
    assert len(words) <= len(text.split())
    if compression_ratio(text) <= 2.4:
        assert cut_loops(text) == text

"""Guards: a false interruption never leaves silence, and never asks for the answer for ever."""

from __future__ import annotations

import pytest

from speech.barge_in.decision import Action, Why
from speech.barge_in.events import Kind
from tests.barge_in.bench import Bench


def falsely_cut() -> Bench:
    b = Bench()
    b.play(0)
    b.voice(1000, 2000)
    assert b.done == ["duck R1", "cut R1"]
    return b


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", Why.NOTHING_SAID),
        ("[coughing]", Why.NOTHING_SAID),
        ("Yeah, okay, right.", Why.BACKCHANNEL),
        ("our shop opens at nine", Why.ECHO),
    ],
)
def test_asked_again_when_nothing_was_said(text: str, why: Why) -> None:
    b = falsely_cut()
    b.words(2500, text)
    assert b.done[2:] == ["ask_again R1"]
    assert b.log[-2].why is why
    assert b.log[-1].drop_words


def test_asked_again_when_no_words_come() -> None:
    b = falsely_cut()
    b.settle()
    assert b.done[2:] == ["ask_again R1"]
    assert b.at(Action.ASK_AGAIN) == [3500]


@pytest.mark.parametrize("text", ["", "mm-hm", None])
def test_asked_again_when_partial_words_that_cut_come_to_nothing(text: str | None) -> None:
    b = Bench()
    b.play(0)
    b.voice(1000, 1400)
    b.words(1400, "what about the", final=False)
    assert b.done == ["duck R1", "cut R1"]
    if text is not None:
        b.words(2000, text)
        assert b.log[-1].drop_words
    b.settle()
    assert b.done[2:] == ["ask_again R1"]


def test_partial_words_that_were_meant_are_not_asked_about() -> None:
    b = Bench()
    b.play(0)
    b.voice(1000, 1400)
    b.words(1400, "what about the", final=False)
    b.words(2000, "What about the price?")
    b.settle()
    assert b.done == ["duck R1", "cut R1"]


def test_not_asked_again_when_something_was_said() -> None:
    b = falsely_cut()
    b.words(2500, "and the price?")
    b.settle()
    assert b.done[2:] == []


def test_not_asked_again_when_somebody_answers() -> None:
    b = falsely_cut()
    b.reply(2500, "R2")
    b.settle()
    assert b.done[2:] == []


def test_asked_again_once_until_the_user_says_something() -> None:
    b = falsely_cut()
    b.words(2500, "")
    b.reply(2600, "R2")
    b.voice(3000, 4000)
    b.words(4500, "")
    b.settle()
    assert b.done[2:] == ["ask_again R1", "duck R2", "cut R2"]
    b.words(9000, "hello?")
    b.reply(9100, "R3")
    b.voice(9500, 10500)
    b.settle()
    assert b.done[-1] == "ask_again R3"


def test_a_stuck_detector_does_not_keep_the_bot_silent() -> None:
    b = Bench()
    b.play(0)
    b.voice(1000, 40_000)
    assert b.done == ["duck R1", "cut R1", "ask_again R1"]


def test_a_stop_is_meant() -> None:
    b = Bench()
    b.play(0)
    b.stop(1000)
    b.settle()
    assert b.done == ["cut R1"]


def test_a_filler_that_is_cut_alone_is_no_answer() -> None:
    b = Bench()
    b.reply(0, "F", Kind.FILLER)
    b.play(10, "F", text="One moment.")
    b.voice(100, 1500)
    b.settle()
    assert b.done == ["duck F", "cut F"]


@pytest.mark.parametrize("offset_ms", [50, 200, 400, 700])
def test_c09_a_cough_between_question_and_answer(offset_ms: int) -> None:
    b = Bench()
    b.words(0, "What time is it?")
    b.reply(1)
    b.voice(offset_ms, offset_ms + 250)
    b.settle()
    assert b.done == ["duck R1", "resume R1"]
    assert b.at(Action.RESUME)[0] <= offset_ms + 3000


def test_a_lost_answer_is_asked_for_again_at_once_when_all_is_calm() -> None:
    b = Bench()
    b.reply(0)
    b.end(3000, lost=True)
    assert b.done == ["ask_again R1"]


def test_a_lost_answer_waits_for_the_words_of_a_user_who_spoke() -> None:
    b = Bench()
    b.reply(0)
    b.voice(200, 450)
    b.end(500, lost=True)
    assert b.done == ["duck R1", "resume R1"]
    b.settle()
    assert b.done[2:] == ["ask_again R1"]
    assert b.at(Action.ASK_AGAIN) == [2000]

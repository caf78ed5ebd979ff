"""Guards: what must be heard is heard to its end, and what was said meanwhile is not lost."""

from __future__ import annotations

from speech.barge_in.decision import Action, Why
from speech.barge_in.events import Kind, Voice
from tests.barge_in.bench import Bench

LEGAL = "This call may be recorded."


def legal() -> Bench:
    b = Bench()
    b.reply(0)
    b.play(100, text=LEGAL, interruptible=False)
    return b


def test_neither_voice_nor_words_nor_key_touch_it() -> None:
    b = legal()
    b.voice(500, 2500)
    b.words(3000, "stop it")
    b.key(3100, True)
    b.settle()
    assert b.done == []
    assert Why.UNINTERRUPTIBLE in b.whys


def test_a_stop_does() -> None:
    b = legal()
    b.stop(500)
    assert b.done == ["cut R1"]


def test_words_said_meanwhile_cut_what_follows() -> None:
    b = legal()
    b.words(1000, "what does it cost")
    b.play(3000)
    assert b.done == ["cut R1"]
    assert b.whys[-1] is Why.OWED


def test_a_voice_that_goes_on_cuts_what_follows() -> None:
    b = legal()
    for ms in range(1000, 3000, 20):
        b.take(Voice(ms / 1000, 0.9))
    b.play(3000)
    b.voice(3000, 4000)
    assert b.done == ["duck R1", "cut R1"]
    assert b.at(Action.CUT) == [3740]


def test_listening_meanwhile_cuts_nothing() -> None:
    b = legal()
    b.voice(1000, 1300)
    b.words(1600, "okay")
    b.play(3000)
    b.settle()
    assert b.done == []


def test_an_answer_to_what_was_said_meanwhile_is_not_cut_for_it() -> None:
    b = legal()
    b.words(1000, "what does it cost")
    b.reply(1500, "R2")
    b.end(3000)
    b.play(3100, "R2", text="It is five.")
    assert b.done == []


def test_what_is_ducked_goes_on_when_it_comes_to_an_uninterruptible_unit() -> None:
    b = Bench()
    b.play(0)
    b.voice(1000, 1100)
    b.play(1150, text=LEGAL, interruptible=False)
    assert b.done == ["duck R1", "resume R1"]


def test_a_goodbye_that_waits_survives_the_cut() -> None:
    b = Bench()
    b.play(0)
    b.reply(10, "bye", Kind.NOTICE, interruptible=False)
    b.words(1000, "wait a moment")
    assert b.done == ["cut R1"]
    b.play(1200, "bye", text="Goodbye, take care.", interruptible=False)
    b.words(1500, "one more thing")
    assert b.done == ["cut R1"]

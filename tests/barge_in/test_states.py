"""Guards: a cut and a duck come out right in every state of a reply, and of the conversation."""

from __future__ import annotations

from speech.barge_in.decision import Why
from speech.barge_in.events import Kind
from tests.barge_in.bench import Bench, playing


def test_twice_within_50_ms() -> None:
    b = playing()
    b.voice(2000, 2080)
    b.voice(2100, 2180)
    b.settle()
    assert b.done == ["duck R1", "resume R1"]
    b.words(3000, "stop")
    b.words(3030, "stop it now")
    b.stop(3050)
    assert b.done[2:] == ["cut R1"]


def test_between_units() -> None:
    b = playing()
    b.play(2000)
    b.voice(2010, 2110)
    b.play(2200)
    b.settle()
    assert b.done == ["duck R1", "resume R1"]


def test_after_the_last_write_nothing_stays_ducked() -> None:
    b = playing()
    b.voice(2000, 2100)
    b.end(2120)
    assert b.done == ["duck R1", "resume R1"]
    assert b.log[-1].why is Why.OVER
    b.words(2500, "mm-hm")
    assert not b.log[-1].drop_words, "nothing plays: the conversation decides"


def test_nothing_to_interrupt() -> None:
    b = Bench()
    b.voice(0, 2000)
    b.words(2500, "Hello there.")
    b.settle()
    assert b.done == []
    assert b.whys == [Why.NOTHING_PLAYS]


def test_every_live_reply_is_cut() -> None:
    b = Bench()
    b.reply(0, "F", Kind.FILLER)
    b.reply(10, "R1")
    b.play(100, "F", text="One moment.")
    b.words(2000, "never mind")
    assert b.done == ["cut F", "cut R1"]


def test_the_answer_ducks_while_the_filler_played() -> None:
    b = Bench()
    b.reply(0, "F", Kind.FILLER)
    b.reply(10, "R1")
    b.play(100, "F", text="One moment.")
    b.voice(300, 400)
    b.end(450, "F")
    b.settle()
    assert b.done == ["duck F", "resume F"]


def test_a_greeting_is_cut_and_not_asked_for_again() -> None:
    b = Bench()
    b.reply(0, "G", Kind.GREETING)
    b.play(100, "G", text="Welcome to the shop.")
    b.voice(300, 1500)
    b.words(2000, "")
    b.settle()
    assert b.done == ["duck G", "cut G"]


def test_shutdown_cuts_all_and_ends() -> None:
    b = playing()
    b.reply(600, "bye", Kind.NOTICE, interruptible=False)
    b.voice(2000, 2100)
    b.stop(2200, shutdown=True)
    assert b.done == ["duck R1", "cut R1", "cut bye"]
    b.play(2300)
    b.voice(2400, 4000)
    b.words(5000, "hello")
    assert len(b.log) == 3
    assert b.policy.deadline is None


def test_late_events_of_a_dead_reply_are_dropped_and_counted() -> None:
    b = playing()
    b.stop(1000)
    b.play(1100)
    b.reply(1150)
    b.end(1200)
    b.voice(1300, 2500)
    assert b.done == ["cut R1"]
    assert b.policy.replies.dropped == {"playing": 1, "reply": 1, "ended": 1}


def test_held_or_still_being_made_it_is_ducked_and_cut_like_any_other() -> None:
    """Before the first sound, while a tool runs or the evidence gate holds: it is under way."""
    b = Bench()
    b.reply(0)
    b.voice(100, 1200)
    b.settle()
    assert b.done == ["duck R1", "cut R1", "ask_again R1"]

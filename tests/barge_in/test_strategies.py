"""Guards: push-to-talk, always-let-speak and never are policies too."""

from __future__ import annotations

from speech.barge_in.config import BargeInConfig
from speech.barge_in.decision import Action, Why
from speech.barge_in.rules import Strategy, always_let_speak, never, push_to_talk
from tests.barge_in.bench import UNPROTECTED, Bench


def playing(strategy: Strategy, config: BargeInConfig = UNPROTECTED) -> Bench:
    b = Bench(config, strategy)
    b.play(0)
    return b


def test_with_the_key_up_nothing_counts() -> None:
    b = playing(push_to_talk(UNPROTECTED))
    b.voice(1000, 3000)
    b.words(3500, "stop talking")
    b.settle()
    assert b.done == []
    assert (b.whys, b.dropped()) == ([Why.KEY_UP], [True])


def test_the_key_cuts_at_once_also_under_protection() -> None:
    b = playing(push_to_talk(UNPROTECTED), BargeInConfig())
    b.key(1000, True)
    assert b.at(Action.CUT) == [1000]


def test_words_of_the_held_key_are_a_turn() -> None:
    b = playing(push_to_talk(UNPROTECTED))
    b.key(1000, True)
    b.voice(1100, 14_000)
    b.key(14_000, False)
    b.words(14_700, "and the price")
    b.settle()
    assert b.done == ["cut R1"]
    assert not any(b.dropped())


def test_what_is_said_with_the_key_is_said_on_purpose() -> None:
    b = playing(push_to_talk(UNPROTECTED))
    b.key(1000, True)
    b.voice(1100, 1400)
    b.key(1500, False)
    b.words(2000, "Okay.", logprob=-1.0)
    b.settle()
    assert b.done == ["cut R1"]
    assert not any(b.dropped())


def test_words_of_the_held_key_cut_an_answer_that_began_meanwhile() -> None:
    """The first half was taken for all of it."""
    b = playing(push_to_talk(UNPROTECTED))
    b.key(1000, True)
    b.words(2000, "what time is it")
    b.reply(2100, "R2")
    b.voice(2500, 3500)
    b.words(4000, "and in Paris?")
    assert b.done == ["cut R1", "cut R2"]


def test_a_key_held_long_in_thought_is_not_taken_for_a_fault() -> None:
    b = playing(push_to_talk(UNPROTECTED))
    b.key(1000, True)
    b.wait(60_000)
    assert b.done == ["cut R1"]


def test_a_key_pressed_by_mistake_costs_no_answer() -> None:
    b = playing(push_to_talk(UNPROTECTED))
    b.key(1000, True)
    b.key(1200, False)
    b.settle()
    assert b.done == ["cut R1", "ask_again R1"]
    assert b.at(Action.ASK_AGAIN) == [2700]


def test_a_key_that_repeats_is_one_press() -> None:
    b = playing(push_to_talk(UNPROTECTED))
    b.key(1000, True)
    b.reply(1500, "R2")
    b.key(1600, True)
    assert b.done == ["cut R1"]


def test_the_key_cuts_with_the_other_policies_too() -> None:
    b = playing(always_let_speak(UNPROTECTED))
    b.key(1000, True)
    assert b.done == ["cut R1"]


def test_any_voice_cuts_for_those_who_may_always_speak() -> None:
    b = playing(always_let_speak(UNPROTECTED))
    b.voice(1000, 1200)
    b.words(1500, "mm-hm")
    assert b.done == ["cut R1", "ask_again R1"]
    assert b.at(Action.CUT) == [1020]


def test_never() -> None:
    b = playing(never(UNPROTECTED))
    b.voice(1000, 3000)
    b.words(3500, "stop")
    b.key(3600, True)
    b.settle()
    assert b.done == []
    b.stop(4000)
    assert b.done == ["cut R1"]

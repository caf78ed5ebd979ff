"""Guards: a voice ducks, an interruption cuts, anything else lets the reply go on where it was."""

from __future__ import annotations

import pytest

from speech.barge_in.config import BargeInConfig
from speech.barge_in.decision import Action, Why
from speech.barge_in.events import Kind, Tick, Voice, Words
from tests.barge_in.bench import Bench, playing


def test_ducks_at_the_first_confident_frames() -> None:
    b = playing()
    b.voice(2000, 2100)
    assert b.at(Action.DUCK) == [2020]
    assert b.log[0].why is Why.ONSET


@pytest.mark.parametrize("frames_ms", [10, 20])
def test_a_click_does_not_duck(frames_ms: int) -> None:
    b = playing()
    b.voice(2000, 2000 + frames_ms)
    b.settle()
    assert b.log == []


def test_weak_voice_does_not_begin_a_stretch_but_goes_on_with_it() -> None:
    b = playing()
    b.voice(2000, 3000, speech=0.5)
    assert b.log == []
    for ms in range(4000, 5000, 20):
        b.take(Voice(ms / 1000, 0.9 if ms < 4100 else 0.5))
    assert b.done == ["duck R1", "cut R1"]


def test_speech_cuts_without_words_when_it_is_long_enough() -> None:
    b = playing()
    b.voice(2000, 4000)
    assert b.done == ["duck R1", "cut R1"]
    assert b.at(Action.CUT) == [2800]
    assert b.log[1].why is Why.SPEECH


def test_hesitant_speech_is_not_talked_over_when_the_window_ends() -> None:
    b = playing()
    for start in range(2000, 3400, 200):
        b.voice(start, start + 100)
    assert b.done[:2] == ["duck R1", "cut R1"]
    assert b.log[1].why in (Why.STILL_SPEAKING, Why.SPEECH)


@pytest.mark.parametrize(
    ("length_ms", "why", "resumed_by_ms"),
    [(100, Why.BRIEF, 2300), (280, Why.BRIEF, 2480), (420, Why.NO_WORDS, 3220)],
)
def test_a_cough_resumes(length_ms: int, why: Why, resumed_by_ms: int) -> None:
    b = playing()
    b.voice(2000, 2000 + length_ms)
    b.settle()
    assert b.done == ["duck R1", "resume R1"]
    assert b.log[-1].why is why
    assert b.at(Action.RESUME) == [resumed_by_ms]


@pytest.mark.parametrize("text", ["mm-hm", "uh huh", "yeah", "okay", "Yeah, okay.", ""])
def test_c08_listening_lets_the_reply_go_on_and_is_no_turn(text: str) -> None:
    b = playing()
    b.voice(2000, 2350)
    b.words(2600, text)
    b.settle()
    assert b.done == ["duck R1", "resume R1"]
    assert b.log[-1].drop_words
    assert b.at(Action.RESUME) == [2600]


@pytest.mark.parametrize("text", ["Stop.", "what?", "and the price?", "no"])
def test_short_words_cut_while_ducked(text: str) -> None:
    b = playing()
    b.voice(2000, 2350)
    b.words(2900, text)
    assert b.done == ["duck R1", "cut R1"]
    assert not b.log[-1].drop_words


def test_late_words_cut_a_reply_that_goes_on_already() -> None:
    b = playing()
    b.voice(2000, 2200)
    b.words(3500, "Stop!")
    assert b.done == ["duck R1", "resume R1", "cut R1"]


@pytest.mark.parametrize(
    ("partial", "done"),
    [
        ("and the", ["duck R1", "cut R1"]),
        ("stop", ["duck R1", "cut R1"]),
        ("and", ["duck R1"]),
        ("yeah", ["duck R1"]),
        ("", ["duck R1"]),
    ],
)
def test_partial_words(partial: str, done: list[str]) -> None:
    b = playing()
    b.voice(2000, 2380)
    b.words(2400, partial, final=False)
    assert b.done == done


@pytest.mark.parametrize(
    ("text", "again"), [("mm-hm", True), ("", True), ("our shop opens at nine", False)]
)
def test_words_of_an_earlier_sound_do_not_settle_what_is_said_now(text: str, again: bool) -> None:
    """They come while the user has begun to speak: the bot must not speak over that. An echo
    sounds on while it is transcribed."""
    b = playing()
    b.voice(2000, 2350)
    for ms in range(2880, 2980, 20):
        b.take(Voice(ms / 1000, 0.9))
    b.words(2980, text)
    b.voice(3000, 5000)
    b.words(5700, "What about the price?")
    more = ["duck R1", "cut R1"] if again else ["cut R1"]
    assert b.done == ["duck R1", "resume R1", *more]
    if again:
        assert b.at(Action.CUT)[0] < 4000


def test_a_reply_that_is_passed_over_is_not_ducked_for_ever() -> None:
    b = Bench()
    b.reply(0, kind=Kind.FILLER)
    b.play(100)
    b.voice(2000, 2300)
    b.reply(2350, "R2", kind=Kind.NOTICE)
    b.play(2400, "R2")
    assert b.done == ["duck R1", "resume R1"]


def test_yes_answers_a_question() -> None:
    b = Bench()
    b.play(0, text="Shall I book it?")
    b.voice(1200, 1500)
    b.words(1900, "Yes.")
    assert b.done == ["duck R1", "cut R1"]


def test_yes_still_answers_it_shortly_after_the_next_unit_began() -> None:
    b = Bench()
    b.play(0, text="Shall I book it?")
    b.play(1000, text="It is free.")
    b.words(1900, "Yes.")
    assert b.done == ["cut R1"]
    b = Bench()
    b.play(0, text="Shall I book it?")
    b.play(1000, text="It is free.")
    b.words(4000, "Yes.")
    assert b.done == []


def test_frames_that_are_likely_echo_are_no_voice() -> None:
    b = playing()
    b.voice(2000, 6000, echo=0.8)
    assert b.log == []


def test_an_echo_transcript_is_no_turn() -> None:
    b = playing()
    b.words(2000, "opens at nine every day")
    assert [(d.action, d.why, d.drop_words) for d in b.log] == [(Action.IGNORE, Why.ECHO, True)]


def test_protected_while_echo_cancellation_adapts() -> None:
    b = playing(BargeInConfig(protect_s=3))
    b.voice(1000, 3000)
    assert b.done == []
    assert b.whys == [Why.PROTECTED]


def test_protection_ends_for_a_user_who_still_speaks() -> None:
    b = playing(BargeInConfig(protect_s=3))
    b.voice(1000, 4500)
    assert b.done == ["duck R1", "cut R1"]
    assert b.at(Action.DUCK) == [3500]


def test_words_cut_under_protection() -> None:
    b = playing(BargeInConfig(protect_s=3))
    b.words(1000, "what is the price")
    assert b.done == ["cut R1"]


def test_protection_counts_from_the_first_sound_only() -> None:
    b = Bench(BargeInConfig(protect_s=3))
    b.play(0, "R0")
    b.end(2000, "R0")
    b.play(4000)
    b.voice(5000, 5100)
    assert b.done == ["duck R1"]


def test_before_the_first_sound_nothing_is_protected() -> None:
    b = Bench(BargeInConfig(protect_s=3))
    b.reply(0)
    b.voice(200, 300)
    assert b.done == ["duck R1"]


def test_after_false_alarms_only_words_count_in_this_reply() -> None:
    b = playing()
    for start in range(2000, 6000, 1000):
        b.voice(start, start + 200)
    assert b.done == ["duck R1", "resume R1"] * 3
    assert b.whys[-1] is Why.FALSE_ALARMS
    b.words(6000, "wait a minute")
    assert b.done[-1] == "cut R1"
    b.reply(7000, "R2")
    b.voice(8000, 8100)
    assert b.done[-1] == "duck R2"


def test_a_detector_that_says_on_and_off() -> None:
    b = playing(BargeInConfig(protect_s=0, onset_s=0))
    b.take(Voice(2.0, 1.0))
    assert b.done == ["duck R1"]
    b.wait(4000)
    assert b.at(Action.CUT) == [2800]


@pytest.mark.parametrize(("speech", "ducked_at"), [(0.6, 2_032), (0.85, 2_000)])
def test_the_second_frame_ducks_and_one_that_is_sure_needs_none(
    speech: float, ducked_at: float
) -> None:
    b = playing(BargeInConfig(protect_s=0))
    for ms in (2_000, 2_032, 2_064):
        b.take(Voice(ms / 1000, speech))
    assert b.at(Action.DUCK) == [ducked_at]


def test_a_second_frame_that_is_late_is_not_waited_for() -> None:
    b = playing(BargeInConfig(protect_s=0))
    b.take(Voice(2.0, 0.6))
    b.wait(2_300)
    assert b.at(Action.DUCK) == [2_045]


@pytest.mark.parametrize(
    ("words", "logprob", "voice_ms", "cuts"),
    [
        ("I'm saying.", -1.1, 400, False),  # a hum, as whisper writes it
        ("Tim", -0.5, 400, False),
        ("Tomorrow.", -0.3, 400, True),
        ("Tomorrow.", None, 400, True),  # an endpoint that does not say
        ("Stop it.", -0.8, 400, True),
        ("I'm saying.", -1.1, 1_000, True),
    ],
)
def test_few_words_that_may_be_none_do_not_cut(
    words: str, logprob: float | None, voice_ms: int, cuts: bool
) -> None:
    b = playing()
    b.voice(2_000, 2_000 + voice_ms)
    b.words(2_400 + voice_ms, words, logprob=logprob)
    assert b.policy.replies.is_dead("R1") is cuts
    assert ("resume R1" in b.done) is not cuts
    assert b.dropped()[-1] is not cuts


def test_words_that_may_be_none_are_a_turn_where_nothing_plays() -> None:
    b = Bench()
    b.voice(2_000, 2_400)
    assert [d.drop_words for d in b.words(2_800, "Tim", logprob=-1.2)] == [False]


def test_an_answer_to_a_question_may_be_mumbled() -> None:
    b = Bench()
    b.reply(0)
    b.play(500, text="What is your name?")
    b.voice(2_000, 2_400)
    b.words(2_800, "Tim", logprob=-1.2)
    assert b.done[-1] == "cut R1"


def test_frames_that_come_in_a_burst_keep_their_length() -> None:
    b = playing()
    b.take(Tick(3.0))
    for ms in range(2000, 2900, 20):
        b.policy.take(Voice(ms / 1000, 0.9))
    assert b.policy.replies.is_dead("R1")


def test_what_is_due_when_words_come_is_not_lost_to_them() -> None:
    b = playing()
    for event in (Voice(2.24, 1.0), Words(2.3, "yeah"), Voice(2.5, 0.0)):
        b.log += b.policy.take(event)
    assert b.done == ["duck R1"]
    assert b.at(Action.DUCK) == [2300]


def test_a_click_that_comes_late_is_still_short() -> None:
    b = playing()
    b.take(Tick(3.0))
    b.policy.take(Voice(2.0, 0.9))
    b.policy.take(Voice(2.02, 0.0))
    b.settle()
    assert b.done == []


@pytest.mark.parametrize("protect_s", [0, 3])
def test_without_echo_cancellation_the_reply_is_heard_to_its_end(protect_s: float) -> None:
    """The microphone hears the bot 120 ms later; its voice ends with the bot's."""
    b = playing(BargeInConfig(protect_s=protect_s))
    silent_since = None
    for ms in range(500, 12_000, 20):
        silent_since = (silent_since or ms) if b.policy.ducked else None
        echoes = ms > 620 and (silent_since is None or ms - silent_since < 150)
        b.take(Voice(ms / 1000, 0.95 if echoes else 0.05))
    b.settle()
    assert b.done == ["duck R1", "resume R1"] * (len(b.done) // 2)
    assert len(b.done) <= 6

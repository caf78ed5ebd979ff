"""Guards: a filler bridges only a wait foreseen to be long, varies, and gives way to an answer."""

from __future__ import annotations

import itertools
import random

import pytest

from speech.evidence.actions import Say
from speech.evidence.preamble import Choice
from speech.evidence.waits import WaitTimes
from tests.evidence.bench import Bench


def known(*seconds: float, llm_pass: float = 0.0) -> WaitTimes:
    waits = WaitTimes()
    for second in seconds:
        waits.note_tool("book", second)
    waits.note_pass(llm_pass)
    return waits


def asked(waits: WaitTimes | None = None, *units: str, **rules: object) -> Bench:
    b = Bench(waits, **rules)
    b.start()
    b.call("c1")
    b.say(*units)
    b.end()
    b.log.clear()
    return b


def test_a_wait_foreseen_to_be_long_is_bridged_soon_and_once() -> None:
    b = asked(known(3.0), "Booked.")
    b.wait(0.2)
    assert b.text == ""
    b.wait(0.1)
    assert b.text in ("*Moment.", "*Second.")
    b.gate.bot_started()
    b.gate.bot_stopped()
    b.wait(5)
    assert len(b.log) == 1


def test_a_wait_foreseen_to_be_short_is_bridged_when_it_is_not() -> None:
    b = asked(known(0.4), "Booked.")
    b.wait(1.4)
    assert b.text == ""
    b.wait(0.2)
    assert len(b.log) == 1


def test_an_unknown_tool_is_waited_for_first() -> None:
    b = asked(None)
    b.wait(1.4)
    assert b.text == ""
    b.wait(0.2)
    assert len(b.log) == 1


def test_the_models_own_time_counts_where_no_words_wait() -> None:
    assert asked(known(1.0, llm_pass=1.0)).gate.deadline == 100.25
    assert asked(known(1.0, llm_pass=0.2)).gate.deadline == 101.5
    assert asked(known(1.0, llm_pass=1.0), "Booked.").gate.deadline == 100.25
    held = Bench(known(1.0, llm_pass=1.0))
    held.start()
    held.say("Booked.", names=("book",))
    held.call("c1")
    assert held.gate.deadline == 101.5


def test_an_answer_that_comes_first_cancels_it() -> None:
    b = asked(known(3.0), "Booked.")
    b.wait(0.2)
    b.ok("c1")
    b.wait(20)
    assert b.text == "Booked. (end)"


def test_it_is_cancelled_by_the_answer_after_the_tool_and_by_an_interruption() -> None:
    for cut in (True, False):
        b = asked(known(3.0))
        b.wait(0.1)
        b.ok("c1")
        b.do(b.gate.interrupted()) if cut else b.start()
        b.say("Done.")
        b.wait(20)
        assert "*" not in b.text


def test_a_lead_in_has_bridged_the_wait_already() -> None:
    b = Bench(known(3.0))
    b.start()
    b.say("Let me check.")
    b.call("c1")
    b.end()
    b.wait(7)
    assert b.text == "(start) Let me check. (end)"


def test_an_acknowledgement_has_not() -> None:
    b = Bench(known(3.0))
    b.start()
    b.call("c1")
    b.say("Sure.")
    b.gate.bot_started()
    b.gate.bot_stopped()
    b.wait(1)
    assert b.log[-1] in ("*Moment.", "*Second.")


def test_it_waits_for_what_is_being_said() -> None:
    b = Bench(known(6.0))
    b.start()
    b.say("What a good idea.")
    b.gate.bot_started()
    b.call("c1")
    b.wait(2)
    assert b.text == "(start) What a good idea."
    b.gate.bot_stopped()
    b.wait(0.3)
    assert b.log[-1] in ("*Moment.", "*Second.")


def test_the_last_word_of_an_open_reply_is_followed_by_silence() -> None:
    b = Bench(known(6.0))
    b.start()
    b.say("What a good idea.")
    b.gate.bot_started()
    b.call("c1")
    for word in ("What ", "a ", "good "):
        b.gate.heard(word)
    assert b.gate.deadline is None
    b.gate.heard("idea. ")
    assert b.gate.deadline == b.clock.now + 0.25
    b.clock.now += 0.1
    b.gate.bot_stopped()
    assert b.gate.deadline == pytest.approx(b.clock.now + 0.15)


def test_only_one_policy_has_fillers_and_only_where_there_are_texts() -> None:
    for rules in ({"policy": "hold"}, {"policy": "speak"}, {"preambles": ()}):
        b = asked(known(3.0), **rules)
        b.wait(7)
        assert b.text == ""


def test_never_the_same_twice_in_a_row() -> None:
    choice = Choice(("a", "b", "c", "", "a"), random.Random(2))
    drawn = [choice.next() for _ in range(50)]
    assert all(one != other for one, other in itertools.pairwise(drawn))
    assert set(drawn) == {"a", "b", "c"}
    assert [Choice(("a",), random.Random(2)).next() for _ in range(2)] == ["a", "a"]
    assert Choice((), random.Random(2)).next() == ""


def test_medians_roll() -> None:
    waits = WaitTimes(window=3)
    assert (waits.tools(["a"]), waits.tools([]), waits.llm_pass) == (None, None, 0.0)
    for seconds in (9.0, 9.0, 1.0, 2.0, 3.0):
        waits.note_tool("a", seconds)
        waits.note_pass(seconds)
    assert (waits.tools(["a"]), waits.llm_pass) == (2.0, 2.0)
    assert waits.tools(["a", "b"]) is None
    waits.note_tool("b", 4.0)
    assert waits.tools(["a", "b", "a"]) == 4.0
    for number in range(1_000):
        waits.note_tool(str(number), 1.0)
    assert waits.tools(["999"]) is None


def test_a_reply_that_has_ended_is_not_spoken_into() -> None:
    b = Bench(preamble_after_s=1.0)
    b.start()
    b.say("What a plan!")
    b.call("c1")
    b.end()
    b.gate.bot_started()
    b.gate.bot_stopped()
    b.wait(2)
    (preamble,) = [action for action in b.actions if isinstance(action, Say)]
    assert not preamble.inside, "the voice would wait for the end of a reply that has none"


def test_an_answer_without_words_is_not_waited_for() -> None:
    b = asked(None)
    b.ok("c1")
    b.start()
    b.end()
    b.wait(5)
    assert b.text == "(start) (end)"

"""What a scenario expects is held against what happened, and a failed check says what it saw."""

from __future__ import annotations

from typing import Any

import jiwer
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.scenario.checks import Check, Window, check
from bot.scenario.schema import Scenario
from bot.scenario.turns import read_timeline
from bot.scenario.words import contains, word_error_rate
from speech.timeline import TimelineEvent
from tests.scenario.lines import BARGE_IN, ONE_TURN, timeline


def scenario(*expect: dict[str, Any], whole: tuple[dict[str, Any], ...] = ()) -> Scenario:
    turn = {"text": "What time is it?", "expect": list(expect)}
    return Scenario.model_validate({"name": "x", "turns": [turn], "expect": list(whole)})


WINDOW = Window(start=0.9, anchor=3.0, end=float("inf"), said="What time is it?", number=1)


def judged(
    *expect: dict[str, Any], lines: tuple[str, ...] = ONE_TURN, context: str = ""
) -> list[Check]:
    events = timeline(*lines)
    return check(scenario(*expect), [WINDOW], events, read_timeline(events), context)


@pytest.mark.parametrize(
    ("expected", "passed", "saw"),
    [
        ({"event": "user_text", "text_contains": "WHAT   time"}, True, "What time is it?"),
        ({"event": "user_text", "text_contains": "which time"}, False, "What time is it?"),
        ({"event": "user_text", "text_excludes": "tea"}, True, "What time is it?"),
        ({"event": "user_text", "text_excludes": "time"}, False, "What time is it?"),
        ({"event": "user_text", "wer_max": 0.0}, True, "What time is it? (WER 0.00)"),
        ({"event": "user_text", "wer_max": 0.2, "text": "What's the time?"}, False, "(WER 1.33)"),
        ({"event": "heard_text", "text_contains": "it is nine"}, True, "It is nine."),
        ({"event": "tts_response", "text_contains": ["it is", "nine"]}, True, "It is nine."),
        ({"event": "bot_started", "within_ms": 2000}, True, "+1.92 s"),
        ({"event": "bot_started", "within_ms": 1000}, False, "+1.92 s, 920 ms too late"),
        ({"event": "bot_started", "after": "llm_request", "within_ms": 1400}, True, "+1.92 s"),
        ({"event": "interrupt", "absent": True}, True, "none"),
        ({"event": "bot_started", "absent": True}, False, "bot_started +1.92 s after the user"),
        ({"event": "bot_started", "absent": True, "within_ms": 1000}, True, "none"),
        ({"event": "tool_call"}, False, "no tool_call"),
        ({"from": "user_speech_end", "to": "audible", "max_s": 2.0}, True, "2.000 s"),
        ({"from": "llm_request", "to": "audible", "max_s": 1.0}, False, "1.390 s"),
        ({"from": "llm_request", "to": "audible", "min_s": 2.0}, False, "1.390 s"),
        ({"from": "interrupt", "to": "silent", "max_s": 1}, False, "no turn here has interrupt"),
        ({"turns": 1}, True, "1"),
        ({"turns": 2}, False, "1"),
        ({"interruptions": 0}, True, "0"),
        ({"context_contains": "tea"}, True, "all of it"),
        ({"context_contains": ["tea", "milk"]}, False, "without 'milk'"),
        ({"event": "response", "text_contains": "nine"}, False, "no response"),
    ],
)
def test_one_expectation(expected: dict[str, Any], passed: bool, saw: str) -> None:
    (result,) = judged(expected, context="[{role: user, content: Tea?}]")
    assert result.passed is passed, result
    assert saw in result.saw
    assert result.turn == 1


def test_expectations_are_met_in_order_unless_told_otherwise() -> None:
    late, early = {"event": "bot_stopped"}, {"event": "bot_started"}
    assert [c.passed for c in judged(early, late)] == [True, True]
    assert [c.passed for c in judged(late, early)] == [True, False]
    assert [c.passed for c in judged(late, early | {"check_from": "turn_start"})] == [True, True]


def test_what_was_heard_again_has_no_place_in_the_order() -> None:
    lines = (*ONE_TURN, "5.0 note what=response | It is nine.")
    heard = {"event": "response", "text_contains": "nine"}
    assert [c.passed for c in judged({"event": "bot_stopped"}, heard, lines=lines)] == [True, True]


def test_a_barge_in_is_measured_from_the_decision_to_the_last_audible_sample() -> None:
    cut = {"from": "interrupt", "to": "silent", "max_s": 0.1}
    (first, second) = judged({"interruptions": 1}, cut, lines=BARGE_IN)
    assert first.passed
    assert second.passed
    assert second.saw == "0.040 s"


def test_tool_calls_are_matched_by_name_and_arguments_in_any_order() -> None:
    calls = [
        TimelineEvent("tool_call", 3.7, None, None, {"tool": "timer", "arguments": {"s": 5}}),
        TimelineEvent("tool_call", 3.8, None, None, {"tool": "clock", "arguments": {}}),
    ]
    events = [*timeline(*ONE_TURN), *calls]

    def passes(*wanted: dict[str, Any]) -> bool:
        expected = scenario({"event": "function_call", "calls": list(wanted)})
        return check(expected, [WINDOW], events, read_timeline(events))[0].passed

    assert passes({"name": "clock"}, {"name": "timer", "args": {"s": 5}})
    assert not passes({"name": "timer", "args": {"s": 6}})
    assert not passes({"name": "weather"})


def test_a_turn_that_never_came_fails_all_of_its_expectations() -> None:
    results = check(scenario({"event": "bot_text"}, {"turns": 0}), [], [], read_timeline([]))
    assert [(c.passed, c.saw) for c in results] == [(False, "the run ended before this turn")] * 2


def test_the_whole_runs_expectations_see_every_turn() -> None:
    events = timeline(*BARGE_IN)
    expected = scenario(whole=({"turns": 2}, {"event": "heard_text", "text_excludes": "nine"}))
    assert [c.passed for c in check(expected, [WINDOW], events, read_timeline(events))] == [
        True
    ] * 2


WORDS = st.lists(st.sampled_from(["one", "two", "three", "four"]), min_size=1, max_size=8)


@given(WORDS, WORDS)
def test_the_word_error_rate_is_the_usual_one(wanted: list[str], got: list[str]) -> None:
    ours = word_error_rate(" ".join(wanted), " ".join(got))
    assert ours == pytest.approx(jiwer.wer(" ".join(wanted), " ".join(got)))


def test_case_and_punctuation_are_no_word_errors() -> None:
    assert word_error_rate("The train, at nine!", "the train at NINE") == 0.0
    assert word_error_rate("", "anything") == 1.0
    assert word_error_rate("", "") == 0.0
    assert contains("It’s nine.", "it's nine")
    assert not contains("Nine", "●")

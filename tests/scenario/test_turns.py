"""From a run's events follow its turns, their times after the user's last sound, and the cuts."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.scenario.turns import read_timeline
from speech.timeline import NAMES, REPLY_CHAIN, TimelineEvent
from tests.scenario.lines import BARGE_IN, ONE_TURN, timeline


def test_one_turn_has_its_texts_and_every_stage_after_the_users_last_sound() -> None:
    talk = read_timeline(timeline(*ONE_TURN))
    (turn,) = talk.turns
    assert (turn.user_text, turn.bot_text) == ("What time is it?", "It is nine.")
    assert turn.heard_text == "It is nine."
    assert (turn.anchor, turn.anchor_source, turn.endpoint) == (3.0, "detector", 3.2)
    expected = {
        "user_speech_end": 0.0, "stt_final": 0.5, "user_stopped": 0.6, "llm_request": 0.61,
        "llm_first_token": 1.0, "unit_released": 1.2, "tts_request": 1.21,
        "synthesis_start": 1.22, "first_chunk": 1.9, "transport_send": 1.91,
        "bot_started": 1.92, "scheduled": 1.93, "audible": 2.0,
    }  # fmt: skip
    assert turn.times == pytest.approx(expected)
    assert talk.interruptions == []


def test_times_count_from_the_recorded_end_of_speech_where_the_script_knows_it() -> None:
    (turn,) = read_timeline(timeline(*ONE_TURN), speech=[(1.05, 2.9)]).turns
    assert turn.anchor_source == "recording"
    assert turn.times["audible"] == pytest.approx(2.1)


def test_recorded_speech_of_another_moment_is_not_the_anchor() -> None:
    (turn,) = read_timeline(timeline(*ONE_TURN), speech=[(9.0, 12.0)]).turns
    assert turn.anchor_source == "detector"


def test_a_barge_in_has_onset_cut_and_last_audible_sample_of_the_cut_reply() -> None:
    talk = read_timeline(timeline(*BARGE_IN))
    (cut,) = talk.interruptions
    assert (cut.at, cut.user_onset, cut.silent, cut.reply_id) == (5.61, 5.4, 5.65, "r1")
    assert cut.cut_to_silent_s == pytest.approx(0.04)
    assert cut.onset_to_silent_s == pytest.approx(0.25)
    assert cut.unheard_text == "nine."
    first, second = talk.turns
    assert (first.bot_text, first.heard_text) == ("It is nine.", "It is")
    assert (second.bot_text, second.heard_text) == ("All right.", "All right.")
    assert second.times["silent"] == pytest.approx(5.65 - 6.5)
    assert second.times["audible"] == pytest.approx(1.6)
    assert "silent" not in first.times


def test_a_cut_in_a_pause_of_the_reply_is_silent_at_once() -> None:
    lines = [line.replace("5.65 silent r1", "5.5 silent r1") for line in BARGE_IN]
    assert read_timeline(timeline(*lines)).interruptions[0].cut_to_silent_s == 0.0


def test_an_interruption_frame_while_the_bot_is_silent_is_no_interruption() -> None:
    lines = (ONE_TURN[0], ONE_TURN[1], "1.21 interrupt", *ONE_TURN[2:])
    assert read_timeline(timeline(*lines)).interruptions == []


def test_words_heard_while_the_user_cuts_in_belong_to_the_reply_they_are_of() -> None:
    late = (*BARGE_IN, "5.605 heard_text r1 | nine. ")
    first, second = read_timeline(timeline(*late)).turns
    assert first.heard_text == "It is nine."
    assert second.heard_text == "All right."


def test_a_late_stage_of_the_cut_reply_is_not_the_next_turns() -> None:
    late = (*BARGE_IN, "7.2 first_chunk r1", "7.21 transport_send r1")
    second = read_timeline(timeline(*late)).turns[1]
    assert second.times["first_chunk"] == pytest.approx(7.9 - 6.5)
    assert "transport_send" not in second.times


def test_a_pause_in_mid_sentence_is_one_turn_that_ends_with_the_last_word() -> None:
    talk = read_timeline(
        timeline(
            "1.0 user_onset", "1.2 user_started", "2.0 user_speech_end",
            "2.5 stt_final", "2.5 user_text | I would like", "3.0 user_onset",
            "4.0 user_speech_end", "4.4 stt_final", "4.4 user_text | a cup of tea.",
            "4.5 user_stopped", "4.5 llm_request",
        )
    )  # fmt: skip
    (turn,) = talk.turns
    assert turn.user_text == "I would like a cup of tea."
    assert turn.anchor == 4.0
    assert turn.times["stt_final"] == pytest.approx(0.4)


def test_a_cough_that_only_woke_the_detector_is_no_turn() -> None:
    talk = read_timeline(
        timeline("1.0 user_onset", "1.2 user_started", "1.5 user_speech_end", "2.0 user_stopped")
    )
    assert talk.turns == []


def test_the_greeting_is_not_a_turn_and_its_times_are_nobodys() -> None:
    greeting = (
        "0.1 bot_text | Hello. ", "0.1 tts_request g", "0.2 first_chunk g",
        "0.2 bot_started", "0.3 heard_text g | Hello. ", "0.8 bot_stopped",
    )  # fmt: skip
    talk = read_timeline(timeline(*greeting, *ONE_TURN))
    assert (talk.opening, talk.opening_heard) == ("Hello.", "Hello.")
    (turn,) = talk.turns
    assert turn.heard_text == "It is nine."
    assert turn.times["first_chunk"] == pytest.approx(1.9)


def test_a_run_that_ends_in_mid_turn_gives_what_there_is() -> None:
    (turn,) = read_timeline(timeline(*ONE_TURN[:5])).turns
    assert turn.user_text == "What time is it?"
    assert turn.bot_text == turn.heard_text == ""
    assert "llm_request" not in turn.times


def test_a_tool_call_lies_between_request_and_first_token() -> None:
    lines = list(ONE_TURN)
    lines[7:7] = ["3.7 tool_call tool=clock", "3.8 tool_result tool=clock", "3.81 llm_request"]
    (turn,) = read_timeline(timeline(*lines)).turns
    assert turn.times["tool_call"] == pytest.approx(0.7)
    assert turn.times["tool_result"] == pytest.approx(0.8)
    assert turn.times["llm_request"] == pytest.approx(0.61)
    assert [part.name for part in turn.segments] == [
        "endpointing", "speech to text", "end of turn", "tools", "LLM first token", "unit wait",
        "voice queue", "voice first audio", "transport", "audible",
    ]  # fmt: skip


@given(
    st.lists(
        st.builds(
            TimelineEvent,
            name=st.sampled_from(sorted(NAMES)),
            at=st.floats(0, 100),
            reply_id=st.sampled_from([None, "r1", "r2"]),
            fields=st.just({"text": "word "}),
        ),
        max_size=40,
    )
)
def test_any_timeline_at_all_is_read_without_a_fault(events: list[TimelineEvent]) -> None:
    talk = read_timeline(events)
    for turn in talk.turns:
        assert set(turn.times) <= {
            *REPLY_CHAIN,
            "user_speech_end",
            "user_onset",
            "interrupt",
            "silent",
        }
        chain = turn.segments
        assert all(a.end == b.start for a, b in pairwise(chain))
        assert all(part.length >= 0 for part in chain)

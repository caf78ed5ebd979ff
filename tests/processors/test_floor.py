"""Guards: the floor is free when nobody speaks and nobody waits for an answer."""

from __future__ import annotations

import pytest
from pipecat.frames.frames import (
    BotStartedSpeakingFrame,
    BotStoppedSpeakingFrame,
    Frame,
    FunctionCallCancelFrame,
    FunctionCallInProgressFrame,
    FunctionCallResultFrame,
    InterruptionFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    LLMTextFrame,
    TTSStartedFrame,
    TTSStoppedFrame,
    TTSTextFrame,
    UserStartedSpeakingFrame,
    UserStoppedSpeakingFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.utils.text.base_text_aggregator import TextType

from processors.floor import EXPECTED_S, FORGOTTEN_S, PAUSE_S, Floor

VOICE, QUIET = VADUserStartedSpeakingFrame(), VADUserStoppedSpeakingFrame()
TURN, TURN_END = UserStartedSpeakingFrame(), UserStoppedSpeakingFrame()
ANSWER, ANSWER_END = LLMFullResponseStartFrame(), LLMFullResponseEndFrame()
SPOKEN, SPOKEN_END = TTSStartedFrame(context_id="r"), TTSStoppedFrame(context_id="r")
BOT, BOT_END = BotStartedSpeakingFrame(), BotStoppedSpeakingFrame()
CALL = FunctionCallInProgressFrame("f", "c1", {})
RESULT = FunctionCallResultFrame("f", "c1", {}, "done")
CANCELLED = FunctionCallCancelFrame("f", "c1")
CUT = InterruptionFrame()
ASKED = [VOICE, TURN, QUIET, TURN_END, ANSWER]


class FakeClock:
    def __init__(self) -> None:
        self.now = 5.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(
    ("frames", "wait_s"),
    [
        ([], 0.0),
        ([LLMTextFrame("x")], 0.0),
        ([VOICE], None),
        ([VOICE, QUIET], 0.0),  # a cough, no turn
        ([VOICE, TURN, QUIET], None),  # a pause in the turn
        ([VOICE, TURN, QUIET, TURN_END], EXPECTED_S),
        (ASKED, FORGOTTEN_S),
        ([*ASKED, BOT], None),
        ([*ASKED, BOT, BOT_END], FORGOTTEN_S),  # the voice ran dry in mid-answer
        ([ANSWER, BOT, ANSWER_END, BOT_END], PAUSE_S),
        ([ANSWER, CALL, ANSWER_END], FORGOTTEN_S),
        ([ANSWER, CALL, ANSWER_END, RESULT], EXPECTED_S),
        ([ANSWER, CALL, ANSWER_END, CANCELLED], EXPECTED_S),
        ([ANSWER, CALL, RESULT, ANSWER_END], EXPECTED_S),
        ([ANSWER, CALL, RESULT, ANSWER, ANSWER_END], FORGOTTEN_S),
        ([ANSWER, BOT, CUT, BOT_END], PAUSE_S),
        ([ANSWER, CUT, ANSWER_END, ANSWER], FORGOTTEN_S),
        ([BOT, VOICE, BOT_END], None),
        ([SPOKEN, BOT, BOT_END], FORGOTTEN_S),  # the voice ran dry in mid-unit
        ([SPOKEN, BOT, BOT_END, SPOKEN_END], PAUSE_S),
        ([SPOKEN, BOT, CUT, BOT_END], PAUSE_S),
    ],
)
def test_the_wait(frames: list[Frame], wait_s: float | None) -> None:
    clock = FakeClock()
    floor = Floor(clock)
    for frame in frames:
        floor.note(frame)
    assert floor.wait_s == wait_s
    if wait_s:
        clock.now += wait_s
        assert floor.wait_s == 0


def test_words_and_cuts_are_counted() -> None:
    floor = Floor()
    for text in ("Your", " timer", " ", "."):
        floor.note(TTSTextFrame(text, text_type=TextType.WORD))
    floor.note(CUT)
    assert (floor.words, floor.cuts) == (2, 1)

"""An interruption is marked where an answer was cut, not at the start of every user turn."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from pipecat.frames.frames import (
    AggregatedTextFrame,
    BotStartedSpeakingFrame,
    BotStoppedSpeakingFrame,
    Frame,
    FunctionCallInProgressFrame,
    InterruptionFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    TTSSpeakFrame,
)
from pipecat.processors.frame_processor import FrameDirection

from processors.timeline import TimelineObserver
from speech.timeline import Timeline

FRAMES = {
    "request": LLMFullResponseStartFrame,
    "unit": lambda: AggregatedTextFrame("One.", "sentence"),
    "say": lambda: TTSSpeakFrame("Hello."),
    "tool": lambda: FunctionCallInProgressFrame("current_time", "1", {}),
    "end": LLMFullResponseEndFrame,
    "speaks": BotStartedSpeakingFrame,
    "silent": BotStoppedSpeakingFrame,
    "interrupt": InterruptionFrame,
}
ANSWER = "request unit end speaks silent"


async def cuts(*names: str) -> int:
    timeline = Timeline()
    observer = TimelineObserver(timeline)
    for number, name in enumerate(names):
        frame: Frame = FRAMES[name]()
        pushed = SimpleNamespace(
            frame=frame,
            source=None,
            direction=FrameDirection.DOWNSTREAM,
            timestamp=number * 10**9,
        )
        await observer.on_push_frame(pushed)  # type: ignore[arg-type]
    return sum(event.name == "interrupt" for event in timeline.events)


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ("interrupt", 0),
        (f"{ANSWER} interrupt", 0),
        (f"interrupt {ANSWER} interrupt {ANSWER} interrupt", 0),
        ("say speaks silent interrupt", 0),
        ("request end interrupt", 0),  # nothing came of it
        ("request interrupt", 1),  # it was still thinking
        ("request unit interrupt", 1),
        ("request unit end interrupt", 1),  # the voice was still computing
        ("request unit end speaks interrupt", 1),
        ("request unit speaks silent interrupt", 1),  # a hole: the model still writes
        ("request tool end interrupt", 1),
        ("say speaks interrupt silent interrupt", 1),
        (f"request unit speaks interrupt {ANSWER} interrupt", 1),
    ],
)
async def test_only_a_cut_is_marked(told: str, expected: int) -> None:
    assert await cuts(*told.split()) == expected

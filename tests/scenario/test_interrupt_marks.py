"""An interruption is marked where an answer was cut, and nothing of that answer after it."""

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


async def marked(*names: str) -> list[str]:
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
    return [event.name for event in timeline.events]


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
        ("request unit interrupt unit end interrupt", 1),  # what was let go is no answer to cut
    ],
)
async def test_only_a_cut_is_marked(told: str, expected: int) -> None:
    assert (await marked(*told.split())).count("interrupt") == expected


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        (ANSWER, 1),
        ("request unit speaks interrupt unit end", 1),  # let go by the cancelled model
        ("request unit speaks interrupt say unit end speaks", 2),  # behind the goodbye too
        (f"request unit speaks interrupt unit end {ANSWER}", 2),
        (f"interrupt {ANSWER} request unit", 2),
    ],
)
async def test_what_a_cut_model_lets_go_is_not_the_bots_text(told: str, expected: int) -> None:
    names = await marked(*told.split())
    assert names.count("bot_text") == expected

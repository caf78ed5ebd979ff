"""A cough between question and answer costs neither (C09)."""

from __future__ import annotations

import pytest
from pipecat.frames.frames import InterruptionFrame, LLMContextFrame

from tests.hearing.pipeline import Ears
from tests.turns.talk import user

pytestmark = pytest.mark.looptime

QUESTION = "What time is it?"
COUGH_S = 0.25
ANSWERED_WITHIN_S = 3.0


def is_being_answered(ears: Ears) -> bool:
    """Whether the model was asked, and not interrupted since."""
    last = [f for f in ears.frames if isinstance(f, (InterruptionFrame, LLMContextFrame))][-1:]
    return any(isinstance(frame, LLMContextFrame) for frame in last)


@pytest.mark.parametrize(
    ("offset_s", "silence_s", "policy"),
    [
        *((offset_s, 0.3, "pipecat") for offset_s in (0.05, 0.2, 0.4, 0.7)),
        *((offset_s, 0.8, "pipecat") for offset_s in (0.05, 0.4, 1.5)),
        (0.05, 0.8, "natural"),
        (0.7, 0.3, "natural"),
    ],
)
async def test_c09_the_question_is_answered_and_asked_once(
    offset_s: float, silence_s: float, policy: str
) -> None:
    """The cough comes while the turn waits for its end, or while the answer is made."""
    async with user(policy, silence_s=silence_s) as speaker:
        await speaker.says(QUESTION, recognised_after_s=0.0)
        await speaker.passes(offset_s)
        await speaker.begins()
        await speaker.passes(COUGH_S)
        await speaker.ends()
        await speaker.nothing_heard()
        await speaker.silent_for(ANSWERED_WITHIN_S)
        assert is_being_answered(speaker.ears)
        assert speaker.ears.user_messages == [QUESTION]


async def test_a_fit_of_coughing() -> None:
    async with user() as speaker:
        await speaker.says(QUESTION)
        for _ in range(4):
            await speaker.passes(0.5)
            await speaker.begins()
            await speaker.passes(COUGH_S)
            await speaker.ends()
            await speaker.nothing_heard()
        await speaker.silent_for(ANSWERED_WITHIN_S)
        assert is_being_answered(speaker.ears)
        assert speaker.ears.user_messages == [QUESTION]

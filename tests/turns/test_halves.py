"""An utterance in two pieces gets one answer, to both (C12)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from pipecat.frames.frames import (
    BotStartedSpeakingFrame,
    BotStoppedSpeakingFrame,
    InterruptionFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    LLMTextFrame,
)
from pipecat.processors.aggregators.llm_context import LLMContext

from processors.turn_halves import join_last
from tests.core.stage import Stage, stage
from tests.llm.fake_server import SILENT, FakeReply, says
from tests.turns.talk import User, user

FIRST, SECOND = "I would like to", "book a table for two"
BOTH = f"{FIRST} {SECOND}"
SAID = {"role": "user", "content": FIRST}
MORE = {"role": "user", "content": SECOND}
HEARD = {"role": "assistant", "content": "Yes?"}
CALL = {"role": "assistant", "tool_calls": [{"id": "1"}]}
RESULT = {"role": "tool", "tool_call_id": "1", "content": "CANCELLED"}
PICTURE = {"role": "user", "content": [{"type": "image_url"}]}


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ([], []),
        ([SAID], [SAID]),
        ([HEARD], [HEARD]),
        ([SAID, MORE], [SAID | {"content": BOTH}]),
        ([HEARD, SAID, MORE], [HEARD, SAID | {"content": BOTH}]),
        ([SAID, MORE, MORE], [SAID | {"content": f"{BOTH} {SECOND}"}]),
        ([SAID, HEARD, MORE], [SAID, HEARD, MORE]),
        ([SAID, MORE, HEARD], [SAID, MORE, HEARD]),
        ([SAID, CALL, RESULT, MORE], [SAID, CALL, RESULT, MORE]),
        ([SAID, PICTURE, MORE], [SAID, PICTURE, MORE]),
    ],
)
def test_what_is_joined(messages: list[Any], expected: list[Any]) -> None:
    context = LLMContext(messages)
    join_last(context)
    assert context.get_messages() == expected


async def _cut(speaker: User) -> None:
    """As the barge-in policy does when words come before anything was heard."""
    await speaker.ears.worker.queue_frame(InterruptionFrame())
    await speaker.ears.settle()


@pytest.mark.looptime
@pytest.mark.parametrize("policy", ["pipecat", "natural"])
@pytest.mark.parametrize("pause_s", [0.9, 1.5, 4.0])
async def test_c12_the_context_holds_one_question(policy: str, pause_s: float) -> None:
    """Whether pipecat interrupts at the onset or the policy at the words."""
    async with user(policy, patience_s=0) as speaker:
        await speaker.says(FIRST)
        await speaker.silent_for(pause_s)
        assert speaker.ears.requests == 1
        await speaker.begins()
        await speaker.ends()
        if policy != "pipecat":
            await _cut(speaker)
        await speaker.final(SECOND)
        await speaker.answered_after()
        await speaker.silent_for(10.0)
        assert speaker.ears.requests == 2
        assert speaker.ears.context.get_messages() == [{"role": "user", "content": BOTH}]


@pytest.mark.looptime
async def test_words_heard_between_the_halves_stay_between_them() -> None:
    async with user(patience_s=0) as speaker:
        await speaker.says(FIRST)
        await speaker.answered_after()
        for frame in (LLMFullResponseStartFrame(), LLMTextFrame("Yes?"), LLMFullResponseEndFrame()):
            await speaker.ears.worker.queue_frame(frame)
        await speaker.ears.settle()
        await speaker.says(SECOND)
        await speaker.answered_after()
        assert speaker.ears.context.get_messages() == [SAID, HEARD, MORE]


@pytest.mark.looptime
@pytest.mark.parametrize("ended", [True, False])
async def test_what_is_said_during_an_answer_that_cannot_be_cut_is_not_joined(ended: bool) -> None:
    async with user("never", patience_s=0) as speaker:
        await speaker.says(FIRST)
        await speaker.answered_after()
        await speaker.ears.worker.queue_frame(BotStartedSpeakingFrame())
        if ended:
            await speaker.ears.worker.queue_frame(BotStoppedSpeakingFrame())
        await speaker.ears.settle()
        await speaker.says(SECOND)
        await speaker.answered_after()
        assert speaker.ears.user_messages == ([BOTH] if ended else [FIRST, SECOND])


async def model_silent(scene: Stage) -> None:
    await scene.until_asked()


async def voice_at_work(scene: Stage) -> None:
    await scene.until_event("synthesis_start", 2)


@pytest.mark.parametrize(
    ("unheard", "reply"),
    [(model_silent, SILENT), (voice_at_work, says("Like to what?"))],
    ids=["the model thinks", "the voice is at work"],
)
async def test_c12_one_answer_is_heard_and_it_is_to_both(
    unheard: Callable[[Stage], Awaitable[None]], reply: FakeReply
) -> None:
    async with stage(reply, says("It is booked."), turn={"end": "silence"}) as scene:
        scene.start()
        await scene.until_event("bot_stopped")
        scene.engine.gate.clear()
        await scene.hear(FIRST)
        await unheard(scene)
        await scene.hear(SECOND)
        await scene.until_event("interrupt")
        scene.engine.gate.set()
        await scene.until(lambda: "booked." in scene.heard)
        await scene.end()
        assert scene.heard == "Hello. It is booked. Goodbye. "
        assert len(scene.server.requests) == 2
        asked = [m for m in scene.server.requests[-1]["messages"] if m["role"] == "user"]
        assert [m["content"] for m in asked] == [BOTH]

"""Guards: the context holds a reply as it was written, code too, in order and once it was heard."""

from __future__ import annotations

import asyncio

import pytest
from pipecat.frames.frames import (
    EndFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    LLMTextFrame,
)
from pipecat.pipeline.pipeline import Pipeline
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import LLMContextAggregatorPair
from pipecat.tests.utils import run_test

from processors.aggregator import UnitAggregator
from processors.kokoro_tts import KokoroTTSService
from speech.timeline import Timeline
from tests.processors.fake_engine import FakeEngine


@pytest.mark.parametrize(
    ("tokens", "spoken"),
    [
        (["Par", "en", "the", "ses", "."], ["Parentheses."]),
        (["I can help", ".", " What is your name", "?"], ["I can help.", "What is your name?"]),
        (["駅です。切符です。"], ["駅です。", "切符です。"]),
        (["One.\n\nTwo!\nThree"], ["One.", "Two!", "Three"]),
        (["One.", "\n", "\n", "Two!", " ", "\n", "Three"], ["One.", "Two!", "Three"]),
        (["駅です。", "切符です。"], ["駅です。", "切符です。"]),
        (["Run this:\n``", "`\nx. Y\n``", "`\nDone. Bye 👋"], ["Run this:", "Done.", "Bye 👋"]),
        (["```\nx\n```\nThat is all."], ["That is all."]),
        (["Good! 🎉"], ["Good!"]),
        ([" ", "\n"], []),
    ],
)
async def test_the_context_holds_what_was_written(tokens: list[str], spoken: list[str]) -> None:
    context, engine, timeline = LLMContext(), FakeEngine(), Timeline()
    voice = KokoroTTSService(engine, voice="fake", speed=1.0, timeline=timeline)  # type: ignore[arg-type]
    words = LLMContextAggregatorPair(context)
    frames = [LLMTextFrame(token) for token in tokens]
    await run_test(
        Pipeline([UnitAggregator(), voice, words.assistant()]),
        frames_to_send=[LLMFullResponseStartFrame(), *frames, LLMFullResponseEndFrame()],
    )
    assert engine.spoken == spoken
    recorded = [str(message["content"]).rstrip() for message in context.get_messages()]  # type: ignore[index]
    assert recorded == (["".join(tokens).strip()] if "".join(tokens).strip() else [])


async def test_what_is_not_spoken_is_recorded_in_its_place() -> None:
    context, engine, timeline = LLMContext(), FakeEngine(), Timeline()
    voice = KokoroTTSService(engine, voice="fake", speed=1.0, timeline=timeline)  # type: ignore[arg-type]
    frames = [LLMTextFrame(text) for text in ("One. Two.", "\n\nThree.", "\nFour. Five", " six.")]
    frames[2].skip_tts = True
    words = LLMContextAggregatorPair(context)
    await run_test(
        Pipeline([UnitAggregator(), voice, words.assistant()]),
        frames_to_send=[LLMFullResponseStartFrame(), *frames, LLMFullResponseEndFrame()],
    )
    assert engine.spoken == ["One.", "Two.", "Three.", "six."]
    [message] = context.get_messages()
    assert message["content"] == "One. Two.\n\nThree.\nFour. Five six."  # type: ignore[index]


async def test_the_end_of_the_conversation_in_mid_reply_is_not_held_up() -> None:
    engine, timeline = FakeEngine(), Timeline()
    voice = KokoroTTSService(engine, voice="fake", speed=1.0, timeline=timeline)  # type: ignore[arg-type]
    frames = [LLMFullResponseStartFrame(), LLMTextFrame("One. Two"), EndFrame()]
    async with asyncio.timeout(5):
        await run_test(
            Pipeline([UnitAggregator(), voice]), frames_to_send=frames, send_end_frame=False
        )
    assert engine.spoken == ["One.", "Two"]

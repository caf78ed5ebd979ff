"""Guards: the context holds a reply as it was written, code too, in order and once it was heard."""

from __future__ import annotations

import pytest
from pipecat.frames.frames import LLMFullResponseEndFrame, LLMFullResponseStartFrame, LLMTextFrame
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

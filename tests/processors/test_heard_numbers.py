"""Guards: what is recorded as heard is what was played, as written, though spoken otherwise."""

from __future__ import annotations

import random

import pytest
from pipecat.frames.frames import (
    AggregatedTextFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    TTSAudioRawFrame,
    TTSTextFrame,
)
from pipecat.tests.utils import run_test
from pipecat.utils.text.base_text_aggregator import TextType

from processors.kokoro_tts import KokoroTTSService
from speech.kokoro.markup import as_read
from speech.spoken.engine import SpokenEngine
from speech.timeline import Timeline
from tests.processors.fake_engine import SAMPLES_PER_WORD, FakeEngine

SPOKEN = {
    # as written: how many words it is said in
    "$1,234.56": 8, "Dr. Smith": 2, "😊": 0, "[our site](https://a.example/x)": 2, "`code`": 1,
    "[Siobhan](/ʃɪvˈɔn/)": 1, "I": 1, "a": 1, "**only**": 1, "10:30": 2, "1/2": 2, "don't": 1,
    "50 %": 2, "file_v2.pdf": 5, "twenty-five": 1, "(maybe)": 1, "[it]": 1, "1st": 1, "100": 2,
}  # fmt: skip


def written(seed: int) -> list[str]:
    chosen = random.Random(seed)
    return [chosen.choice(list(SPOKEN)) for _ in range(6)]


@pytest.mark.parametrize("seed", range(12))
async def test_nothing_is_heard_ahead_of_its_sound_or_lost(seed: int) -> None:
    parts = written(seed)
    text = "So " + ", ".join(parts) + "."
    engine = SpokenEngine(FakeEngine(), language=lambda _: "en-us")
    voice = KokoroTTSService(engine, voice="fake", speed=1.0, timeline=Timeline())
    unit = AggregatedTextFrame(text, TextType.SENTENCE)
    frames = [LLMFullResponseStartFrame(), unit, LLMFullResponseEndFrame()]
    down, _ = await run_test(voice, frames_to_send=frames)
    played, heard = 0, ""
    for frame in down:
        if isinstance(frame, TTSAudioRawFrame):
            played += len(frame.audio) // 2
        elif isinstance(frame, TTSTextFrame):
            heard += frame.text
            assert needed(heard, parts) * SAMPLES_PER_WORD <= played
    assert heard.rstrip() == as_read(text)


def needed(heard: str, parts: list[str]) -> int:
    """How many spoken words must have been played for this to be heard."""
    words, at = 1, "So "
    for part in parts:
        at += as_read(part)
        if len(heard.rstrip()) < len(at):
            break
        words += SPOKEN[part]
        at += ", "
    return words

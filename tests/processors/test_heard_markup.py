"""What the record keeps of a unit is what was said, without the markup it was written in."""

from __future__ import annotations

import pytest
from pipecat.frames.frames import (
    AggregatedTextFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    TTSTextFrame,
)
from pipecat.tests.utils import run_test
from pipecat.utils.text.base_text_aggregator import TextType

from processors.kokoro_tts import KokoroTTSService
from speech.timeline import Timeline
from tests.processors.fake_engine import FakeEngine


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("[Siobhan](/ʃɪvˈɔn/) will call.", "Siobhan will call. "),
        ("See [our site](https://a.example/x/) first.", "See our site first. "),
        ("It is [so](", "It is [so]( "),
    ],
)
async def test_markup_is_not_kept(text: str, kept: str) -> None:
    engine = FakeEngine()
    service = KokoroTTSService(engine, voice="fake", speed=1.0, timeline=Timeline())
    unit = AggregatedTextFrame(text, TextType.SENTENCE)
    frames, _ = await run_test(
        service, frames_to_send=[LLMFullResponseStartFrame(), unit, LLMFullResponseEndFrame()]
    )
    assert "".join(f.text for f in frames if isinstance(f, TTSTextFrame)) == kept
    assert engine.spoken == [text]

"""The engine hears what its listener has still to hear, and of a cut, also between two units."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

import pytest
from pipecat.frames.frames import (
    AggregatedTextFrame,
    InterruptionFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
)
from pipecat.tests.utils import SleepFrame, run_test
from pipecat.utils.text.base_text_aggregator import TextType

from processors.kokoro_tts import KokoroTTSService
from processors.paced_voice import POSITION_S, PacedVoice
from speech.engine import PcmChunk, Stamp
from speech.errors import EngineError
from speech.lead import Lead
from speech.timeline import Timeline
from tests.processors.fake_engine import FakeEngine, FakeSession


class FakeHeardSession(FakeSession):
    """Notes what it is told."""

    def __init__(self, engine: FakeEngine, stamp: Stamp | None) -> None:
        super().__init__(engine, stamp)
        self.told: list[float | str] = []

    def played(self, ahead_s: float) -> None:
        self.told.append(round(ahead_s, 3))

    def cut(self) -> None:
        self.told.append("cut")


class FakeHeardEngine(FakeEngine):
    async def open(
        self, voice: str, speed: float = 1.0, *, stamp: Stamp | None = None
    ) -> FakeSession:
        self.session = FakeHeardSession(self, stamp)
        return self.session


async def opened(engine: FakeEngine, played: Callable[[], float] | None = None) -> PacedVoice:
    lead = None if played is None else Lead(5.0, played, lambda: 0.0)
    voice = PacedVoice(engine, "fake", 1.0, lead)
    await voice.open(lambda stage, unit_id: None)
    return voice


async def test_with_each_room_goes_what_is_known_of_the_listener() -> None:
    engine, position = FakeHeardEngine(), [0.0]
    voice = await opened(engine, lambda: position[0])
    await voice.room()
    voice.made(2.0)
    await voice.room()
    position[0] = 1.5  # it plays
    voice.made(1.0)
    await voice.room()
    await voice.room()  # it has paused
    voice.cut()
    await voice.room()
    behind = [2.0 - POSITION_S, 1.5 - POSITION_S, 1.5 - POSITION_S]
    assert engine.session.told == [0.0, *behind, "cut", 0.0]


async def test_a_unit_that_is_unwound_late_does_not_stop_the_next_one() -> None:
    engine = FakeEngine()
    voice = await opened(engine)
    first, second = voice.speak("1", "One two."), voice.speak("2", "Three four.")
    await anext(first)
    voice.stop()
    assert engine.cancelled == ["1"]
    await anext(second)
    await first.aclose()
    assert engine.cancelled == ["1", "1"]
    assert len([chunk async for chunk in rest(second)]) == 1
    voice.stop()
    assert engine.cancelled == ["1", "1", "2"]  # at its end, and not again


async def rest(chunks: AsyncIterator[PcmChunk]) -> AsyncIterator[PcmChunk]:
    async for chunk in chunks:
        yield chunk


async def test_an_interruption_is_a_cut_though_all_had_been_made() -> None:
    engine = FakeHeardEngine()
    tts = KokoroTTSService(engine, voice="fake", speed=1.0, timeline=Timeline())
    unit = AggregatedTextFrame("One.", TextType.SENTENCE)
    reply = [LLMFullResponseStartFrame(), unit, LLMFullResponseEndFrame()]
    await run_test(
        tts,
        frames_to_send=[*reply, SleepFrame(0.05), InterruptionFrame()],
        expected_down_frames=None,
    )
    assert engine.spoken == ["One."]
    assert engine.session.told == ["cut"]


async def test_an_engine_that_heeds_nothing_is_told_nothing() -> None:
    voice = await opened(FakeEngine(), lambda: 0.0)
    voice.made(1.0)
    await voice.room()
    voice.cut()
    await voice.aclose()
    with pytest.raises(EngineError, match="closed"):
        await anext(voice.speak("1", "One."))

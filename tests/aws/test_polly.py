"""Polly speaks each unit whole and once, through streams that never grow old."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

import numpy as np
import pytest

from speech.engine import PcmChunk, SpeechSession
from speech.engines.aws.errors import ServiceError
from speech.engines.aws.polly_spare import Times
from speech.engines.polly import PollyEngine
from speech.errors import EngineError, UnknownVoiceError, UsageError
from tests.aws.emulator import Emulator
from tests.aws.fake_voice import LETTER_S
from tests.aws.hooks import Reject
from tests.aws.waiting import until


@pytest.fixture(params=["bidi", "classic"])
async def engine(request: pytest.FixtureRequest, emulator: Emulator) -> AsyncIterator[PollyEngine]:
    async with aclosing(make(emulator, request.param)) as engine:
        yield engine


@pytest.fixture
async def streaming(emulator: Emulator) -> AsyncIterator[PollyEngine]:
    async with aclosing(make(emulator, "bidi")) as engine:
        yield engine


def make(emulator: Emulator, mode: Any, **more: Any) -> PollyEngine:
    reach = emulator.reach(plain=mode == "classic")
    return PollyEngine(mode=mode, unit_timeout_s=5, **reach, **more)


async def spoken(session: SpeechSession, text: str, unit_id: str = "u") -> list[PcmChunk]:
    return [chunk async for chunk in session.speak(unit_id, text)]


def seconds(chunks: list[PcmChunk]) -> float:
    return sum(len(chunk.samples) for chunk in chunks) / 24_000


async def test_each_unit_is_all_of_its_sound(engine: PollyEngine, emulator: Emulator) -> None:
    session = await engine.open("Joanna")
    for text in ("Hello there.", "A second unit, somewhat longer.", "Yes."):
        chunks = await spoken(session, text)
        letters = sum(map(str.isalnum, text))
        assert seconds(chunks) == pytest.approx(letters * LETTER_S, abs=0.001)
        assert np.abs(np.concatenate([chunk.samples for chunk in chunks])).max() > 3_000
    assert [text for text in emulator.seen.texts if text] == [
        "Hello there.", "A second unit, somewhat longer.", "Yes.",
    ]  # fmt: skip


async def test_markup_is_not_sent_and_the_speed_is(engine: PollyEngine, emulator: Emulator) -> None:
    await spoken(await engine.open("Joanna"), "See [the page](https://a.b/c) 😊 now")
    await spoken(await engine.open("Joanna", 1.5), "Tom & <Jerry>")
    texts = [text for text in emulator.seen.texts if text]
    assert texts[0].split() == ["See", "the", "page", "now"]
    assert texts[1].startswith('<speak><prosody rate="150%">Tom &amp; ')


async def test_a_voice_that_polly_lacks_is_refused_with_the_list(engine: PollyEngine) -> None:
    with pytest.raises(UnknownVoiceError, match="Joanna"):
        await engine.open("af_heart")
    assert "Joanna" in engine.voices()


async def test_the_next_stream_is_open_before_it_is_needed(
    streaming: PollyEngine, emulator: Emulator
) -> None:
    session = await streaming.open("Joanna")
    await until(lambda: emulator.seen.open_sessions)
    await spoken(session, "One.")
    await until(lambda: len(emulator.seen.requests) == 2)
    await until(lambda: emulator.seen.open_sessions == 1)
    await session.aclose()
    await until(lambda: not emulator.seen.open_sessions)


async def test_a_spare_that_has_ended_is_replaced_without_a_word_lost(
    streaming: PollyEngine, emulator: Emulator
) -> None:
    emulator.hooks.session_s = 0.05
    session = await streaming.open("Joanna")
    await until(lambda: emulator.seen.open_sessions)
    await until(lambda: not emulator.seen.open_sessions)
    emulator.hooks.session_s = 600.0
    assert seconds(await spoken(session, "Hello.")) == pytest.approx(5 * LETTER_S, abs=0.001)


async def test_a_spare_is_kept_alive_until_it_speaks(emulator: Emulator) -> None:
    emulator.hooks.idle_s = 0.4
    async with aclosing(make(emulator, "bidi", times=Times(keep_alive_s=0.1))) as engine:
        session = await engine.open("Joanna")
        await until(lambda: emulator.seen.texts.count("") >= 6)
        assert len(emulator.seen.requests) == 1
        first = session.speak("u", "Hello.")
        await anext(first)
        assert len(emulator.seen.requests) == 1
        await first.aclose()


async def test_a_stream_that_fails_before_its_first_sound_is_asked_again(
    streaming: PollyEngine, emulator: Emulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("speech.engines.aws.retry.BASE_S", 0.001)
    emulator.hooks.failures = 2
    session = await streaming.open("Joanna")
    assert seconds(await spoken(session, "Hello.")) == pytest.approx(5 * LETTER_S, abs=0.001)


async def test_cancelling_ends_the_stream_and_the_next_unit_speaks(
    engine: PollyEngine, emulator: Emulator
) -> None:
    emulator.hooks.delay_s = 0.05
    session = await engine.open("Joanna")
    chunks = session.speak("u1", "A text that is long enough to be cut off in the middle of it.")
    await anext(chunks)
    session.cancel("u1")
    assert [chunk async for chunk in chunks] == []
    emulator.hooks.delay_s = 0.0
    assert await spoken(session, "Yes.")


async def test_throttling_is_asked_again_and_told_of_at_last(
    engine: PollyEngine, emulator: Emulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("speech.engines.aws.retry.BASE_S", 0.001)
    await engine.start()
    emulator.hooks.rejects.extend([Reject(400, "ThrottlingException")] * 2)
    session = await engine.open("Joanna")
    assert await spoken(session, "Yes.")


async def test_a_failure_in_mid_unit_is_an_error_and_nothing_is_said_twice(
    streaming: PollyEngine, emulator: Emulator
) -> None:
    session = await streaming.open("Joanna")
    emulator.hooks.fail_after = 2
    with pytest.raises(ServiceError):
        await spoken(session, "A text that is long enough for several pieces of sound.")
    emulator.hooks.fail_after = None
    assert await spoken(session, "Yes.")
    assert [text for text in emulator.seen.texts if text].count("Yes.") == 1


async def test_a_service_that_falls_silent_is_an_error(emulator: Emulator) -> None:
    emulator.hooks.stall_after = 1
    async with aclosing(make(emulator, "bidi")) as engine:
        engine._unit_timeout_s = 0.2
        session = await engine.open("Joanna")
        with pytest.raises(EngineError, match="no speech within"):
            await spoken(session, "A text that is long enough for several pieces of sound.")


def test_without_the_packages_one_line_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from speech.engines.aws import installed

    monkeypatch.setattr(installed.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r"pip install 'earshot\[aws\]'"):
        PollyEngine().voices()
    monkeypatch.setattr(installed.importlib.util, "find_spec", lambda name: name == "boto3" or None)
    monkeypatch.setattr(installed.sys, "version_info", (3, 11))
    with pytest.raises(UsageError, match=r"Python 3\.12.*tts\.polly\.mode: classic"):
        installed.require_sdk("polly", "aws_sdk_polly", "classic")

"""Through SageMaker a conversation goes on as on a server of ours: cancelled, credited, renewed."""

from __future__ import annotations

import asyncio
import time
from contextlib import aclosing
from typing import Any

import pytest

from speech.engine import PcmChunk, SpeechSession
from speech.engines.sagemaker import SagemakerEngine
from speech.errors import EngineBusyError, EngineError, EngineRefusedError, UsageError
from tests.aws import emulated
from tests.aws.container import served
from tests.aws.emulated import served_by
from tests.aws.emulator import ENDPOINT
from tests.aws.fake_voice import LETTER_S, letters
from tests.aws.hooks import Reject
from tests.aws.tone_voice import ToneVoice
from tests.aws.waiting import until

LONG = "a text of many letters " * 20


async def spoken(session: SpeechSession, text: str, unit_id: str = "u") -> list[PcmChunk]:
    return [chunk async for chunk in session.speak(unit_id, text)]


def seconds(chunks: list[PcmChunk]) -> float:
    return sum(len(chunk.samples) for chunk in chunks) / 24_000


async def test_words_come_with_their_sound_and_control_is_text() -> None:
    async with aclosing(emulated.sagemaker()) as engine:
        session = await engine.open("af_heart")
        chunks = await spoken(session, "Hello there.")
        assert [word.text for chunk in chunks for word in chunk.words][:2] == ["word0", "word1"]
        assert {kind for kind, _, _ in engine.emulator.seen.frames} == {"text"}


async def test_cancelling_stops_our_containers_computation() -> None:
    async with aclosing(emulated.sagemaker()) as engine:
        session = await engine.open("af_heart")
        chunks = session.speak("u", LONG)
        await anext(chunks)
        session.cancel("u")
        assert [chunk async for chunk in chunks] == []
        made_s = engine.voice.made_s
        assert await spoken(session, "Yes.")
        assert engine.voice.made_s - made_s < 2.0


async def test_cancelling_at_the_references_container_ends_its_session() -> None:
    """It reads nothing while it speaks, so that is all that can be done."""
    async with aclosing(emulated.sagemaker_0()) as engine:
        session = await engine.open("af_heart")
        reading = asyncio.create_task(spoken(session, LONG))
        await until(lambda: engine.container.made_s)
        half_closed = engine.emulator.seen.half_closed
        session.cancel("u")
        assert await reading == []
        await until(lambda: engine.emulator.seen.half_closed > half_closed)
        assert await spoken(session, "Yes.")


async def test_a_listener_who_takes_nothing_holds_the_container() -> None:
    """The SDK would take all there is; the protocol's credit bounds what is sent."""
    async with aclosing(emulated.sagemaker()) as engine:
        session = await engine.open("af_heart")
        chunks = session.speak("u", LONG)
        await anext(chunks)
        await asyncio.sleep(0.8)  # the tone is made at ten times real time
        assert engine.voice.made_s < 6.0
        session.cancel("u")


@pytest.mark.parametrize("hook", ["drop_after", "fail_after"])
async def test_a_stream_that_breaks_in_mid_unit_goes_on_with_another(hook: str) -> None:
    async with aclosing(emulated.sagemaker()) as engine:
        session = await engine.open("af_heart")
        expected = seconds(await spoken(session, "One two three four five six seven."))
        setattr(engine.hooks, hook, 20)
        reading = session.speak("again", "One two three four five six seven.")
        chunks = [await anext(reading)]
        chunks += [chunk async for chunk in reading]
        setattr(engine.hooks, hook, None)
        assert seconds(chunks) == pytest.approx(expected, abs=0.3)
        assert await spoken(session, "Yes.")


async def test_a_session_is_renewed_before_sagemaker_ends_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The link says how long it lasts, and no unit is begun in its last tenth (30 s at most)."""
    monkeypatch.setattr("speech.engines.aws.sdk_sagemaker.SagemakerLink.lifetime_s", 0.4)
    monkeypatch.setattr("speech.engines.remote.session.Recovery", FakeRecovery)
    async with aclosing(emulated.sagemaker()) as engine:
        session = await engine.open("af_heart")
        assert await spoken(session, "Yes.")
        left = engine.emulator.seen.half_closed
        await asyncio.sleep(0.4)  # the spare session is as old
        assert await spoken(session, "Yes.")
        await until(lambda: engine.emulator.seen.half_closed > left)


class FakeRecovery:
    """Nothing is to be recovered from."""

    def __init__(self, *_: object) -> None: ...

    def pause_s(self, error: EngineError) -> float:
        raise AssertionError from error


async def test_a_container_that_drains_hands_over_at_once() -> None:
    """It is not full: the unit is said to its end, and the next one goes to another container."""
    voice = ToneVoice()
    _, other = served_by(voice)
    async with aclosing(emulated.sagemaker()) as engine, served(other) as address:
        session = await engine.open("af_heart")
        text = LONG[:100]
        reading = session.speak("u", text)
        chunks = [await anext(reading)]
        engine.emulator.container = address
        draining = asyncio.create_task(engine.service.drain())
        chunks += [chunk async for chunk in reading]
        assert seconds(chunks) == pytest.approx(letters(text) * LETTER_S, abs=0.01)
        begun = time.monotonic()
        assert await spoken(session, "Yes.")
        assert time.monotonic() - begun < 2.0
        assert voice.made_s
        draining.cancel()


async def test_a_container_that_is_being_replaced_is_waited_for() -> None:
    """Its refusal is a 503 like a full one's, but for the reason that it gives."""
    async with aclosing(emulated.sagemaker()) as engine:
        session = await engine.open("af_heart")
        await engine.service.drain()  # with it the spare conversation ends
        engine.emulator.seen.requests.clear()
        speaking = asyncio.create_task(spoken(session, "Yes."))
        await until(lambda: len(engine.emulator.seen.requests) >= 3)
        engine.service.draining = False
        engine.service.be_ready()
        engine.service.be_ready()
        assert await speaking


@pytest.mark.parametrize(
    ("reject", "kind"),
    [
        (Reject(403, "AccessDeniedException"), EngineRefusedError),
        (Reject(400, "InputValidationError"), EngineRefusedError),
        (Reject(429, "ThrottlingException"), EngineBusyError),
        (Reject(424, "ModelError", {"OriginalStatusCode": 500}), EngineError),
    ],
    ids=["denied", "no endpoint", "throttled", "model"],
)
async def test_what_refuses_the_start_is_told_by_kind(
    monkeypatch: pytest.MonkeyPatch, reject: Reject, kind: type[Exception]
) -> None:
    monkeypatch.setattr("speech.engines.aws.retry.BASE_S", 0.001)
    async with aclosing(emulated.sagemaker()) as engine:
        engine.hooks.rejects.extend([reject] * 4)
        with pytest.raises(kind) as caught:
            await engine.start()
        assert "\n" not in str(caught.value)


def test_without_the_packages_one_line_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from speech.engines.aws import installed

    monkeypatch.setattr(installed.importlib.util, "find_spec", lambda name: None)

    async def start(**more: Any) -> None:
        await SagemakerEngine(ENDPOINT, region="eu-west-1", **more).start()

    for mode in ("bidi", "stream"):
        with pytest.raises(UsageError, match=r"pip install 'earshot\[aws\]'"):
            asyncio.run(start(mode=mode))

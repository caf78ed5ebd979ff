"""A call for each unit: whole, refused by kind, stopped when cancelled, as slow as its reader."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import aclosing

import pytest

from speech.engine import PcmChunk, SpeechSession
from speech.engines.aws.access import Access
from speech.engines.aws.errors import ModelFailedError, RefusedError, StaleRequestError
from speech.engines.aws.sagemaker_calls import SagemakerCallsEngine
from speech.errors import EngineBusyError, EngineError, UnknownVoiceError
from tests.aws.container import FakeContainer
from tests.aws.emulator import ENDPOINT, Emulator
from tests.aws.fake_voice import LETTER_S
from tests.aws.hooks import Reject
from tests.aws.waiting import until

LONG = "a text of many letters " * 40


@pytest.fixture
async def engine(emulator: Emulator) -> AsyncIterator[SagemakerCallsEngine]:
    engine = SagemakerCallsEngine(
        ENDPOINT, Access(**emulator.reach(plain=True)), voices=None, variant="blue",
        unit_timeout_s=5,
    )  # fmt: skip
    async with aclosing(engine):
        yield engine


@pytest.fixture
async def session(engine: SagemakerCallsEngine) -> SpeechSession:
    return await engine.open("af_heart", 1.25)


async def spoken(session: SpeechSession, text: str) -> list[PcmChunk]:
    return [chunk async for chunk in session.speak("u", text)]


async def test_a_unit_is_asked_for_as_the_reference_does(
    session: SpeechSession, container: FakeContainer, emulator: Emulator
) -> None:
    chunks = await spoken(session, "Hello there.")
    total = sum(len(chunk.samples) for chunk in chunks)
    assert total / 24_000 == pytest.approx(10 * LETTER_S / 1.25, abs=0.001)
    (body,) = container.bodies
    assert abs(body.pop("request_timestamp") - time.time()) < 60
    assert body == {
        "text": "Hello there.", "voice": "af_heart", "speed": 1.25, "format": "wav",
        "sample_rate": 24_000, "stream": True,
    }  # fmt: skip
    assert emulator.seen.requests[0]["x-amzn-sagemaker-target-variant"] == "blue"


@pytest.mark.parametrize(
    ("reject", "kind"),
    [
        (Reject(424, "ModelError", {"OriginalStatusCode": 408}), StaleRequestError),
        (Reject(424, "ModelError", {"OriginalStatusCode": 503}), EngineBusyError),
        (Reject(429, "ThrottlingException"), EngineBusyError),
        (Reject(403, "AccessDeniedException"), RefusedError),
    ],
    ids=["stale", "saturated", "throttled", "denied"],
)
async def test_refusals_have_their_kind(
    session: SpeechSession,
    emulator: Emulator,
    monkeypatch: pytest.MonkeyPatch,
    reject: Reject,
    kind: type[Exception],
) -> None:
    monkeypatch.setattr("speech.engines.aws.retry.BASE_S", 0.001)
    emulator.hooks.rejects.extend([reject] * 4)
    with pytest.raises(kind):
        await spoken(session, "Hello.")
    emulator.hooks.rejects.clear()
    assert await spoken(session, "Hello.")


async def test_what_the_container_refuses_is_unwrapped(
    engine: SagemakerCallsEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("speech.engines.aws.retry.BASE_S", 0.001)
    session = await engine.open("bf_emma")  # ours, but not this container's
    with pytest.raises(RefusedError, match="does not take this voice"):
        await spoken(session, "Hello.")
    with pytest.raises(ModelFailedError, match="see the container's log"):
        await spoken(await engine.open("af_heart"), "FAIL")
    with pytest.raises(UnknownVoiceError):
        await engine.open("nobody")


async def test_a_stream_that_breaks_after_its_first_sound_is_not_asked_again(
    session: SpeechSession, container: FakeContainer, emulator: Emulator
) -> None:
    emulator.hooks.fail_after = 2
    with pytest.raises(EngineError):
        await spoken(session, LONG)
    assert len(container.bodies) == 1


async def test_a_stream_that_breaks_before_its_first_sound_is_asked_again(
    session: SpeechSession, emulator: Emulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("speech.engines.aws.retry.BASE_S", 0.001)
    emulator.hooks.failures = 2
    chunks = await spoken(session, "Hello.")
    total = sum(len(chunk.samples) for chunk in chunks)
    assert total / 24_000 == pytest.approx(5 * LETTER_S / 1.25, abs=0.001)


async def test_cancelling_hangs_up_and_the_next_unit_speaks(
    session: SpeechSession, container: FakeContainer, emulator: Emulator
) -> None:
    chunks = session.speak("u", LONG)
    await anext(chunks)
    session.cancel("u")
    assert [chunk async for chunk in chunks] == []
    await until(lambda: not emulator.seen.open_sessions)
    made_s = container.made_s
    assert await spoken(session, "Yes.")
    assert container.made_s - made_s < 1.0


async def test_a_service_that_says_nothing_is_an_error_in_time(
    engine: SagemakerCallsEngine, emulator: Emulator
) -> None:
    engine._downloads.timeout_s = 0.2
    emulator.hooks.stall_after = 0
    session = await engine.open("af_heart")
    with pytest.raises(EngineError, match="no speech within"):
        await spoken(session, "Hello.")
    emulator.hooks.stall_after = None

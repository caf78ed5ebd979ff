"""A connection whose other end has vanished is left in time; what follows goes over another."""

from __future__ import annotations

import asyncio
import socket
import time
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from speech.engine import PcmChunk, SpeechSession
from speech.engines.aws.access import Access
from speech.engines.aws.errors import ServiceTimeoutError
from speech.engines.aws.sagemaker_calls import SagemakerCallsEngine
from speech.engines.link import LinkEndedError
from speech.engines.polly import PollyEngine
from speech.engines.sagemaker import SagemakerEngine
from speech.errors import EngineError
from tests.aws import emulated
from tests.aws.container import FakeContainer
from tests.aws.emulator import ENDPOINT, Emulator
from tests.aws.fake_voice import LETTER_S
from tests.aws.waiting import until

TEXT = "A text that is long enough for several pieces of sound."
WHOLE_S = 44 * LETTER_S
SOON_S = 4.0
"""Far less than the 10 s of a new connection, or the 60 s of a unit."""
KEEP_ALIVE_TIMER = "02"


async def spoken(session: SpeechSession, text: str) -> list[PcmChunk]:
    return [chunk async for chunk in session.speak("u", text)]


def seconds(chunks: list[PcmChunk]) -> float:
    return sum(len(chunk.samples) for chunk in chunks) / 24_000


def links_to(front: Emulator) -> Any:
    from speech.engines.aws.sdk_sagemaker import SagemakerLinks

    return SagemakerLinks(ENDPOINT, Access(**front.reach()), variant=None, connect_timeout_s=5.0)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """The product's bounds, in fractions of a second."""
    monkeypatch.setattr("speech.engines.remote.talk.QUIET_S", 0.2)
    monkeypatch.setattr("speech.engines.remote.talk.PONG_S", 0.4)
    monkeypatch.setattr("speech.engines.aws.polly_session.ANSWER_S", 0.4)
    monkeypatch.setattr("speech.engines.aws.sdk_service.ANSWER_S", 0.4)


@pytest.mark.usefixtures("impatient")
class TestSagemaker:
    """The listener waits for the question whether somebody is there, and for no timeout more."""

    async def test_a_unit_goes_on_over_another_connection(self) -> None:
        async with aclosing(emulated.sagemaker()) as engine:
            session = await engine.open("af_heart")
            reading = session.speak("u", TEXT)
            chunks = [await anext(reading)]
            engine.emulator.die()  # with it the spare conversation's way
            begun = time.monotonic()
            chunks += [chunk async for chunk in reading]
            assert time.monotonic() - begun < SOON_S
            assert seconds(chunks) > WHOLE_S - 0.3  # the tone's words are not the text's
            assert await spoken(session, "Yes.")
            assert engine.emulator.seen.connections == 2

    async def test_a_units_end_in_time_is_the_connections_too(self, emulator: Emulator) -> None:
        """The reference's container answers no question, so the unit's deadline decides."""
        engine = SagemakerEngine(ENDPOINT, protocol=0, **emulator.reach())
        async with aclosing(engine):
            session = await engine.open("af_heart")
            assert await spoken(session, "Yes.")
            emulator.die()
            session._hold.talk._unit_timeout_s = 0.2
            with pytest.raises(EngineError, match="no speech within"):
                await spoken(session, TEXT)
            begun = time.monotonic()
            assert await spoken(session, "Yes.")
            assert time.monotonic() - begun < SOON_S

    async def test_one_that_died_unnoticed_is_replaced_when_it_is_needed(
        self, emulator: Emulator
    ) -> None:
        async with aclosing(links_to(emulator)) as links:
            link = await links.connect()
            emulator.die()
            begun = time.monotonic()
            await links.connect()
            assert time.monotonic() - begun < SOON_S
            with pytest.raises(LinkEndedError):  # it went over the dead one
                await link.receive()
            assert emulator.seen.connections == 2

    async def test_one_that_never_answered_is_given_up(self, emulator: Emulator) -> None:
        emulator.hooks.dead = True
        async with aclosing(links_to(emulator)) as links:
            links._service.connect_timeout_s = 0.4
            with pytest.raises(ServiceTimeoutError):
                await links.connect()
            emulator.hooks.dead, links._service.connect_timeout_s = False, 5.0
            begun = time.monotonic()
            await links.connect()
            assert time.monotonic() - begun < SOON_S

    async def test_one_that_others_hear_of_is_kept(
        self, emulator: Emulator, container: FakeContainer
    ) -> None:
        async with aclosing(links_to(emulator)) as links:
            link = await links.connect()
            emulator.hooks.silent = True
            links._service.connect_timeout_s = 0.8
            opening = asyncio.create_task(links.connect())
            while not opening.done():
                await link.send('{"text": "Yes."}')
                await link.receive()
                await asyncio.sleep(0.05)
            with pytest.raises(ServiceTimeoutError):
                await opening
            assert emulator.seen.connections == 1
            assert await link.receive()


@pytest.mark.usefixtures("impatient")
class TestPolly:
    """It answers nothing but with sound."""

    async def test_a_unit_is_said_again_over_another(self, emulator: Emulator) -> None:
        async with aclosing(PollyEngine(**emulator.reach())) as engine:
            session = await engine.open("Joanna")
            await until(lambda: emulator.seen.open_sessions)
            emulator.die()
            begun = time.monotonic()
            assert seconds(await spoken(session, TEXT)) == pytest.approx(WHOLE_S, abs=0.01)
            assert time.monotonic() - begun < SOON_S

    async def test_a_units_end_in_time_is_the_connections_too(self, emulator: Emulator) -> None:
        emulator.hooks.delay_s = 0.05
        async with aclosing(PollyEngine(**emulator.reach())) as engine:
            session = await engine.open("Joanna")
            reading = session.speak("u", TEXT)
            await anext(reading)
            emulator.die()
            session._timeout_s = 0.2
            with pytest.raises(EngineError, match="no speech within"):
                [chunk async for chunk in reading]
            session._timeout_s = 10.0
            begun = time.monotonic()
            assert await spoken(session, "Yes.")
            assert time.monotonic() - begun < SOON_S


async def test_tcp_asks_whether_the_other_end_is_there(emulator: Emulator) -> None:
    async with aclosing(links_to(emulator)) as links:
        await links.connect()
        await until(lambda: KEEP_ALIVE_TIMER in timers(int(emulator.url.rpartition(":")[2])))


def timers(port: int) -> list[str]:
    """What Linux waits for at the client's end of the connections to this port."""
    rows = [row.split() for row in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    to = f"{socket.htonl(socket.INADDR_LOOPBACK):08X}:{port:04X}"
    return [row[5].partition(":")[0] for row in rows if row[2] == to]


async def test_calls_let_go_of_all_they_have_kept(emulator: Emulator) -> None:
    engine = SagemakerCallsEngine(
        ENDPOINT, Access(**emulator.reach(plain=True)), voices=None, variant=None,
        unit_timeout_s=5.0,
    )  # fmt: skip
    async with aclosing(engine):
        sessions = [await engine.open("af_heart") for _ in range(2)]
        await asyncio.gather(*(spoken(session, TEXT) for session in sessions))
        kept = set(emulator.seen.ports)
        assert len(kept) == 2
        emulator.hooks.stall_after, engine._downloads.timeout_s = 0, 0.2
        with pytest.raises(EngineError, match="no speech within"):
            await spoken(sessions[0], "Yes.")
        emulator.hooks.stall_after, engine._downloads.timeout_s = None, 5.0
        emulator.seen.ports.clear()
        await asyncio.gather(*(spoken(session, TEXT) for session in sessions))
        assert not kept & set(emulator.seen.ports)

"""A link that hangs, is about to end or ends unseen costs some time and no word."""

from __future__ import annotations

import asyncio
import gc

import pytest
from websockets.datastructures import Headers
from websockets.exceptions import InvalidStatus
from websockets.http11 import Response

from speech.engines.link import LinkEndedError
from speech.engines.remote.exchange import CLOSE_S, SEND_S
from speech.engines.remote.recovery import MOST
from speech.engines.remote.websocket import _refusal
from speech.errors import EngineBusyError, EngineError, EngineRefusedError
from speech.wire import Draining, Speak
from tests.engines.fake_voice import heard
from tests.engines.remote.fake_server import FakeServer
from tests.engines.remote.test_recovery import ALL, TEXT, WORDS, engine_of, lengths
from tests.engines.remote.test_session import LONG, roomy

pytestmark = pytest.mark.looptime


def now() -> float:
    return asyncio.get_running_loop().time()


def used(server: FakeServer) -> list[int]:
    """How many units each link was asked for."""
    return [sum(isinstance(said, Speak) for said in link.heard) for link in server.links]


async def test_killed_between_two_units_with_all_its_connections() -> None:
    """Nobody reads meanwhile, so nobody knows before the next unit."""
    server = FakeServer()
    engine = engine_of(server)
    session = await engine.open("fake")
    await heard(session.speak("u1", "w0"))
    server.kill()
    server.refuses = EngineError("connection refused")
    asyncio.get_running_loop().call_later(3, setattr, server, "refuses", None)
    words, samples = await heard(session.speak("u2", TEXT))
    assert (words, lengths(samples)) == (WORDS, ALL)
    assert 3 <= now() <= 4.1
    await engine.aclose()
    assert server.open == 0


async def test_a_way_that_is_blocked_is_left_for_another() -> None:
    server = FakeServer()
    engine = engine_of(server, spare=False)
    session = await engine.open("fake")
    await heard(session.speak("u1", "w0"))
    server.blocked = True
    asyncio.get_running_loop().call_later(SEND_S + 0.5, setattr, server, "blocked", False)
    words, samples = await heard(session.speak("u2", TEXT))
    assert (words, lengths(samples)) == (WORDS, ALL)
    assert SEND_S <= now() <= 2 * SEND_S + 0.2
    await engine.aclose()


async def test_closing_ends_in_time_where_the_other_side_is_gone() -> None:
    server = FakeServer()
    engine = engine_of(server)
    sessions = [await engine.open("fake") for _ in range(3)]
    for session in sessions:
        await heard(session.speak("u", "w0"))
    server.hangs, begun = True, now()
    await sessions[0].aclose()
    assert now() - begun == CLOSE_S
    await engine.aclose()
    assert now() - begun <= 3 * CLOSE_S  # the others at once, then the spare one
    assert server.open == 0


async def test_a_server_that_is_about_to_stop_is_asked_for_no_further_unit() -> None:
    server = FakeServer()
    engine = engine_of(server, spare=False)
    session = await engine.open("fake")
    server.links[0].say(Draining(30.0, "session_age"))
    assert (await heard(session.speak("u1", TEXT)))[0] == WORDS
    await heard(session.speak("u2", "w0"))
    assert used(server) == [1, 1]
    await engine.aclose()


async def test_a_connection_that_was_idle_as_long_as_the_server_waits_is_not_used() -> None:
    """The server closes it at any moment now: a unit on its way then would have to be said
    again."""
    server = FakeServer()
    engine = engine_of(server, spare=False)
    session = await engine.open("fake")
    for pause_s in (server.limits.idle_s - 5, server.limits.idle_s - 0.5, 0):
        await heard(session.speak("u", "w0"))
        await asyncio.sleep(pause_s)
    assert used(server) == [2, 1]
    await engine.aclose()


async def test_a_spare_connection_near_its_end_is_not_used() -> None:
    server = FakeServer(lifetime_s=55)
    engine = engine_of(server)
    await engine.start()
    await asyncio.sleep(50)  # its keeper has looked after it at 40 s, and will at 60
    await heard((await engine.open("fake")).speak("u", TEXT))
    assert used(server)[:2] == [0, 1]
    await engine.aclose()
    assert server.open == 0


@pytest.mark.parametrize("dies", [(), (3,), (2, 5)])
async def test_a_container_whose_frames_end_inside_a_sample(dies: tuple[int, ...]) -> None:
    server = FakeServer(version=0, sizes=(700, 333), dies=dies)
    server.odd = True
    engine = engine_of(server)
    session = await engine.open("af_heart")
    assert lengths((await heard(session.speak("u", TEXT)))[1]) == ALL
    await engine.aclose()


async def test_an_answer_without_sound_is_no_unit_that_was_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    engine = engine_of(FakeServer(version=0))
    session = await engine.open("af_heart")
    with monkeypatch.context() as patch:
        patch.setattr("tests.engines.remote.fake_server._cut", lambda *_: iter(()))
        with pytest.raises(EngineError, match="no sound"):
            await heard(session.speak("u", TEXT))
    assert lengths((await heard(session.speak("u2", TEXT)))[1]) == ALL
    await engine.aclose()


async def test_a_version_that_is_asked_for_is_the_one_that_is_spoken() -> None:
    with pytest.raises(EngineRefusedError, match="no speech server"):
        await engine_of(FakeServer(version=0), protocol=1).start()


async def test_the_deadline_begins_anew_with_each_word() -> None:
    """Four links are lost in 12 s, and 10 s are allowed for one."""
    server = FakeServer(dies=(2, 2, 2, 2))
    engine = engine_of(server, spare=False)
    session = await engine.open("fake")
    connect = server.connect

    async def slow() -> object:
        await asyncio.sleep(4)
        return await connect()

    engine._connect = slow  # type: ignore[assignment]
    said = [f"w{number}" for number in range(9)]
    assert (await heard(session.speak("u", " ".join(said))))[0] == said
    assert now() >= 16
    await engine.aclose()


async def test_a_server_that_loses_a_link_with_each_word_is_given_up() -> None:
    server = roomy(dies=(1,) * 1_000)
    engine = engine_of(server, spare=False)
    session = await engine.open("fake")
    with pytest.raises(EngineError, match="it died; not reached again"):
        await heard(session.speak("u", LONG))
    assert len(server.links) <= MOST + 1
    await engine.aclose()


@pytest.mark.parametrize(("told", "retry_after_s"), [("7", 7.0), ("-1", 0.0), ("soon", None)])
def test_a_busy_server_tells_when_to_come_back(told: str, retry_after_s: float | None) -> None:
    refused = InvalidStatus(Response(503, "", Headers({"Retry-After": told}), b"queue_saturated"))
    error = _refusal("there", refused)
    assert isinstance(error, EngineBusyError)
    assert error.retry_after_s == retry_after_s


@pytest.mark.parametrize("turns", range(1, 12))
@pytest.mark.parametrize("closes", [False, True])
async def test_a_unit_given_up_while_its_connection_opens_leaves_none_behind(
    turns: int, closes: bool
) -> None:
    """Whichever turn of the loop it comes in: before, while and after the greeting is read."""
    server = FakeServer()
    engine = engine_of(server, spare=False)
    first, second = [await engine.open("fake") for _ in range(2)]
    await heard(first.speak("u", "w0"))  # takes the one there is
    reading = asyncio.create_task(heard(second.speak("u", "w0")))
    for _ in range(turns):
        await asyncio.sleep(0)
    if closes:
        await second.aclose()
        await asyncio.sleep(0.1)
        assert server.open == 1  # the first one's
    else:
        second.cancel("u")
    await reading
    await engine.aclose()
    assert server.open == 0


async def test_a_session_that_is_forgotten_lets_go_of_its_connection() -> None:
    server = FakeServer()
    engine = engine_of(server, spare=False)
    session = await engine.open("fake")
    await heard(session.speak("u", "w0"))
    chunks = session.speak("u2", TEXT)
    await anext(chunks)
    assert server.open == 1
    del session, chunks
    await asyncio.sleep(0.1)
    gc.collect()
    await asyncio.sleep(0.1)
    assert server.open == 0
    await engine.aclose()


async def test_a_connection_that_is_not_opened_in_time_costs_the_unit_its_life() -> None:
    server = FakeServer()
    engine = engine_of(server, spare=False, unit_timeout_s=3)
    await engine.start()
    first, second = [await engine.open("fake") for _ in range(2)]
    await heard(first.speak("u", "w0"))  # takes the one there is
    connect, opening = server.connect, asyncio.Event()

    async def endless() -> object:
        opening.set()
        await asyncio.sleep(1e6)
        return await connect()

    engine._connect = endless  # type: ignore[assignment]
    with pytest.raises(EngineError, match="no speech within 3 s"):
        await heard(second.speak("u", "w0"))
    assert opening.is_set()
    engine._connect = connect  # type: ignore[assignment]
    assert (await heard(second.speak("u", "w0")))[0] == ["w0"]
    await engine.aclose()


async def test_closing_ends_what_runs_and_what_is_being_opened() -> None:
    server = roomy()
    engine = engine_of(server)
    session = await engine.open("fake")
    reading = asyncio.create_task(heard(session.speak("u", LONG)))
    await asyncio.sleep(0.01)
    server.refuses = LinkEndedError("gone")
    server.links[-1].end("gone")
    await engine.aclose()
    await reading
    assert server.open == 0
    with pytest.raises(EngineError, match="closed"):
        await engine.open("fake")

"""A client asks for no more than it hears, leaves nothing running, is ready before it is asked."""

from __future__ import annotations

import asyncio
import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from speech.engines.remote.parts import parts
from speech.errors import EngineError, EngineRefusedError
from speech.wire import (
    EVERY_UNIT,
    Cancel,
    Error,
    FrameJoiner,
    Ping,
    Pong,
    Ready,
    Speak,
    Started,
    Words,
)
from tests.engines.fake_voice import RATE_HZ, WORD, heard
from tests.engines.remote.fake_server import LIMITS, FakeServer
from tests.engines.remote.test_recovery import TEXT, WORDS, engine_of, lengths

pytestmark = pytest.mark.looptime

LONG = " ".join(f"w{number}" for number in range(80))
"""Eight seconds."""


def roomy(**options: object) -> FakeServer:
    return FakeServer(limits=replace(LIMITS, text_chars=5_000), **options)  # type: ignore[arg-type]


async def test_a_listener_who_is_asleep_holds_the_server() -> None:
    server = roomy()
    session = await engine_of(server, spare=False).open("fake")
    chunks = session.speak("u", LONG)
    await anext(chunks)
    await asyncio.sleep(60)
    assert server.links[0].sent == 3 * RATE_HZ
    samples = WORD + sum([len(chunk.samples) async for chunk in chunks])
    assert samples == 80 * WORD


@pytest.mark.parametrize("reader_is_there", [True, False])
async def test_credit_is_whole_again_behind_every_cut(reader_is_there: bool) -> None:
    server = roomy()
    session = await engine_of(server, spare=False).open("fake")
    for number in range(20):
        chunks = session.speak(str(number), LONG)
        for _ in range(number % 5 + 1):
            await anext(chunks)
        session.cancel(str(number))
        if reader_is_there:
            assert await heard(chunks) == ([], [])
        else:
            await chunks.aclose()
    assert (await heard(session.speak("last", LONG)))[0] == LONG.split()
    left_s = server.links[0].credit / RATE_HZ
    assert 2.7 <= left_s <= 3.0


async def test_a_cancelled_unit_is_cancelled_at_the_server_and_none_other() -> None:
    server = roomy()
    session = await engine_of(server, spare=False).open("fake")
    cut, whole = session.speak("u", LONG), session.speak("u2", TEXT)
    await anext(cut)
    session.cancel("u")  # its reader does not come back
    assert (await heard(whole))[0] == WORDS
    asked = [message for message in server.links[0].heard if isinstance(message, Speak | Cancel)]
    assert [(type(message), message.id) for message in asked] == [
        (Speak, "1"), (Cancel, "1"), (Cancel, EVERY_UNIT), (Speak, "2"),
    ]  # fmt: skip


async def test_the_server_is_told_how_long_its_listener_has_still_to_hear() -> None:
    server = roomy()
    session = await engine_of(server, spare=False).open("fake")
    for number in range(2):
        await heard(session.speak(str(number), LONG))
    await asyncio.sleep(15.5)
    await heard(session.speak("late", LONG))
    session.cut()
    await heard(session.speak("after a cut", LONG))
    due = [said.deadline_ms for said in server.links[0].heard if isinstance(said, Speak)]
    assert due[0] is None
    assert due[1] == pytest.approx(8_000, abs=10)
    assert due[2:] == [None, None]


async def test_a_unit_that_has_ended_cannot_be_cut_but_what_was_heard_of_it_can() -> None:
    server = roomy()
    session = await engine_of(server, spare=False).open("fake")
    await heard(session.speak("1", LONG))
    session.cancel("1")  # as the voice does at the end of each unit
    await heard(session.speak("2", TEXT))
    session.cut()
    session.cut()
    await heard(session.speak("3", TEXT))
    told = [said for said in server.links[0].heard if isinstance(said, Speak | Cancel)]
    assert [said.id for said in told] == ["1", "2", EVERY_UNIT, "3"]
    assert [said.deadline_ms for said in told if isinstance(said, Speak)] == [None, 8_000, None]


async def test_a_listener_who_paused_is_known_to_have_more_to_hear() -> None:
    server = roomy()
    session = await engine_of(server, spare=False).open("fake")
    await heard(session.speak("1", LONG))
    await asyncio.sleep(6)
    session.played(5.0)
    await heard(session.speak("2", TEXT))
    assert [said.deadline_ms for said in server.links[0].heard if isinstance(said, Speak)] == [
        None, 5_000,
    ]  # fmt: skip


async def test_in_version_0_a_cancelled_unit_ends_its_connection() -> None:
    server = FakeServer(version=0)
    session = await engine_of(server).open("af_heart")
    chunks = session.speak("u", TEXT)
    await anext(chunks)
    session.cancel("u")
    await asyncio.sleep(0.1)
    assert server.links[0].closed  # at once: only that stops the container's computation
    assert lengths((await heard(session.speak("u2", "w7")))[1]) == [(8, WORD)]


async def test_the_first_unit_of_a_session_does_not_wait_for_a_connection() -> None:
    server = FakeServer()
    engine = engine_of(server)
    await engine.start()
    sessions = [await engine.open("fake") for _ in range(3)]
    for count, session in enumerate(sessions, start=1):
        await asyncio.sleep(1)
        assert len(server.links) == count  # there is one more than sessions that have spoken
        await heard(session.speak("u", "w0"))
    await engine.aclose()
    assert server.open == 0


async def test_the_spare_connection_is_kept_alive_and_renewed() -> None:
    server = FakeServer()
    engine = engine_of(server)
    await engine.start()
    await asyncio.sleep(301)
    assert len(server.links) == 1
    assert sum(isinstance(message, Ping) for message in server.links[0].heard) >= 15
    server.kill()
    await asyncio.sleep(25)
    assert server.open == 1
    await engine.aclose()


@pytest.mark.parametrize("version", [0, 1])
async def test_a_connection_near_its_end_is_given_no_unit(version: int) -> None:
    server = FakeServer(version=version, lifetime_s=100)
    engine = engine_of(server)
    session = await engine.open("fake" if version else "af_heart")
    used = []
    for _ in range(10):
        await heard(session.speak("u", "w0"))
        used.append(
            next(n for n, link in enumerate(server.links) if link.units and not link.closed)
        )
        await asyncio.sleep(40)
    assert len(set(used)) > 3
    assert all(not link.closed or link.units or n for n, link in enumerate(server.links))
    await engine.aclose()


async def test_a_session_that_was_silent_longer_than_the_server_waits_speaks_at_once() -> None:
    server = FakeServer()
    engine = engine_of(server)
    session = await engine.open("fake")
    await heard(session.speak("u", "w0"))
    await asyncio.sleep(120)
    server.links[0].end("idle")
    begun = asyncio.get_running_loop().time()
    assert (await heard(session.speak("u2", TEXT)))[0] == WORDS
    assert asyncio.get_running_loop().time() == begun


async def test_a_text_longer_than_the_server_takes_is_said_in_parts() -> None:
    server = FakeServer()
    engine = engine_of(server)
    session = await engine.open("fake")
    words, samples = await heard(session.speak("u", LONG))
    assert words == LONG.split()
    assert lengths(samples) == [(number + 1, WORD) for number in range(80)]
    assert len(server.asked) == 4
    await engine.aclose()


@pytest.mark.parametrize(
    ("text", "longest", "cut"),
    [
        ("One. Two, three. Four five.", 20, ["One. Two, three. ", "Four five."]),
        ("One, two three four", 15, ["One, two three ", "four"]),
        ("x" * 25, 10, ["x" * 10, "x" * 10, "x" * 5]),
        ("aaaa [word](/wɜːd/) b", 12, ["aaaa ", "[word](/wɜːd/) b"]),
        ("", 10, [""]),
    ],
)
def test_where_a_text_is_cut(text: str, longest: int, cut: list[str]) -> None:
    assert "".join(parts(text, longest)) == text
    assert list(parts(text, longest)) == cut or len(cut[-1]) > longest


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (Error("of a later version", "not now", True), EngineError),
        (Error("wrong_version", "no", False), EngineRefusedError),
        ("what?", EngineRefusedError),
        (b"\0\1", EngineError),
    ],
)
async def test_a_greeting_that_is_not_returned(answer: object, kind: type[EngineError]) -> None:
    server = FakeServer()
    server.mute = True
    engine = engine_of(server)
    starting = asyncio.create_task(engine.start())
    await asyncio.sleep(1)
    server.links[0].say(answer)
    with pytest.raises(kind) as caught:
        await starting
    assert "\n" not in str(caught.value)
    assert server.open == 0


@pytest.mark.parametrize(
    ("field", "changed"),
    [
        ("version", {"version": 2}),
        ("version", {"version": 0}),
        ("sample_rate", {"sample_rate": 8_000}),
        ("voices", {"voices": ()}),
        ("limits", {"limits": replace(LIMITS, text_chars=0)}),
        ("limits", {"limits": replace(LIMITS, text_chars=-5)}),
        ("limits", {"limits": replace(LIMITS, session_s=0.0)}),
        ("limits", {"limits": replace(LIMITS, idle_s=0.01)}),
    ],
)
@pytest.mark.parametrize("protocol", ["auto", 1])
async def test_a_greeting_returned_otherwise_than_asked_is_refused(
    field: str, changed: dict[str, object], protocol: Any
) -> None:
    """Not heard at a third of the speed, cut into nothing for ever, or connected to for ever."""
    server = FakeServer()
    server.mute = True
    engine = engine_of(server, protocol=protocol)
    starting = asyncio.create_task(engine.start())
    await asyncio.sleep(1)
    good = Ready(1, "fake", 24_000, (24_000,), ("fake",), LIMITS)
    server.links[0].say(replace(good, **changed))
    with pytest.raises(EngineRefusedError, match=field):
        await starting
    assert server.open == 0


async def test_messages_of_other_units_do_not_keep_a_unit_alive() -> None:
    server = FakeServer()
    server.answer = [Started("1", 1)]
    engine = engine_of(server, spare=False, unit_timeout_s=20)
    session = await engine.open("fake")
    unit = asyncio.create_task(heard(session.speak("u", TEXT)))
    late = next(FrameJoiner(9).split(np.zeros(24, np.int16))).pack()
    foreign = itertools.cycle(
        [Words("9", ()), Started("9", 9), Pong(), late, Error("unknown_unit", "", False)]
    )
    while not unit.done():
        server.links[0].say(next(foreign))
        await asyncio.sleep(1)
    with pytest.raises(EngineError, match="within 20 s"):
        await unit
    await engine.aclose()


async def test_a_server_that_does_not_greet_back_is_given_up() -> None:
    server = FakeServer()
    server.mute = True
    with pytest.raises(EngineError, match="did not answer within 5 s"):
        await engine_of(server).start()
    assert server.open == 0


async def test_a_server_that_hangs_up_at_a_greeting_speaks_version_0() -> None:
    server = FakeServer(version=0)
    server.mute = True
    connect, engine = server.connect, engine_of(server)

    async def rude() -> object:
        link = await connect()
        if len(server.links) == 1:
            link.end("what?")
        return link

    engine._connect = rude  # type: ignore[assignment]
    session = await engine.open("af_heart")
    assert lengths((await heard(session.speak("u", "w1")))[1]) == [(2, WORD)]
    await engine.aclose()


async def test_who_once_said_hello_is_not_taken_for_version_0() -> None:
    server = FakeServer(dies=(2,))
    connect, engine = server.connect, engine_of(server, spare=False)

    async def breaks() -> object:
        link = await connect()
        if len(server.links) == 2:
            link.end("broke at the greeting")
        return link

    engine._connect = breaks  # type: ignore[assignment]
    session = await engine.open("fake")
    assert (await heard(session.speak("u", "w0 w1, w2 w3")))[0] == ["w0", "w1", "w2", "w3"]
    assert len(server.links) == 3
    await engine.aclose()


async def test_a_spare_connection_that_cannot_be_opened_is_not_tried_for_ever() -> None:
    server = FakeServer()
    engine = engine_of(server, protocol=1)
    await engine.start()
    connect = server.connect

    async def dead() -> object:
        link = await connect()
        link.end("closed at once")
        return link

    engine._connect = dead  # type: ignore[assignment]
    server.kill()
    await asyncio.sleep(600)
    assert len(server.links) < 100
    await engine.aclose()

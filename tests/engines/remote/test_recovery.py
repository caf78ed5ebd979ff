"""A connection that ends in the middle of a unit costs no word, and none is said twice."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Coroutine
from typing import Any

import looptime
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from speech.engines.fallback import FallbackEngine
from speech.engines.remote.engine import RemoteEngine
from speech.errors import EngineBusyError, EngineError, EngineRefusedError
from speech.wire import Busy, Done, Draining, Error, Started
from tests.engines.fake_voice import WORD, FakeVoice, heard
from tests.engines.remote.fake_server import FakeServer

pytestmark = pytest.mark.looptime
"""A virtual clock: whole minutes pass at once."""

TEXT = "w0 w1, w2 w3 w4 w5."
WORDS = ["w0", "w1", "w2", "w3", "w4", "w5"]
ALL = [(number + 1, WORD) for number in range(6)]


def engine_of(server: FakeServer, **options: Any) -> RemoteEngine:
    clock = asyncio.get_running_loop().time
    return RemoteEngine("server", server.connect, clock=clock, **options)


def lengths(samples: list[int]) -> list[tuple[int, int]]:
    return [(number, len(list(run))) for number, run in itertools.groupby(samples)]


def run(work: Coroutine[Any, Any, Any]) -> Any:
    loop = looptime.new_event_loop()
    try:
        return loop.run_until_complete(work)
    finally:
        loop.close()


async def spoken(server: FakeServer, *texts: str, **options: Any) -> list[Any]:
    """What is heard of units said one after the other."""
    engine = engine_of(server, **options)
    session = await engine.open("fake" if server.version else "af_heart")
    said = [await heard(session.speak(str(n), text)) for n, text in enumerate(texts)]
    await engine.aclose()
    assert server.open == 0
    return said


deaths = st.lists(st.integers(0, 6), max_size=5)


@settings(max_examples=50, deadline=None)
@given(sizes=st.lists(st.integers(1, 3 * WORD), max_size=8), dies=deaths)
def test_wherever_it_ends_each_word_is_heard_whole_and_once(
    sizes: list[int], dies: list[int]
) -> None:
    server = FakeServer(sizes=(*sizes, 2 * WORD), dies=tuple(dies))
    first, second = run(spoken(server, TEXT, "w7 w8"))
    assert first[0] == WORDS
    runs = lengths(first[1])
    assert [number for number, _ in runs] == [1, 2, 3, 4, 5, 6]
    # A begun word may be said from its start again, once for each death; none is cut short.
    assert all(length >= WORD for _, length in runs)
    assert sum(length != WORD for _, length in runs) <= len(dies)
    assert (second[0], lengths(second[1])) == (["w7", "w8"], [(8, WORD), (9, WORD)])


@settings(max_examples=50, deadline=None)
@given(sizes=st.lists(st.integers(1, 3 * WORD), max_size=8), dies=deaths)
def test_in_version_0_each_sample_is_heard_once(sizes: list[int], dies: list[int]) -> None:
    server = FakeServer(version=0, sizes=(*sizes, 2 * WORD), dies=tuple(dies))
    first, second = run(spoken(server, TEXT, "w7"))
    assert lengths(first[1]) == ALL
    assert lengths(second[1]) == [(8, WORD)]


async def test_it_goes_on_with_the_word_that_was_not_whole() -> None:
    server = FakeServer(sizes=(2 * WORD + 700,), dies=(1,))
    [(words, samples)] = await spoken(server, TEXT, spare=False)
    assert (words, lengths(samples)) == (WORDS, ALL)
    assert server.asked == [TEXT, "w2 w3 w4 w5."]


async def test_a_server_that_comes_back_in_time_is_gone_on_with() -> None:
    server = FakeServer(dies=(2,))
    engine = engine_of(server, spare=False)
    session = await engine.open("fake")
    server.refuses = EngineError("connection refused")
    asyncio.get_running_loop().call_later(6, setattr, server, "refuses", None)
    words, samples = await heard(session.speak("u", TEXT))
    assert (words, lengths(samples)) == (WORDS, ALL)
    assert 6 <= asyncio.get_running_loop().time() <= 7.1
    await engine.aclose()


async def test_a_server_that_stays_away_fails_the_unit_in_time_and_no_other() -> None:
    server = FakeServer(dies=(2,))
    engine = engine_of(server, spare=False)
    session = await engine.open("fake")
    server.refuses = EngineError("connection refused")
    chunks = session.speak("u", TEXT)
    assert [(await anext(chunks)).words[0].text for _ in range(2)] == ["w0", "w1"]
    with pytest.raises(EngineError, match=r"connection refused; not reached again within 10 s"):
        await anext(chunks)
    assert 8.9 <= asyncio.get_running_loop().time() <= 10
    server.refuses = None
    assert (await heard(session.speak("u2", "w3")))[0] == ["w3"]
    await engine.aclose()


@pytest.mark.parametrize(
    "error", [EngineRefusedError("who are you?"), EngineBusyError("no room", 40.0)]
)
async def test_what_waiting_does_not_mend_fails_at_once(error: EngineError) -> None:
    server = FakeServer(dies=(2,))
    session = await engine_of(server, spare=False).open("fake")
    server.refuses = error
    with pytest.raises(type(error)):
        await heard(session.speak("u", TEXT))
    assert asyncio.get_running_loop().time() < 1


@pytest.mark.parametrize(("drawn", "comes_at_s"), [(0.0, 4.0), (1.0, 5.0)])
async def test_who_goes_on_at_a_busy_server_comes_back_when_told_and_not_with_all_others(
    drawn: float, comes_at_s: float
) -> None:
    """Beyond the first link: a new unit that is refused is the caller's to ask again."""
    server = FakeServer(dies=(2,))
    engine = engine_of(server, spare=False, chance=lambda: drawn)
    session = await engine.open("fake")
    server.refuses = EngineBusyError("no room", 4.0)
    asyncio.get_running_loop().call_later(1, setattr, server, "refuses", None)
    server.answer = [None, Busy("?", 4.0, "capacity")]
    words, samples = await heard(session.speak("u", TEXT))
    assert (words, lengths(samples)) == (WORDS, ALL)
    assert asyncio.get_running_loop().time() == pytest.approx(2 * comes_at_s, abs=0.1)
    await engine.aclose()


async def test_a_server_that_answers_no_more_is_left() -> None:
    server = FakeServer(stops=(2,))
    engine = engine_of(server, spare=False)
    session = await engine.open("fake")
    unit = asyncio.create_task(heard(session.speak("u", TEXT)))
    await asyncio.sleep(1)
    assert server.mute
    asyncio.get_running_loop().call_later(2, setattr, server, "mute", False)
    words, samples = await unit
    assert (words, lengths(samples)) == (WORDS, ALL)
    assert [link.was_lost for link in server.links] == [True, False]
    assert 4 <= asyncio.get_running_loop().time() < 5  # two seconds, then two for the answer
    await engine.aclose()


async def test_a_server_that_only_answers_pings_costs_the_unit_its_life() -> None:
    server = FakeServer()
    server.answer = [Draining(1.0, "draining")]  # in place of the unit; then it says nothing
    engine = engine_of(server, spare=False, unit_timeout_s=20)
    session = await engine.open("fake")
    with pytest.raises(EngineError, match="within 20 s"):
        await heard(session.speak("u", TEXT))
    assert asyncio.get_running_loop().time() == pytest.approx(20, abs=0.5)
    assert (await heard(session.speak("u2", TEXT)))[0] == WORDS
    await engine.aclose()


@pytest.mark.parametrize(
    ("answer", "kind", "retry_after_s"),
    [
        (Busy("?", 7.5, "capacity"), EngineBusyError, 7.5),
        (Busy("?", 0.5, "queue_full"), EngineBusyError, 0.5),
        (Error("synthesis_failed", "no", True), EngineError, None),
        (Error("text_too_long", "no", False), EngineError, None),
        (Error("of a later version", "no", False), EngineRefusedError, None),
    ],
)
async def test_a_refused_unit_is_a_typed_error_and_the_next_one_speaks(
    answer: Busy | Error, kind: type[EngineError], retry_after_s: float | None
) -> None:
    server = FakeServer()
    server.answer = [answer]
    engine = engine_of(server)
    session = await engine.open("fake")
    with pytest.raises(kind) as caught:
        await heard(session.speak("u", TEXT))
    assert getattr(caught.value, "retry_after_s", None) == retry_after_s
    assert (await heard(session.speak("u2", TEXT)))[0] == WORDS
    await engine.aclose()


@pytest.mark.parametrize(
    "answer",
    [
        Busy("?", 1.0, "draining"), Error("wrong_order", "", False), "{}", "[", b"", b"\1\1",
        Done("1", 9.0, 1.0, 9), Done("1", 0.0, 0.0, 0), (Started("1", 1), Started("1", 2)),
        (Started("1", 1), b"\1\1\0\0\1\0\0\0" + b"\7\0\0\0" * 2 + b"abcd"),
    ],
    ids=str,
)  # fmt: skip
async def test_a_connection_that_makes_no_sense_or_is_about_to_end_is_changed(
    answer: object,
) -> None:
    server = FakeServer()
    server.answer = [answer, "so does the spare one: {"]
    engine = engine_of(server)
    session = await engine.open("fake")
    words, samples = await heard(session.speak("u", TEXT))
    assert (words, lengths(samples)) == (WORDS, ALL)
    await engine.aclose()
    assert server.open == 0


async def test_with_a_fallback_the_other_engine_goes_on_while_it_is_away() -> None:
    clock = asyncio.get_running_loop().time
    server, local = FakeServer(dies=(2,)), FakeVoice("local")
    engine = FallbackEngine(engine_of(server, spare=False), local, clock=clock)
    session = await engine.open("fake")
    server.refuses = EngineError("connection refused")
    words, samples = await heard(session.speak("u", TEXT))
    assert (words, lengths(samples)) == (WORDS, ALL)
    assert local.asked == ["w2 w3 w4 w5."]
    assert clock() < 3.5
    server.refuses = None
    await heard(session.speak("u2", TEXT))
    await asyncio.sleep(5)
    await heard(session.speak("u3", TEXT))
    assert len(local.asked) == 2
    await engine.aclose()

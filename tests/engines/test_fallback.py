"""Where one engine fails the other goes on with the next word: none is lost, none said twice."""

from __future__ import annotations

import asyncio
import itertools

import looptime
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from speech.engines.fallback import FallbackEngine
from speech.engines.remote.incoming import UnreadableUnitError
from speech.engines.rest import Rest
from speech.errors import EngineBusyError, EngineError, EngineRefusedError, UsageError
from tests.engines.fake_voice import WORD, FakeSession, FakeVoice, Plan, heard

pytestmark = pytest.mark.looptime
"""A virtual clock: whole minutes pass at once."""

WORDS = ["w0", "w1", "w2", "w3", "w4", "w5"]
TEXT = "w0 w1, w2 w3 w4 w5."


def joined(first: FakeVoice, second: FakeVoice) -> FallbackEngine:
    return FallbackEngine(first, second, clock=asyncio.get_running_loop().time)


def lengths(samples: list[int]) -> list[tuple[int, int]]:
    """The numbers of the words that sound, in order, and for how many samples each."""
    return [(number, len(list(run))) for number, run in itertools.groupby(samples)]


ALL = [(number + 1, WORD) for number in range(6)]


@settings(deadline=None)
@given(
    sizes=st.lists(st.integers(1, 3 * WORD), max_size=12),
    fails_after=st.integers(0, 12),
    stalls=st.booleans(),
)
def test_wherever_it_fails_each_word_is_heard_whole_and_once(
    sizes: list[int], fails_after: int, stalls: bool
) -> None:
    async def speak() -> tuple[list[str], list[int], FakeVoice]:
        ends: dict[str, int] = {"silent_after" if stalls else "fails_after": fails_after}
        first, second = FakeVoice("first", sizes=(*sizes, 2 * WORD), **ends), FakeVoice("second")
        session = await joined(first, second).open("fake")
        return *await heard(session.speak("u", TEXT)), second

    loop = looptime.new_event_loop()
    words, samples, second = loop.run_until_complete(speak())
    loop.close()
    assert words == WORDS
    runs = lengths(samples)
    assert [number for number, _ in runs] == [1, 2, 3, 4, 5, 6]
    # A word may be begun, and then said from its start; no other is touched.
    again = [(number, length) for number, length in runs if length != WORD]
    assert len(again) <= 1
    assert all(WORD < length < 2 * WORD for _, length in again)
    assert len(second.asked) <= 1


async def test_both_are_told_of_their_listener(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[str, float]] = []
    for what in ("played", "cut"):
        monkeypatch.setattr(
            FakeSession, what, lambda self, ahead_s=0.0, what=what: told.append((what, ahead_s))
        )
    session = await joined(FakeVoice("first"), FakeVoice("second")).open("fake")
    session.played(2.0)
    session.cut()
    assert told == [("played", 2.0)] * 2 + [("cut", 0.0)] * 2


async def test_it_takes_over_at_the_end_of_a_word() -> None:
    first, second = FakeVoice(sizes=(2 * WORD + 700,), fails_after=1), FakeVoice()
    session = await joined(first, second).open("fake")
    words, samples = await heard(session.speak("u", TEXT))
    assert (words, lengths(samples)) == (WORDS, ALL)
    assert second.asked == ["w2 w3 w4 w5."]


async def test_what_ends_a_sentence_is_not_said_by_itself() -> None:
    first, second = FakeVoice(fails_after=6), FakeVoice()
    session = await joined(first, second).open("fake")
    assert (await heard(session.speak("u", TEXT)))[0] == WORDS
    assert second.asked == []


@pytest.mark.parametrize("chunks", [0, 3])
async def test_without_word_times_the_unit_is_said_again_from_its_start(chunks: int) -> None:
    first, second = FakeVoice(times=False, fails_after=chunks), FakeVoice()
    session = await joined(first, second).open("fake")
    words, samples = await heard(session.speak("u", TEXT))
    assert second.asked == [TEXT]
    assert words == WORDS
    assert lengths(samples[-6 * WORD :]) == ALL


async def test_a_hint_how_to_say_a_word_is_not_cut_in_two() -> None:
    text = "w0 [w1](/wʌn/) [w2](/tuː/) w3"
    for said, rest in ((1, "[w1](/wʌn/) [w2](/tuː/) w3"), (2, "[w2](/tuː/) w3"), (3, "w3")):
        first, second = FakeVoice(fails_after=said), FakeVoice()
        session = await joined(first, second).open("fake")
        await heard(session.speak("u", text))
        assert second.asked == [rest]


async def test_an_engine_that_falls_silent_is_left_before_the_listener_notices_much() -> None:
    clock = asyncio.get_running_loop().time
    first, second = FakeVoice(sizes=(50 * WORD,), silent_after=1), FakeVoice()
    session = await joined(first, second).open("fake")
    begun = clock()
    words, _ = await heard(session.speak("u", " ".join(f"w{n}" for n in range(80))))
    assert words == [f"w{n}" for n in range(80)]
    assert clock() - begun == pytest.approx(4.0, abs=0.05)  # 5 s were left to hear


async def test_an_engine_that_does_not_begin_is_left_after_three_seconds() -> None:
    clock = asyncio.get_running_loop().time
    session = await joined(FakeVoice(silent_after=0), FakeVoice()).open("fake")
    begun = clock()
    assert (await heard(session.speak("u", TEXT)))[0] == WORDS
    assert clock() - begun == pytest.approx(3.0, abs=0.05)


async def test_a_begun_word_waits_no_longer_than_there_is_something_to_hear() -> None:
    """Chunks that come just in time are handed on just in time."""
    clock = asyncio.get_running_loop().time
    size = 2 * WORD + 1_000
    first = FakeVoice(sizes=(size,), pause_s=size / 24_000 - 0.02)
    session = await joined(first, FakeVoice()).open("fake")
    heard_to: float | None = None
    async for chunk in session.speak("u", TEXT):
        now = clock()
        assert heard_to is None or now <= heard_to + 1e-6
        heard_to = max(heard_to or now, now) + len(chunk.samples) / 24_000


async def test_the_first_is_asked_again_after_a_rest() -> None:
    first, second = FakeVoice(fails_after=0), FakeVoice()
    session = await joined(first, second).open("fake")
    asked = []
    for _ in range(12):
        await heard(session.speak("u", "w0"))
        await asyncio.sleep(1)
        asked.append(len(first.asked))
    assert asked == [1] * 5 + [2] * 7  # then ten seconds
    first.plan = Plan()
    await asyncio.sleep(5)
    second.asked.clear()
    await heard(session.speak("u", "w0"))
    assert second.asked == []


@pytest.mark.parametrize(
    ("error", "pauses"),
    [
        (EngineError("gone"), [5, 10, 20, 40, 60, 60]),
        (EngineBusyError("full", 8), [8, 10, 20]),
        (EngineBusyError("full", 90), [90, 90]),
        (EngineBusyError("full"), [5, 10]),
        (EngineBusyError("for ever", 1e300), [600, 600]),
        (EngineBusyError("for ever", float("inf")), [600, 600]),
        (EngineRefusedError("no such token"), [600, 600]),
    ],
)
def test_how_long_it_rests(error: EngineError, pauses: list[int]) -> None:
    now = 0.0
    rest = Rest(lambda: now, lambda: 0.0)
    assert not rest.resting
    for _ in range(2):
        for pause_s in pauses:
            rest.failed(error)
            now += pause_s - 0.01
            assert rest.resting
            now += 0.02
            assert not rest.resting
        rest.spoke()


def test_not_all_come_back_the_moment_they_were_told() -> None:
    now = 0.0
    rest = Rest(lambda: now, lambda: 1.0)
    rest.failed(EngineBusyError("full", 8))
    now = 9.9
    assert rest.resting
    now = 10.1
    assert not rest.resting


async def test_all_sessions_know_that_it_rests() -> None:
    first, second = FakeVoice(fails_after=0), FakeVoice()
    engine = joined(first, second)
    for _ in range(3):
        session = await engine.open("fake")
        await heard(session.speak("u", TEXT))
    assert len(first.asked) == 1
    assert len(second.asked) == 3


async def test_one_that_cannot_be_opened_is_opened_later() -> None:
    first, second = FakeVoice(), FakeVoice()
    first.open_error = EngineError("no connection")
    engine = joined(first, second)
    await engine.start()
    session = await engine.open("fake")
    await heard(session.speak("u1", TEXT))
    first.open_error = None
    await asyncio.sleep(6)
    await heard(session.speak("u2", TEXT))
    assert (first.asked, second.asked) == ([TEXT], [TEXT])


async def test_where_both_fail_it_is_an_error_and_the_next_unit_is_tried() -> None:
    first, second = FakeVoice(fails_after=1), FakeVoice(fails_after=0)
    session = await joined(first, second).open("fake")
    with pytest.raises(EngineError, match="gone"):
        await heard(session.speak("u", TEXT))
    second.plan = Plan()
    assert (await heard(session.speak("u2", TEXT)))[0] == WORDS


@pytest.mark.parametrize("error", [UsageError("too long"), UnreadableUnitError("too long")])
async def test_a_text_that_the_first_refuses_is_no_reason_to_leave_it(error: Exception) -> None:
    first, second = FakeVoice(fails_after=0, error=error), FakeVoice()
    session = await joined(first, second).open("fake")
    assert (await heard(session.speak("u", TEXT)))[0] == WORDS
    first.plan = Plan()
    await heard(session.speak("u2", "w0"))
    assert first.asked == [TEXT, "w0"]


async def test_a_unit_behind_a_failing_one_waits_for_it() -> None:
    first, second = FakeVoice(fails_after=2), FakeVoice(pause_s=1.0)
    session = await joined(first, second).open("fake")
    order: list[str] = []

    async def read(unit_id: str) -> None:
        async for chunk in session.speak(unit_id, TEXT):
            order.append(chunk.unit_id)

    await asyncio.gather(read("u1"), read("u2"))
    assert order == ["u1"] * 6 + ["u2"] * 6


@pytest.mark.parametrize("voice", ["first", "second"])
async def test_cancelling_ends_at_once_whoever_speaks(voice: str) -> None:
    clock = asyncio.get_running_loop().time
    first = FakeVoice(silent_after=2) if voice == "first" else FakeVoice(fails_after=0)
    session = await joined(first, FakeVoice(silent_after=2)).open("fake")
    reading = asyncio.create_task(heard(session.speak("u", TEXT)))
    await asyncio.sleep(1)
    session.cancel("u")
    begun = clock()
    await reading
    assert clock() == begun


async def test_each_stage_is_stamped_once() -> None:
    stamps: list[tuple[str, str]] = []
    engine = joined(FakeVoice(fails_after=2), FakeVoice())
    session = await engine.open("fake", stamp=lambda *stamp: stamps.append(stamp))
    await heard(session.speak("u", TEXT))
    assert stamps == [("synthesis_start", "u"), ("first_chunk", "u")]


async def test_starting_needs_one_of_them() -> None:
    first, second = FakeVoice(), FakeVoice()
    second.open_error = EngineError("no connection")
    await joined(first, second).start()
    first.open_error = EngineRefusedError("who are you?")
    with pytest.raises(EngineRefusedError):
        await joined(first, second).start()
    first.open_error = UsageError("no such model")
    second.open_error = None
    with pytest.raises(UsageError, match="no such model"):
        await joined(first, second).start()


async def test_both_must_have_one_rate() -> None:
    other = FakeVoice("slow")
    other.sample_rate = 16_000
    with pytest.raises(UsageError, match="same rate"):
        joined(FakeVoice(), other)

"""An engine with limits refuses at once what it cannot keep, and paces who does not listen."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from server.speech.voices import Voices
from speech.engine import PacedSession, PcmChunk
from speech.errors import EngineBusyError, UsageError
from speech.kokoro.engine import KokoroEngine
from speech.kokoro.model import Computation
from speech.kokoro.session import KokoroSession
from speech.kokoro.statistics import VoiceStatistics
from speech.kokoro.streaming import Statistics, Utterance
from speech.scheduler.limits import Limits
from speech.spoken.engine import SpokenEngine

VOICE = "af_noise"
OWN = Statistics((np.ones(4, np.float32),), (np.ones(4, np.float32),))
LONG = "This is a sentence of some length, so that it is spoken in more than one piece."
FRAMES = 640


class FakeKokoro:
    """Noise, 8 s a unit, in no time; ``front`` waits while ``held`` is clear."""

    context_frames = 0
    streams = True

    def __init__(self) -> None:
        self.held = threading.Event()
        self.held.set()
        self.computed: list[str] = []

    def front(
        self, ids: Sequence[int], style: Any, speed: float, computation: Computation
    ) -> Utterance:
        self.held.wait(10)
        self.computed.append("front")
        durations = np.zeros(len(ids) + 2, np.int64)
        durations[1] = FRAMES // 2
        return Utterance(FRAMES, durations, None)

    def whole(self, utterance: Utterance, computation: Computation) -> tuple[Any, Statistics]:
        return self._noise(utterance.frames), OWN

    def chunk(
        self, utterance: Utterance, statistics: Statistics, start: int, stop: int, _: Computation
    ) -> Any:
        self.computed.append("chunk")
        return self._noise(stop - start)

    @staticmethod
    def _noise(frames: int) -> Any:
        return np.full(300 * frames, 0.3, np.float32)


@pytest.fixture
def model() -> FakeKokoro:
    return FakeKokoro()


@pytest.fixture
async def engine(tmp_path: Path, model: FakeKokoro) -> AsyncIterator[KokoroEngine]:
    voices = tmp_path / "voices"
    voices.mkdir()
    np.zeros((510, 1, 256), np.float32).tofile(voices / f"{VOICE}.bin")
    engine = KokoroEngine("fake", lambda: model, voices, tmp_path / "statistics")
    await engine.start()
    known = VoiceStatistics(tmp_path / "known.npz")
    for phonemes in range(10, 120, 10):
        known.fold(phonemes, OWN)
    engine._statistics.put(VOICE, known)
    model.computed.clear()
    yield engine
    model.held.set()
    await engine.aclose()


async def opened(engine: KokoroEngine) -> KokoroSession:
    return await engine.open(VOICE)


async def until(true: Callable[[], bool]) -> None:
    """Return once it is so, which a thread decides; the suite's timeout is the failure."""
    while not true():  # noqa: ASYNC110
        await asyncio.sleep(0.001)


async def read(chunks: AsyncIterator[PcmChunk]) -> float:
    return sum([len(chunk.samples) for chunk in [chunk async for chunk in chunks]]) / 24_000


async def test_too_long_too_many_and_too_many_sessions(engine: KokoroEngine) -> None:
    engine.limits = Limits(text_characters=100, units=2, sessions=1)
    session = await opened(engine)
    assert isinstance(session, PacedSession)
    with pytest.raises(EngineBusyError, match="1 sessions are open"):
        await opened(engine)
    with pytest.raises(UsageError, match="the text has 101 characters, and 100 are the most"):
        session.speak("u0", "x" * 101)
    kept = [session.speak("u1", "One."), session.speak("u2", "Two.")]
    with pytest.raises(EngineBusyError, match="2 units wait"):
        session.speak("u3", "Three.")
    session.cancel("u1")
    assert session.speak("u3", "Three.") is not kept[0]
    await session.aclose()
    await (await opened(engine)).aclose()


async def test_units_given_up_count_no_longer(engine: KokoroEngine) -> None:
    engine.limits = Limits(units=1)
    session = await opened(engine)
    for _ in range(3):
        await session.speak("unread", LONG).aclose()
    assert await read(session.speak("u1", LONG)) == pytest.approx(FRAMES / 80, abs=0.5)
    assert session.pending == []


async def test_a_reply_that_would_come_too_late_is_refused_at_once(
    engine: KokoroEngine, model: FakeKokoro
) -> None:
    engine.limits = Limits()
    as_slow_as_sound(engine)
    first, second = await opened(engine), await opened(engine)
    model.held.clear()
    speaking = asyncio.create_task(read(first.speak("u1", LONG)))
    await until(lambda: first.is_read)
    begun = time.monotonic()
    with pytest.raises(EngineBusyError) as refused:
        second.speak("u1", LONG)
    assert time.monotonic() - begun < 5
    assert refused.value.retry_after_s is not None
    assert refused.value.retry_after_s > 0
    assert second.pending == []
    first.cancel("u1")
    model.held.set()
    await speaking


def as_slow_as_sound(engine: KokoroEngine, times: float = 1.0) -> None:
    for frames in (32, 144) * 9:
        engine.speed_model.learn(frames, times * frames / 80)


async def test_a_listener_alone_is_never_refused_however_slow_the_machine(
    engine: KokoroEngine,
) -> None:
    engine.limits = Limits()
    as_slow_as_sound(engine, times=10)
    session = await opened(engine)
    units = [session.speak(str(number), LONG) for number in range(5)]
    assert session.pending[0].id == "0"
    assert await read(units[0]) > 7
    session.speak("in mid-reply", LONG)


async def test_two_voices_are_one_listener(engine: KokoroEngine, model: FakeKokoro) -> None:
    engine.limits = Limits(sessions=1, units=3)
    as_slow_as_sound(engine)
    first = await opened(engine)
    second = await first.beside(VOICE)
    model.held.clear()
    speaking = asyncio.create_task(read(first.speak("u1", LONG)))
    await until(lambda: first.is_read)
    units = [second.speak("u2", LONG), first.speak("u3", LONG)]
    with pytest.raises(EngineBusyError, match="3 units wait"):
        second.speak("u4", LONG)
    engine.limits = Limits(sessions=2)
    other = await opened(engine)
    with pytest.raises(EngineBusyError, match="every listener"):
        other.speak("u1", LONG)
    model.held.set()
    assert await speaking > 7
    await first.aclose()
    assert second.listener.sounds(time.monotonic())
    assert await read(units[0]) > 7
    assert [await read(unit) for unit in units[1:]] == [0]


async def test_a_connection_has_one_listener_however_many_voices(engine: KokoroEngine) -> None:
    voices = Voices(SpokenEngine(engine))
    speeds = (1.0, 1.1, 1.2)
    sessions = [await voices.get(VOICE, speed) for speed in speeds]
    assert len(engine.sessions) == len(set(sessions)) == len(speeds)
    assert len({session.listener for session in engine.sessions}) == 1
    await voices.aclose()
    assert engine.sessions == []


async def test_without_limits_nobody_is_refused(engine: KokoroEngine) -> None:
    as_slow_as_sound(engine, times=10)
    sessions = [await opened(engine) for _ in range(8)]
    units = [session.speak(str(n), LONG) for session in sessions for n in range(40)]
    assert len(units) == sum(len(session.pending) for session in sessions)


async def test_who_reads_no_further_has_one_chunk_made_ahead_and_is_no_load(
    engine: KokoroEngine, model: FakeKokoro
) -> None:
    engine.limits = Limits()
    asleep, other = await opened(engine), await opened(engine)
    queued = [asleep.speak(str(number), LONG) for number in range(100)]
    async with aclosing(queued[0]) as chunks:
        await anext(chunks)
        await until(lambda: not engine.worker.policy.waiting())
        assert await read(other.speak("u1", LONG)) > 7
        assert model.computed.count("front") == 2
        assert len(asleep.pending) == 100
        await asleep.aclose()
    assert asleep.pending == []


async def test_without_credit_nothing_is_made(engine: KokoroEngine, model: FakeKokoro) -> None:
    session, other = await opened(engine), await opened(engine)
    session.credit(0.5)
    reading = asyncio.create_task(read(session.speak("u1", LONG)))
    await until(lambda: bool(engine.worker.policy.waiting(session.listener)))
    await read(other.speak("u1", LONG))
    assert session.listener.credit_s <= 0
    assert not reading.done()
    session.credit(60.0)
    assert await reading > 7


async def test_what_the_listener_says_it_has_is_believed(engine: KokoroEngine) -> None:
    session = await opened(engine)
    session.played(30.0)
    assert session.listener.sounds(time.monotonic() + 20.0)
    assert not session.listener.sounds(time.monotonic() + 31.0)
    session.played(1.0)  # a lower bound: it takes nothing away
    assert session.listener.sounds(time.monotonic() + 20.0)
    session.cut()
    assert not session.listener.sounds(time.monotonic())


async def test_a_cut_between_units_is_a_cut_of_what_was_handed_on(engine: KokoroEngine) -> None:
    session = await opened(engine)
    assert await read(session.speak("u1", LONG)) > 7
    session.cancel("u1")  # it has ended, and is heard on
    assert session.listener.sounds(time.monotonic())
    assert session._playout.ahead_s(time.monotonic()) > 6
    session.cut()
    assert not session.listener.sounds(time.monotonic())
    assert session._playout.ahead_s(time.monotonic()) == 0
    async with aclosing(session.speak("u2", LONG)) as chunks:
        first = await anext(chunks)
    assert len(first.samples) < 24_000  # short, as at the beginning


async def test_cancelling_a_unit_that_waits_leaves_the_spoken_one_its_deadline(
    engine: KokoroEngine,
) -> None:
    session = await opened(engine)
    async with aclosing(session.speak("u1", LONG)) as spoken:
        await anext(spoken)
        waiting = session.speak("u2", LONG)
        due = session.listener.due
        session.cancel("u2")
        assert session.listener.due == due < float("inf")
        session.cancel("u1")
        assert session.listener.due == float("inf")
        await waiting.aclose()

"""Every ducking transport is silent in place, goes on from the same sample, is cut at once."""

from __future__ import annotations

import asyncio
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from pipecat.frames.frames import (
    BotStoppedSpeakingFrame,
    InterruptionFrame,
    TTSAudioRawFrame,
    TTSTextFrame,
)

from speech.audio.duck import FADE_MS
from speech.barge_in.replies import Replies
from tests.transports.conformance import SUBJECTS, Factory, Subject
from tests.transports.rig import RATE_HZ, Rig, running
from tests.transports.tones import PITCHES_HZ, tone

pytestmark = pytest.mark.parametrize("factory", SUBJECTS)

WORD_S = 0.1
QUIET = 300


def _sweep(seconds: float) -> NDArray[np.int16]:
    """Rises from 300 to 1,500 Hz, so that every moment sounds unlike every other."""
    t = np.arange(round(seconds * RATE_HZ)) / RATE_HZ
    phase = 2 * np.pi * (300 * t + (1_200 / (2 * seconds)) * t**2)
    return (8_000 * np.sin(phase)).astype(np.int16)


def _runs(samples: NDArray[np.int16], rate_hz: int, gap_s: float = 0.06) -> list[tuple[int, int]]:
    """Where there is sound, parted by silence of ``gap_s`` at least."""
    loud = np.flatnonzero(np.abs(samples.astype(np.int32)) > QUIET)
    breaks = np.flatnonzero(np.diff(loud) > gap_s * rate_hz)
    first = np.concatenate([loud[:1], loud[breaks + 1]])
    last = np.concatenate([loud[breaks], loud[-1:]])
    return list(zip(first.tolist(), last.tolist(), strict=True))


async def _heard(subject: Subject, reply_id: str, seconds: float) -> None:
    assert subject.position is not None
    async with asyncio.timeout(20):
        while subject.position(reply_id) < seconds:  # noqa: ASYNC110 - it gives no event
            await asyncio.sleep(0.003)


async def _stopped(rig: Rig, times: int = 1) -> None:
    await rig.played.until(lambda: len(rig.played.of(BotStoppedSpeakingFrame)) >= times)


def _marks(subject: Subject, name: str) -> list[Any]:
    return [event for event in subject.timeline.events if event.name == name]


async def test_it_holds_where_it_is_and_goes_on_from_the_same_sample(
    factory: Factory, request: pytest.FixtureRequest
) -> None:
    async with factory(request) as subject:
        speaker = subject.transport.speaker(Replies())  # type: ignore[attr-defined]
        async with running(subject.transport) as rig:
            await rig.say(_sweep(2.0), "r1")
            await _heard(subject, "r1", 0.7)
            speaker.duck("r1")
            await asyncio.sleep(0.5)
            held = subject.position and subject.position("r1")
            await asyncio.sleep(0.2)
            assert subject.position is not None
            assert subject.position("r1") == held
            speaker.resume()
            await _stopped(rig)
            await subject.settle()
            assert subject.position("r1") == pytest.approx(2.0, abs=0.045)
        sound = subject.heard()
        before, after = _runs(sound, subject.rate_hz)
        silence_s = (after[0] - before[1]) / subject.rate_hz
        assert 0.6 < silence_s < 1.0
        lengths = sum(last - first for first, last in (before, after)) / subject.rate_hz
        # The tone is one sweep: its phase says how much of it is missing or came twice.
        # A device that ran dry has played silence of its own in between.
        if not _ran_dry(subject):
            assert lengths == pytest.approx(2.0, abs=2 * FADE_MS / 1000)
            assert _continues(sound, before, after, subject.rate_hz)
        assert [m.reply_id for m in _marks(subject, "ducked")] == ["r1"]
        assert len(_marks(subject, "resumed")) == 1
        ducked, resumed = _marks(subject, "ducked")[0].at, _marks(subject, "resumed")[0].at
        assert ducked == pytest.approx(subject.heard_from() + before[1] / subject.rate_hz, abs=0.06)
        assert resumed - ducked == pytest.approx(silence_s, abs=0.06)


def _ran_dry(subject: Subject) -> bool:
    stats = getattr(subject.transport, "stats", None)
    return stats is not None and bool(stats.output_underflows + stats.output_device_underflows)


def _continues(
    sound: NDArray[np.int16], before: tuple[int, int], after: tuple[int, int], rate_hz: int
) -> bool:
    """What lies between the two parts is in the sweep as long as both fades, to 4 ms.

    Of each fade an eighth is quieter than ``QUIET``.
    """
    fade = round(rate_hz * (FADE_MS + 10) / 1000)
    sweep = _sweep(2.0)[:: RATE_HZ // rate_hz] if rate_hz <= RATE_HZ else None
    if sweep is None:
        t = np.arange(2 * rate_hz) / rate_hz
        sweep = np.interp(t, np.arange(2 * RATE_HZ) / RATE_HZ, _sweep(2.0))
    places = []
    for first, last in ((before[0], before[1] - fade), (after[0] + fade, after[1])):
        piece = sound[first:last].astype(float)
        match = np.correlate(sweep.astype(float), piece, "valid")
        places.append((int(match.argmax()), len(piece)))
    (start, length), (again, _) = places
    skipped = again - (start + length)
    return abs(skipped / rate_hz - 2 * (fade / rate_hz + FADE_MS / 8_000)) < 0.004


async def test_a_cut_is_silent_before_the_interruption_comes_and_stays_so(
    factory: Factory, request: pytest.FixtureRequest
) -> None:
    """Also where the reply's audio goes on coming; another reply is heard."""
    async with factory(request) as subject:
        replies = Replies()
        speaker = subject.transport.speaker(replies)  # type: ignore[attr-defined]
        async with running(subject.transport) as rig:
            await rig.say_words(tone(PITCHES_HZ[0], WORD_S, RATE_HZ), "r1", words=30)
            await _heard(subject, "r1", 0.4)
            replies.kill("r1")
            speaker.cut("r1")
            cut_at = subject.timeline.clock()
            await asyncio.sleep(0.3)
            await rig.say_words(tone(PITCHES_HZ[0], WORD_S, RATE_HZ), "r1", words=3)
            await rig.worker.queue_frame(InterruptionFrame())
            await _stopped(rig)
            words = len(rig.played.of(TTSTextFrame))
            await rig.say(tone(PITCHES_HZ[2], 0.4, RATE_HZ), "r2")
            await _stopped(rig, 2)
            await subject.settle()
        first, second = _runs(subject.heard(), subject.rate_hz)
        ended = subject.heard_from() + first[1] / subject.rate_hz
        assert ended - cut_at <= subject.holds_s + 0.03
        assert (second[1] - second[0]) / subject.rate_hz == pytest.approx(0.4, abs=0.05)
        assert words * WORD_S <= (first[1] - first[0]) / subject.rate_hz + 0.01
        assert replies.dropped["audio"] >= 3


@pytest.mark.parametrize("then", ["cut", "resume", "nothing"])
async def test_before_the_first_sound_a_duck_holds_it(
    factory: Factory, request: pytest.FixtureRequest, then: str
) -> None:
    async with factory(request) as subject:
        replies = Replies()
        speaker = subject.transport.speaker(replies)  # type: ignore[attr-defined]
        async with running(subject.transport) as rig:
            speaker.duck("r1")
            await asyncio.sleep(0.1)
            await rig.say(tone(PITCHES_HZ[0], 0.3, RATE_HZ), "r1")
            await asyncio.sleep(0.3)
            if then == "resume":
                speaker.resume()
                await _stopped(rig)
            if then == "cut":
                replies.kill("r1")
                speaker.cut("r1")
                await rig.interrupt()
                await rig.say(tone(PITCHES_HZ[1], 0.3, RATE_HZ), "r2")
                await rig.played.until(lambda: _ids(rig) == {"r2"})
                await _stopped(rig)
            if then == "nothing":
                await rig.worker.cancel()
            await subject.settle()
        heard = _runs(subject.heard(), subject.rate_hz)
        assert len(heard) == (0 if then == "nothing" else 1)


def _ids(rig: Rig) -> set[object]:
    return {getattr(f, "context_id", None) or "r2" for f in rig.played.of(TTSAudioRawFrame)}

"""The played position is what a recording shows, and the record holds just the words heard."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest
from pipecat.frames.frames import BotStoppedSpeakingFrame, TTSTextFrame

from tests.transports.conformance import SUBJECTS, Factory, Subject
from tests.transports.rig import RATE_HZ, Rig, running
from tests.transports.tones import PITCHES_HZ, tone

pytestmark = pytest.mark.parametrize("factory", SUBJECTS)

TOLERANCE_S = 0.045
"""Two blocks of 20 ms and what the recorder's own clock may be off; seen: 1 to 5 ms."""

LOUD = 600
WORD_S = 0.1
GAP_S = 0.15


def _spans(subject: Subject) -> list[tuple[float, float]]:
    """First and last loud moment of each run of sound, on the timeline's clock."""
    loud = np.flatnonzero(np.abs(subject.heard().astype(np.int32)) > LOUD) / subject.rate_hz
    if not len(loud):
        return []
    breaks = np.flatnonzero(np.diff(loud) > GAP_S)
    first = np.concatenate([loud[:1], loud[breaks + 1]]) + subject.heard_from()
    last = np.concatenate([loud[breaks], loud[-1:]]) + subject.heard_from()
    return list(zip(first.tolist(), last.tolist(), strict=True))


async def _stopped(rig: Rig, times: int = 1) -> None:
    await rig.played.until(lambda: len(rig.played.of(BotStoppedSpeakingFrame)) >= times)


async def test_the_position_is_what_the_recording_shows(
    factory: Factory, request: pytest.FixtureRequest
) -> None:
    async with factory(request) as subject:
        assert subject.position is not None
        seen: list[tuple[float, float, float]] = []
        async with running(subject.transport) as rig:
            assert subject.position("r1") == 0.0
            await rig.say(tone(PITCHES_HZ[0], 1.2, RATE_HZ), "r1")
            while not rig.played.of(BotStoppedSpeakingFrame):
                now = subject.timeline.clock()
                seen.append((now, subject.position("r1"), subject.position(None)))
                await asyncio.sleep(0.02)
            await subject.settle()
            assert subject.position("r1") == pytest.approx(1.2, abs=TOLERANCE_S)
            assert subject.position("unknown") == 0.0
        [(first, last)] = _spans(subject)
        assert last - first == pytest.approx(1.2, abs=TOLERANCE_S)
        assert len(seen) > 20
        positions = [of_reply for _, of_reply, _ in seen]
        assert positions == sorted(positions)
        off = [abs(p - min(max(now - first, 0.0), 1.2)) for now, p, _ in seen]
        assert np.quantile(off, 0.9) <= TOLERANCE_S  # a device that ran dry once is off for long
        assert all(of_reply == pytest.approx(of_all, abs=1e-3) for _, of_reply, of_all in seen)


@pytest.mark.parametrize("seed", [1])
async def test_cut_anywhere_it_counts_what_was_heard_and_credits_those_words(
    factory: Factory, request: pytest.FixtureRequest, seed: int
) -> None:
    moments = np.random.default_rng(seed).uniform(0.05, 1.1, 4)
    async with factory(request) as subject:
        assert subject.position is not None
        credited, at_cut = [], []
        async with running(subject.transport) as rig:
            for number, moment in enumerate(moments, 1):
                name, before = f"r{number}", len(rig.played.of(TTSTextFrame))
                pitch = PITCHES_HZ[number % len(PITCHES_HZ)]
                await rig.say_words(tone(pitch, WORD_S, RATE_HZ), name, words=30)
                while subject.position(name) < moment:  # noqa: ASYNC110 - it gives no event
                    await asyncio.sleep(0.003)
                at_cut.append(subject.position(name))
                await rig.interrupt()
                await _stopped(rig, number)
                credited.append(len(rig.played.of(TTSTextFrame)) - before)
                await subject.settle()
                counted = subject.position(name)
                assert counted <= at_cut[-1] + subject.holds_s + TOLERANCE_S
                await asyncio.sleep(0.1)
                assert subject.position(name) == counted  # what was flushed never counts
        spans = _spans(subject)
        assert len(spans) == len(moments)
        for words, position, (first, last) in zip(credited, at_cut, spans, strict=True):
            heard_s = last - first
            assert words * WORD_S <= heard_s + 0.01  # no word that was not played
            assert heard_s - words * WORD_S < WORD_S + subject.holds_s + 0.01
            assert words >= int(position / WORD_S)  # none that was

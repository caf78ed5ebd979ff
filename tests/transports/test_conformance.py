"""Every transport plays in order, is silenced by an interruption, drains, and leaves nothing."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest
from pipecat.frames.frames import (
    BotStartedSpeakingFrame,
    BotStoppedSpeakingFrame,
    InputAudioRawFrame,
    TTSAudioRawFrame,
    TTSTextFrame,
)

from tests.transports.conformance import SUBJECTS, Factory
from tests.transports.rig import RATE_HZ, Rig, running
from tests.transports.tones import PITCHES_HZ, order, seconds_of, tone

pytestmark = pytest.mark.parametrize("factory", SUBJECTS)

A, B, C = PITCHES_HZ[:3]


async def _stopped(rig: Rig, times: int = 1) -> None:
    await rig.played.until(lambda: len(rig.played.of(BotStoppedSpeakingFrame)) >= times)


async def _playing(rig: Rig, chunks: int = 8) -> None:
    await rig.played.until(lambda: len(rig.played.of(TTSAudioRawFrame)) >= chunks)


async def test_a_reply_is_heard_once_and_in_order(
    factory: Factory, request: pytest.FixtureRequest
) -> None:
    melody = np.concatenate([tone(pitch, 0.3, RATE_HZ) for pitch in PITCHES_HZ])
    async with factory(request) as subject:
        async with running(subject.transport) as rig:
            await rig.say(melody, "r1")
            await _stopped(rig)
        await subject.settle()
        assert order(subject.heard(), subject.rate_hz) == list(PITCHES_HZ)
        for pitch in PITCHES_HZ:
            assert seconds_of(pitch, subject.heard(), subject.rate_hz) == pytest.approx(
                0.3, abs=0.05
            )


async def test_pieces_of_odd_sizes_make_no_difference(
    factory: Factory, request: pytest.FixtureRequest
) -> None:
    melody = np.concatenate([tone(pitch, 0.3, RATE_HZ) for pitch in (A, B, C)])
    async with factory(request) as subject:
        async with running(subject.transport) as rig:
            await rig.say(melody, "r1", piece=337)
            await _stopped(rig)
        await subject.settle()
        assert order(subject.heard(), subject.rate_hz) == [A, B, C]


async def test_an_interruption_drops_what_was_not_played(
    factory: Factory, request: pytest.FixtureRequest
) -> None:
    async with factory(request) as subject:
        async with running(subject.transport) as rig:
            await rig.say(tone(A, 20.0, RATE_HZ), "r1")
            await _playing(rig)
            await rig.interrupt()
            await _stopped(rig)
        await subject.settle()
        heard = seconds_of(A, subject.heard(), subject.rate_hz)
        assert 0 < heard < 5.0


async def test_it_speaks_again_after_an_interruption_and_nothing_old_returns(
    factory: Factory, request: pytest.FixtureRequest
) -> None:
    async with factory(request) as subject:
        async with running(subject.transport) as rig:
            await rig.say(tone(A, 20.0, RATE_HZ), "r1")
            await _playing(rig)
            await rig.interrupt()
            await _stopped(rig)
            await rig.say(tone(B, 0.6, RATE_HZ), "r2")
            await _stopped(rig, times=2)
        await subject.settle()
        assert order(subject.heard(), subject.rate_hz) == [A, B]
        assert seconds_of(B, subject.heard(), subject.rate_hz) == pytest.approx(0.6, abs=0.05)


async def test_two_interruptions_in_a_row_do_no_harm(
    factory: Factory, request: pytest.FixtureRequest
) -> None:
    async with factory(request) as subject:
        async with running(subject.transport) as rig:
            await rig.interrupt()
            await rig.say(tone(A, 20.0, RATE_HZ), "r1")
            await _playing(rig)
            await rig.interrupt()
            await rig.interrupt()
            await _stopped(rig)
            await rig.say(tone(B, 0.3, RATE_HZ), "r2")
            await _stopped(rig, times=2)
        await subject.settle()
        assert order(subject.heard(), subject.rate_hz) == [A, B]


async def test_what_must_not_be_interrupted_is_played_to_its_end(
    factory: Factory, request: pytest.FixtureRequest
) -> None:
    async with factory(request) as subject:
        async with running(subject.transport) as rig:
            await rig.say(tone(A, 1.0, RATE_HZ), "r1", interruptible=False)
            await _playing(rig, 3)
            await rig.interrupt()
            await _stopped(rig)
        await subject.settle()
        assert seconds_of(A, subject.heard(), subject.rate_hz) == pytest.approx(1.0, abs=0.05)


async def test_the_end_lets_the_last_word_out(
    factory: Factory, request: pytest.FixtureRequest
) -> None:
    async with factory(request) as subject:
        async with running(subject.transport) as rig:
            await rig.say(np.concatenate([tone(A, 0.5, RATE_HZ), tone(B, 0.2, RATE_HZ)]), "r1")
            await rig.end()
        await subject.settle()
        assert seconds_of(B, subject.heard(), subject.rate_hz) == pytest.approx(0.2, abs=0.05)


async def test_cancelling_ends_at_once(factory: Factory, request: pytest.FixtureRequest) -> None:
    async with factory(request) as subject:
        async with running(subject.transport) as rig:
            await rig.say(tone(A, 20.0, RATE_HZ), "r1")
            await _playing(rig)
            await rig.worker.cancel()
        await subject.settle()
        assert 0 < seconds_of(A, subject.heard(), subject.rate_hz) < 5.0


@pytest.mark.parametrize("cut", ["interrupt", "cancel"])
async def test_no_text_behind_audio_that_was_cut_passes(
    factory: Factory, request: pytest.FixtureRequest, cut: str
) -> None:
    async with factory(request) as subject:
        async with running(subject.transport) as rig:
            await rig.say_words(tone(A, 0.1, RATE_HZ), "r1", words=200)
            await rig.played.until(lambda: len(rig.played.of(TTSTextFrame)) >= 3)
            await (rig.interrupt() if cut == "interrupt" else rig.worker.cancel())
            if cut == "interrupt":
                await _stopped(rig)
        await subject.settle()
        words = len(rig.played.of(TTSTextFrame))
        assert 3 <= words <= seconds_of(A, subject.heard(), subject.rate_hz) / 0.1 + 3


@pytest.mark.parametrize("leave", ["end", "cancel", "cleanup"])
async def test_no_task_is_left(
    factory: Factory, request: pytest.FixtureRequest, leave: str
) -> None:
    async with factory(request) as subject:
        before = asyncio.all_tasks()
        if leave == "cleanup":
            await _torn_down_without_an_end(subject.transport)
        else:
            async with running(subject.transport) as rig:
                await rig.say(tone(A, 0.2, RATE_HZ), "r1")
                await _stopped(rig)
                if leave == "cancel":
                    await rig.worker.cancel()
        assert {task for task in asyncio.all_tasks() - before if not task.done()} == set()


async def _torn_down_without_an_end(transport: object) -> None:
    """The run is cancelled from outside, as by a dying event loop."""
    task = asyncio.create_task(_speak_for_ever(transport))
    await asyncio.sleep(1.0)  # Any moment will do: it is about being cut anywhere.
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def _speak_for_ever(transport: object) -> None:
    async with running(transport) as rig:  # type: ignore[arg-type]
        await rig.say(tone(A, 20.0, RATE_HZ), "r1")
        await asyncio.Event().wait()


async def test_each_reply_starts_and_stops_speaking_once(
    factory: Factory, request: pytest.FixtureRequest
) -> None:
    async with factory(request) as subject:
        async with running(subject.transport) as rig:
            for number in range(1, 3):
                await rig.say(tone(A, 0.3, RATE_HZ), f"r{number}")
                await _stopped(rig, times=number)
        assert len(rig.played.of(BotStartedSpeakingFrame)) == 2
        assert len(rig.played.of(BotStoppedSpeakingFrame)) == 2


async def test_the_timeline_knows_when_each_reply_was_sent_and_scheduled(
    factory: Factory, request: pytest.FixtureRequest
) -> None:
    async with factory(request) as subject:
        async with running(subject.transport) as rig:
            for number in range(1, 3):
                await rig.say(tone(A, 0.3, RATE_HZ), f"r{number}")
                await _stopped(rig, times=number)
        events = subject.timeline.events
        for stage in ("transport_send", "scheduled"):
            assert [e.reply_id for e in events if e.name == stage] == ["r1", "r2"]
        sent, scheduled = (
            [e.at for e in events if e.name == stage] for stage in ("transport_send", "scheduled")
        )
        assert all(a <= b for a, b in zip(sent, scheduled, strict=True))


async def test_the_microphone_gives_mono_at_the_pipelines_rate(
    factory: Factory, request: pytest.FixtureRequest
) -> None:
    async with factory(request) as subject, running(subject.transport) as rig:
        await rig.microphone.until(lambda: len(rig.microphone.of(InputAudioRawFrame)) >= 25)
        frames = [f for f in rig.microphone.frames if isinstance(f, InputAudioRawFrame)]
        assert {(f.sample_rate, f.num_channels, len(f.audio) % 2) for f in frames} == {
            (16_000, 1, 0)
        }

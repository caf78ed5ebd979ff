"""Overflow, underflow, lost devices and slow loops are counted and survived (D09)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from pipecat.frames.frames import BotStoppedSpeakingFrame, InputAudioRawFrame, TTSAudioRawFrame

from speech.audio.duck import CUT_MS
from speech.errors import DeviceError
from speech.timeline import Timeline
from tests.transports.local.fake_backend import FakeBackend
from tests.transports.rig import RATE_HZ, Rig, running
from transports.local import DeviceNotice, LocalParams, LocalTransport, link, output

BLOCK = 480


def _transport(backend: FakeBackend, **params: object) -> tuple[LocalTransport, list[DeviceNotice]]:
    transport = LocalTransport(LocalParams(**params), Timeline(), backend=backend)  # type: ignore[arg-type]
    notices: list[DeviceNotice] = []
    transport.add_event_handler("on_device_notice", lambda _, notice: notices.append(notice))
    return transport, notices


async def _until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not condition():  # noqa: ASYNC110 - the fake device gives no event
            await asyncio.sleep(0.005)


def _ramp(count: int) -> NDArray[np.int16]:
    return np.arange(1, count + 1, dtype=np.int16)


async def _play_all(backend: FakeBackend, rig: Rig, stopped: int = 1) -> NDArray[np.int16]:
    """Be the device until the reply has stopped; the first channel of what it played."""
    played: list[NDArray[np.int16]] = []
    while len(rig.played.of(BotStoppedSpeakingFrame)) < stopped:
        played.append(backend.stream("output").play()[:, 0])
        await asyncio.sleep(0.005)
    played += [backend.stream("output").play()[:, 0] for _ in range(8)]
    return np.concatenate(played)


async def test_a_hole_is_silence_and_nothing_is_skipped_or_repeated() -> None:
    backend = FakeBackend()
    transport, _ = _transport(backend)
    ramp = _ramp(9_600)
    async with running(transport) as rig:
        await rig.worker.queue_frame(TTSAudioRawFrame(ramp[:4_800].tobytes(), RATE_HZ, 1))
        await rig.played.until(lambda: len(rig.played.of(TTSAudioRawFrame)) >= 2)
        first = [backend.stream("output").play()[:, 0]]
        while len(rig.played.of(TTSAudioRawFrame)) < 5:
            first.append(backend.stream("output").play()[:, 0])
            await asyncio.sleep(0.005)
        hole = [backend.stream("output").play()[:, 0] for _ in range(4 + 15)]
        await rig.say(ramp[4_800:], "r1")
        rest = await _play_all(backend, rig)
    played = np.concatenate([*first, *hole, rest])
    assert np.array_equal(played[played != 0], ramp)
    assert transport.stats.output_underflows >= 1
    assert transport.stats.output_hole_samples >= 15 * BLOCK
    loud = np.flatnonzero(played)
    assert len(played[loud[0] : loud[-1] + 1]) - len(ramp) <= transport.stats.output_hole_samples


async def test_silence_between_replies_is_no_hole() -> None:
    backend = FakeBackend()
    transport, _ = _transport(backend)
    async with running(transport) as rig:
        for number in range(1, 4):
            await rig.say(_ramp(4_800), f"r{number}")
            await _play_all(backend, rig, stopped=number)
            holes = transport.stats.output_hole_samples
            for _ in range(20):
                backend.stream("output").play()
            assert transport.stats.output_hole_samples == holes


async def test_the_device_never_holds_more_than_two_chunks() -> None:
    backend = FakeBackend()
    transport, _ = _transport(backend)
    async with running(transport) as rig:
        await rig.say(_ramp(24_000), "r1")
        await rig.played.until(lambda: len(rig.played.of(TTSAudioRawFrame)) >= 2)
        await _play_all(backend, rig)
    assert transport.stats.output_high_water_samples == 2 * 960


async def test_after_an_interruption_the_sound_fades_within_8_ms() -> None:
    backend = FakeBackend()
    transport, _ = _transport(backend)
    async with running(transport) as rig:
        await rig.say(_ramp(24_000), "r1")
        await rig.played.until(lambda: len(rig.played.of(TTSAudioRawFrame)) >= 2)
        assert backend.stream("output").play().any()
        await rig.interrupt()
        await rig.played.until(lambda: len(rig.played.of(BotStoppedSpeakingFrame)) == 1)
        heard = np.concatenate([backend.stream("output").play()[:, 0] for _ in range(50)])
        assert not heard[CUT_MS * RATE_HZ // 1000 :].any()
    assert transport.stats.output_flushed_samples > 0


async def test_an_interruption_takes_nothing_from_what_must_be_heard() -> None:
    """Not even what is in the resampler: some 17 ms of it."""
    backend = FakeBackend(rates={48_000})
    transport, _ = _transport(backend)
    said = np.full(RATE_HZ, 1_000, np.int16)
    async with running(transport) as rig:
        await rig.say(said, "r1", interruptible=False)
        await rig.played.until(lambda: len(rig.played.of(TTSAudioRawFrame)) >= 2)
        for _ in range(3):
            await rig.interrupt()
            await asyncio.sleep(0.02)
        heard = await _play_all(backend, rig)
    assert np.count_nonzero(heard > 500) == pytest.approx(2 * len(said), abs=20)


async def test_c03_of_thirty_seconds_that_wait_nothing_is_heard_after_the_cut() -> None:
    backend = FakeBackend()
    transport, _ = _transport(backend)
    async with running(transport) as rig:
        await rig.say(np.full(30 * RATE_HZ, 1_000, np.int16), "r1")
        await rig.played.until(lambda: len(rig.played.of(TTSAudioRawFrame)) >= 2)
        assert backend.stream("output").play().any()
        await rig.interrupt()
        await rig.played.until(lambda: len(rig.played.of(BotStoppedSpeakingFrame)) == 1)
        late = [backend.stream("output").play()[:, 0] for _ in range(100)]
        await rig.say(_ramp(4_800), "r2")
        heard = await _play_all(backend, rig, stopped=2)
    assert np.count_nonzero(np.concatenate(late)) <= 0.2 * RATE_HZ
    assert np.array_equal(heard[heard != 0], _ramp(4_800))
    assert transport.stats.output_high_water_samples <= 2 * RATE_HZ


async def test_input_overflow_is_counted_and_the_microphone_goes_on() -> None:
    backend = FakeBackend()
    transport, _ = _transport(backend)
    async with running(transport) as rig:
        await _until(lambda: backend.stream("input").started)
        for number in range(10):
            block = np.full((320, 1), 100 + number, np.int16)
            backend.stream("input").capture(block, xrun=number in (2, 5, 6))
        await rig.microphone.until(lambda: len(rig.microphone.of(InputAudioRawFrame)) == 10)
        assert sorted(set(rig.heard_audio().tolist())) == list(range(100, 110))
    assert transport.stats.input_overflows == 3


async def test_a_stalled_loop_loses_the_oldest_and_counts_it() -> None:
    backend = FakeBackend()
    transport, _ = _transport(backend)
    async with running(transport) as rig:
        await _until(lambda: backend.stream("input").started)
        for number in range(150):  # 3 s in one go: the loop cannot take any of it meanwhile.
            backend.stream("input").capture(np.full((320, 1), number, np.int16))
        await rig.microphone.until(lambda: len(rig.microphone.of(InputAudioRawFrame)) == 100)
        assert rig.heard_audio()[0] == 50
        assert rig.heard_audio()[-1] == 149
    assert transport.stats.input_dropped_samples == 50 * 320


async def test_a_device_in_another_format_gets_and_gives_what_it_can() -> None:
    backend = FakeBackend(rates={48_000}, channels={2})
    transport, _ = _transport(backend)
    async with running(transport) as rig:
        await rig.say(np.full(4_800, 1_000, np.int16), "r1")
        played = await _play_all(backend, rig)
        await _until(lambda: backend.stream("input").started)
        backend.stream("input").capture(np.full((48_000, 2), 500, np.int16))
        await rig.microphone.until(lambda: len(rig.heard_audio()) >= 15_000)
    assert abs(np.count_nonzero(played > 500) - 9_600) < 200
    assert np.median(rig.heard_audio()) == 500


@pytest.mark.parametrize("direction", ["input", "output"])
async def test_a_lost_device_is_reported_once_and_comes_back(
    monkeypatch: pytest.MonkeyPatch, direction: str
) -> None:
    monkeypatch.setattr(link, "RETRY_FIRST_S", 0.01)
    backend = FakeBackend()
    transport, notices = _transport(backend)
    async with running(transport):
        await _until(lambda: backend.stream(direction).started)  # type: ignore[arg-type]
        lost = backend.stream(direction)  # type: ignore[arg-type]
        backend.failures = 3
        lost.die()
        await _until(lambda: len(notices) == 2)
        assert lost.closed
        assert backend.stream(direction).started  # type: ignore[arg-type]
    assert [(n.kind, n.state) for n in notices] == [(direction, "lost"), (direction, "back")]
    assert backend.rescans == 4
    assert transport.stats.devices_lost == transport.stats.devices_back == 1


async def test_a_device_that_falls_silent_without_a_word_is_lost_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(link, "STALL_S", 0.05)
    monkeypatch.setattr(link, "FIRST_BLOCK_S", 0.05)
    backend = FakeBackend()
    transport, notices = _transport(backend, audio_out_enabled=False)
    async with running(transport):
        await _until(lambda: any(notice.state == "lost" for notice in notices))
    assert "nothing came" in notices[0].message


async def test_a_reply_to_a_lost_speaker_waits_and_is_then_dropped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(output, "HOLD_S", 0.1)
    backend = FakeBackend()
    transport, notices = _transport(backend)
    async with running(transport) as rig:
        backend.failures = 1_000
        backend.stream("output").die()
        await _until(lambda: len(notices) == 1)
        await rig.say(_ramp(24_000), "r1")
        await rig.played.until(lambda: len(rig.played.of(BotStoppedSpeakingFrame)) == 1)
        assert rig.errors == []


async def test_a_missing_device_ends_before_anything_runs() -> None:
    transport, _ = _transport(FakeBackend([]))
    with pytest.raises(DeviceError, match="no microphone"):
        await transport.open()


async def test_when_the_speaker_is_busy_the_microphone_is_released() -> None:
    backend = FakeBackend(defaults={"input": 0, "output": None})
    transport, _ = _transport(backend)
    with pytest.raises(DeviceError, match="no default speaker"):
        await transport.open()
    assert backend.stream("input").closed


async def test_it_runs_without_a_microphone() -> None:
    backend = FakeBackend(defaults={"input": None, "output": 1})
    transport, _ = _transport(backend, audio_in_enabled=False)
    async with running(transport) as rig:
        await rig.say(_ramp(2_400), "r1")
        assert (await _play_all(backend, rig)).any()


async def test_a_silent_microphone_is_named_once() -> None:
    backend = FakeBackend()
    transport, notices = _transport(backend, silent_microphone_s=1.0)
    async with running(transport):
        await _until(lambda: backend.stream("input").started)
        for _ in range(20):
            backend.stream("input").capture(np.zeros((1_600, 1), np.int16))
        await _until(lambda: len(notices) == 1)
    assert notices[0].state == "silent"
    assert notices[0].message.startswith("I hear nothing from 'Front Mic'")


@pytest.fixture
def no_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """For a device that plays no more: the end waits for it in vain."""
    monkeypatch.setattr(output, "HOLD_S", 0.1)


@pytest.mark.usefixtures("no_patience")
async def test_the_played_position_follows_the_device() -> None:
    now = [100.0]
    backend = FakeBackend()
    transport = LocalTransport(LocalParams(), Timeline(lambda: now[0]), backend=backend)
    async with running(transport) as rig:
        await rig.say(_ramp(12_000), "r1")
        await rig.played.until(lambda: len(rig.played.of(TTSAudioRawFrame)) >= 2)
        backend.stream("output").play()
        assert transport.played_position("r1") == 0.0
        now[0] += 0.05
        assert transport.played_position("r1") == pytest.approx(0.01)
        now[0] += 0.05
        assert transport.played_position("r1") == pytest.approx(0.02)
        await rig.interrupt()


@pytest.mark.usefixtures("no_patience")
async def test_a_device_that_holds_much_is_restarted_by_an_interruption() -> None:
    backend = FakeBackend(latency=0.4)
    transport, notices = _transport(backend)
    async with running(transport) as rig:
        speaker = backend.stream("output")
        await rig.say(_ramp(24_000), "r1")
        await rig.played.until(lambda: len(rig.played.of(TTSAudioRawFrame)) >= 2)
        speaker.play()
        await rig.interrupt()
        await _until(lambda: speaker.starts == 2)
        assert transport.played_position("r1") == 0.0
    assert notices == []
    assert len(backend.streams) == 2


@pytest.mark.usefixtures("no_patience")
async def test_what_must_be_heard_keeps_the_device_running() -> None:
    backend = FakeBackend(latency=0.4)
    transport, _ = _transport(backend)
    async with running(transport) as rig:
        await rig.say(_ramp(4_800), "r1", interruptible=False)
        await rig.played.until(lambda: len(rig.played.of(TTSAudioRawFrame)) >= 2)
        backend.stream("output").play()
        await rig.interrupt()
        await _play_all(backend, rig)
        assert backend.stream("output").starts == 1


async def test_a_stream_that_does_not_start_is_retried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link, "RETRY_FIRST_S", 0.01)
    backend = FakeBackend(start_failures=2)
    transport, notices = _transport(backend, audio_in_enabled=False)
    async with running(transport):
        await _until(lambda: len(notices) == 2)
    assert [notice.state for notice in notices] == ["lost", "back"]

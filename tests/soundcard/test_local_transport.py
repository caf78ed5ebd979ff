"""On a sound card a reply is heard whole, is cut at once, survives faults; a user is heard."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from pipecat.frames.frames import BotStoppedSpeakingFrame, InputAudioRawFrame, TTSAudioRawFrame

from bench.soundcard.recorder import RECORD_RATE_HZ
from bench.soundcard.virtual_card import MICROPHONE, SPEAKER, VirtualCard
from speech.audio.resample import resample
from speech.audio.wav import write_wav
from speech.errors import DeviceError
from speech.timeline import Timeline
from tests.transports.rig import RATE_HZ, Rig, running
from transports.local import DeviceNotice, LocalParams, LocalTransport, list_devices
from transports.local.backend import FormatRefusedError, SounddeviceBackend, Stream, StreamRequest

pytestmark = pytest.mark.soundcard

FLOOR = 300


def _transport(**params: object) -> tuple[LocalTransport, list[DeviceNotice]]:
    chosen = {"input_device": MICROPHONE, "output_device": SPEAKER} | params
    transport = LocalTransport(LocalParams(**chosen), Timeline())  # type: ignore[arg-type]
    notices: list[DeviceNotice] = []
    transport.add_event_handler("on_device_notice", lambda _, notice: notices.append(notice))
    return transport, notices


async def _until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not condition():  # noqa: ASYNC110 - a condition outside of this process
            await asyncio.sleep(0.02)


async def _stopped(rig: Rig, times: int = 1) -> None:
    await rig.played.until(lambda: len(rig.played.of(BotStoppedSpeakingFrame)) >= times)


async def _recorded(card: VirtualCard, since: float) -> NDArray[np.int16]:
    await asyncio.to_thread(card.recorder.wait_until, time.monotonic() + 0.3)
    return card.recorder.since(since)


def _noise(seconds: float, seed: int = 1) -> NDArray[np.int16]:
    """Low-passed noise: like speech no two places of it are alike, so holes and repeats show."""
    raw = np.random.default_rng(seed).normal(0, 1, round(seconds * RATE_HZ))
    smooth = np.convolve(raw, np.hanning(24), mode="same")
    noise: NDArray[np.int16] = (8_000 * smooth / np.abs(smooth).max()).astype(np.int16)
    return noise


def _correlate(sound: NDArray[np.float64], piece: NDArray[np.float64]) -> NDArray[np.float64]:
    """``np.correlate(sound, piece, "valid")`` by Fourier transform, which is 100 times faster."""
    spectrum = np.fft.rfft(sound) * np.conj(np.fft.rfft(piece, len(sound)))
    return np.fft.irfft(spectrum, len(sound))[: len(sound) - len(piece) + 1]


def _offsets(sent: NDArray[np.int16], heard: NDArray[np.int16]) -> list[int]:
    """For each 100 ms of ``sent``: where it lies in ``heard`` (both 48 kHz), -1 if nowhere."""
    found, size, at = [], RECORD_RATE_HZ // 10, 0
    sound = heard.astype(np.float64)
    for begin in range(0, len(sent) - size, size):
        piece = sent[begin : begin + size].astype(np.float64)
        window = sound[at : at + 4 * RECORD_RATE_HZ]
        match = _correlate(window, piece) if len(window) >= size else np.zeros(1)
        best = int(np.argmax(match))
        energy = np.linalg.norm(window[best : best + size]) * np.linalg.norm(piece)
        found.append(at + best if match[best] > 0.9 * max(energy, 1.0) else -1)
        at = max(at, found[-1])
    return found


def test_the_card_is_seen(virtual_card: VirtualCard) -> None:
    names = {device.name for device in list_devices()}
    assert {SPEAKER, MICROPHONE} <= names


@pytest.mark.parametrize("block_hz", [0, RATE_HZ])
async def test_ten_seconds_are_heard_without_a_repeat_or_an_uncounted_hole(
    virtual_card: VirtualCard, block_hz: int
) -> None:
    backend = RefusingBackend({block_hz}) if block_hz else None
    timeline = Timeline()
    transport = LocalTransport(
        LocalParams(input_device=MICROPHONE, output_device=SPEAKER), timeline, backend=backend
    )
    noise, began = _noise(10.0), time.monotonic()
    async with running(transport) as rig:
        await rig.say(noise, "r1")
        await _stopped(rig)
    heard = await _recorded(virtual_card, began)
    places = _offsets(resample(noise, RATE_HZ, RECORD_RATE_HZ), heard)
    steps = np.diff([place for place in places if place >= 0])
    stats = transport.stats
    if not stats.output_underflows and not stats.output_device_underflows:
        assert min(places) >= 0
        assert np.abs(steps - RECORD_RATE_HZ // 10).max() <= 2
    # On a machine too slow to keep up there are holes, but nothing goes back and all is counted.
    assert steps.min() >= RECORD_RATE_HZ // 10 - 2
    assert places.count(-1) <= stats.output_underflows + stats.output_device_underflows
    print("underflows", stats.output_underflows, "device", stats.output_device_underflows)


class RefusingBackend(SounddeviceBackend):
    """The real card, but as hardware that does not know some rates."""

    def __init__(self, refused_hz: set[int]) -> None:
        super().__init__()
        self.refused_hz = refused_hz

    def open(self, request: StreamRequest) -> Stream:
        if request.format.rate_hz in self.refused_hz:
            raise FormatRefusedError("Invalid sample rate [PaErrorCode -9997]")
        return super().open(request)


@pytest.mark.parametrize("latency", ["low", 1.0])
async def test_an_interruption_is_silent_at_once(
    virtual_card: VirtualCard, latency: object
) -> None:
    """Also with a device that holds much: the bound is far below what it holds."""
    transport, notices = _transport(latency=latency)
    began = time.monotonic()
    async with running(transport) as rig:
        await rig.say(_noise(10.0), "r1")
        await rig.played.until(lambda: len(rig.played.of(TTSAudioRawFrame)) >= 60)
        cut = time.monotonic()
        await rig.interrupt()
        await _stopped(rig)
        heard = await _recorded(virtual_card, began)
        heard_s = transport.played_position("r1")
    loud = np.flatnonzero(np.abs(heard) > FLOOR)
    last = began + loud[-1] / RECORD_RATE_HZ
    print(transport.describe())
    print(f"silent {1000 * (last - cut):.0f} ms after the interruption was queued")
    assert last - cut < 1.0
    assert 0.0 < heard_s < 5.0
    # What the transport thinks was heard is what was recorded.
    assert heard_s == pytest.approx((loud[-1] - loud[0]) / RECORD_RATE_HZ, abs=0.3)
    assert notices == []


async def test_the_played_position_is_what_was_recorded(virtual_card: VirtualCard) -> None:
    transport, _ = _transport()
    noise, began = _noise(3.0), time.monotonic()
    async with running(transport) as rig:
        await rig.say(noise, "r1")
        await _stopped(rig)
        await asyncio.sleep(0.3)
        assert transport.played_position("r1") == pytest.approx(3.0, abs=0.05)
    heard = await _recorded(virtual_card, began)
    loud = np.flatnonzero(np.abs(heard) > FLOOR)
    scheduled = next(e.at for e in transport.timeline.events if e.name == "scheduled")
    audible = began + loud[0] / RECORD_RATE_HZ
    print(f"audible {1000 * (audible - scheduled):.0f} ms after the time booked")
    assert abs(audible - scheduled) < 1.0


async def test_a_human_at_the_microphone_arrives_intact(
    virtual_card: VirtualCard, tmp_path: Path
) -> None:
    transport, _ = _transport()
    sent = resample(_noise(2.0, seed=2), RATE_HZ, RECORD_RATE_HZ)
    write_wav(tmp_path / "user.wav", sent, RECORD_RATE_HZ)
    async with running(transport) as rig:
        await rig.microphone.until(lambda: len(rig.microphone.of(InputAudioRawFrame)) > 0)
        await asyncio.to_thread(virtual_card.play, tmp_path / "user.wav")
        await rig.microphone.until(lambda: np.abs(rig.heard_audio()[-1_600:]).max() < FLOOR)
        heard = resample(rig.heard_audio(), 16_000, RECORD_RATE_HZ)
    band = resample(resample(sent, RECORD_RATE_HZ, 16_000), 16_000, RECORD_RATE_HZ)
    places = _offsets(band, heard)
    assert sum(place >= 0 for place in places) >= len(places) - 1 - transport.stats.input_overflows


async def test_an_unplugged_speaker_is_reported_and_speaks_again(
    virtual_card: VirtualCard,
) -> None:
    transport, notices = _transport()
    async with running(transport) as rig:
        await rig.say(_noise(0.5), "r1")
        await _stopped(rig)
        await asyncio.to_thread(virtual_card.unplug_speaker)
        await _until(lambda: len(notices) >= 1)
        await asyncio.sleep(1.0)  # Some attempts fail meanwhile.
        assert [(n.kind, n.state) for n in notices] == [("output", "lost")]
        await asyncio.to_thread(virtual_card.plug_speaker)
        await _until(lambda: len(notices) >= 2)
        assert notices[1].state == "back"
        began = time.monotonic()
        await rig.say(_noise(1.0), "r2")
        await _stopped(rig, 2)
    heard = await _recorded(virtual_card, began)
    assert np.count_nonzero(np.abs(heard) > FLOOR) > 0.5 * RECORD_RATE_HZ
    assert rig.errors == []


async def test_a_killed_microphone_comes_back(virtual_card: VirtualCard) -> None:
    transport, notices = _transport(audio_out_enabled=False)
    async with running(transport) as rig:
        await rig.microphone.until(lambda: len(rig.microphone.of(InputAudioRawFrame)) > 0)
        await asyncio.to_thread(virtual_card.kill_recordings, 16_000)
        await _until(lambda: len(notices) >= 2)
        assert [(n.kind, n.state) for n in notices] == [("input", "lost"), ("input", "back")]
        count = len(rig.microphone.frames)
        await rig.microphone.until(lambda: len(rig.microphone.frames) > count + 10)


async def test_a_silent_microphone_is_said(virtual_card: VirtualCard) -> None:
    transport, notices = _transport(silent_microphone_s=0.5, audio_out_enabled=False)
    async with running(transport):
        await _until(lambda: len(notices) >= 1)
    assert notices[0].state == "silent"
    assert MICROPHONE in notices[0].message
    [event] = [event for event in transport.timeline.events if event.name == "device"]
    assert event.fields["state"] == "silent"


@pytest.mark.parametrize("field", ["input_device", "output_device"])
async def test_an_unknown_device_is_one_line(virtual_card: VirtualCard, field: str) -> None:
    transport, _ = _transport(**{field: "no such thing"})
    with pytest.raises(DeviceError, match="no such thing") as caught:
        await transport.open()
    assert SPEAKER in str(caught.value)
    assert "\n" not in str(caught.value)


async def test_opening_twice_is_harmless_and_everything_is_released(
    virtual_card: VirtualCard,
) -> None:
    transport, _ = _transport()
    await transport.open()
    await transport.open()
    assert [line.split(":")[0] for line in transport.describe()] == ["input", "output"]
    await transport.aclose()
    await transport.aclose()


def test_the_helper_runs_a_command_on_a_card_of_its_own() -> None:
    import subprocess
    import sys

    code = "import sounddevice; print([d['name'] for d in sounddevice.query_devices()])"
    done = subprocess.run(
        [sys.executable, "-m", "bench.soundcard.virtual_card", "--", sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert SPEAKER in done.stdout

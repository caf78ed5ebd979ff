"""The speaker of ``say`` plays every sample once, at the device's own format, to the end."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

from bot.config.schema import AudioSettings
from bot.speaker import Speaker
from speech.errors import DeviceError
from transports.local.backend import (
    BlockInfo,
    Device,
    FormatRefusedError,
    StreamRequest,
)


class FakeStream:
    """A device that renders when the test says so."""

    latency = 0.05

    def __init__(self, request: StreamRequest) -> None:
        self.request, self.running = request, False

    def start(self) -> None:
        self.running = True

    def abort(self) -> None:
        self.running = False

    def close(self) -> None:
        self.request.finished()


class FakeBackend:
    """One stereo card that takes 48 kHz only, unless told that ours is fine."""

    def __init__(self, rates: tuple[int, ...] = (48_000,)) -> None:
        self.rates = rates
        self.stream: FakeStream | None = None
        self.played: list[np.ndarray] = []

    def devices(self) -> list[Device]:
        return [Device(0, "card", "fake", 0, 2, 48_000)]

    def default_number(self, _kind: str) -> int | None:
        return 0

    def open(self, request: StreamRequest) -> FakeStream:
        if request.format.rate_hz not in self.rates:
            raise FormatRefusedError("rate")
        self.stream = FakeStream(request)
        return self.stream

    def rescan(self) -> None: ...

    def render(self) -> None:
        assert self.stream is not None
        request = self.stream.request
        block = np.full((request.block, request.format.channels), 99, np.int16)
        request.callback(block, BlockInfo(0.0, False))
        self.played.append(block[:, 0].copy())

    async def run(self) -> None:
        while True:
            self.render()
            await asyncio.sleep(0)


async def play(backend: FakeBackend, samples: np.ndarray) -> np.ndarray:
    speaker = Speaker(AudioSettings(), 24_000, backend)  # type: ignore[arg-type]
    device = asyncio.create_task(backend.run())
    for start in range(0, len(samples), 4_800):
        await speaker.write(samples[start : start + 4_800])
    await speaker.finish()
    device.cancel()
    speaker.close()
    return np.concatenate(backend.played)


async def test_every_sample_is_played_once_and_silence_follows() -> None:
    ramp = np.arange(1, 20_001, dtype=np.int16)
    played = await play(FakeBackend((24_000,)), ramp)
    sounding = np.flatnonzero(played)
    heard = played[sounding[0] : sounding[-1] + 1]
    assert np.array_equal(heard[heard != 0], ramp)
    after = len(played) - sounding[-1]
    assert after >= 0.05 * 24_000  # what the device holds has sounded


async def test_a_card_that_refuses_our_rate_gets_its_own() -> None:
    tone = (8_000 * np.sin(2 * np.pi * 440 * np.arange(24_000) / 24_000)).astype(np.int16)
    played = await play(FakeBackend(), tone)
    spectrum = np.abs(np.fft.rfft(played, 48_000))
    assert abs(int(np.argmax(spectrum)) - 440) <= 5


async def test_what_waits_is_bounded() -> None:
    backend = FakeBackend((24_000,))
    speaker = Speaker(AudioSettings(), 24_000, backend)  # type: ignore[arg-type]
    await speaker.write(np.ones(11 * 24_000, np.int16))
    held_up = asyncio.create_task(speaker.write(np.ones(10, np.int16)))
    await asyncio.sleep(0)
    assert not held_up.done()
    for _ in range(60):
        backend.render()
    await held_up
    speaker.close()


async def test_a_pulled_plug_is_one_line() -> None:
    backend = FakeBackend((24_000,))
    speaker = Speaker(AudioSettings(), 24_000, backend)  # type: ignore[arg-type]
    await speaker.write(np.ones(4_800, np.int16))
    finishing = asyncio.create_task(speaker.finish())
    await asyncio.sleep(0)
    assert backend.stream is not None
    backend.stream.request.finished()
    with pytest.raises(DeviceError, match="the speaker is gone"):
        await finishing

"""The transport tells the canceller what the device was handed, and uses it or says why not."""

from __future__ import annotations

import sys
from functools import partial

import numpy as np
import pytest
from numpy.typing import NDArray
from pipecat.frames.frames import InputAudioRawFrame, TTSAudioRawFrame

from speech.errors import DeviceError
from speech.timeline import Timeline
from tests.transports.local.fake_backend import FakeBackend
from tests.transports.rig import RATE_HZ, Rig, running
from transports.local import LocalParams, LocalTransport
from transports.local.echo import opening

BLOCK = 320


class FakeProcessing:
    """Gives silence back, and keeps what it was given."""

    def __init__(self) -> None:
        self.far: list[NDArray[np.int16]] = []

    def restart(self) -> None: ...

    def process(
        self, far: NDArray[np.int16], near: NDArray[np.int16], delay_s: float
    ) -> NDArray[np.int16]:
        self.far.append(far)
        return np.zeros_like(near)


@pytest.fixture
def processing(monkeypatch: pytest.MonkeyPatch) -> FakeProcessing:
    fake = FakeProcessing()
    monkeypatch.setattr(opening, "open_processing", lambda *_, **__: fake)
    return fake


class FakeClock:
    """Goes on by the block."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def _transport(
    backend: FakeBackend, clock: FakeClock | None = None, **params: object
) -> LocalTransport:
    timeline = Timeline(clock=clock or FakeClock())
    return LocalTransport(LocalParams(**params), timeline, backend=backend)  # type: ignore[arg-type]


def _came(rig: Rig, count: int) -> bool:
    return len(rig.microphone.of(InputAudioRawFrame)) >= count


async def _hear(
    backend: FakeBackend, transport: LocalTransport, clock: FakeClock
) -> list[InputAudioRawFrame]:
    """Play and take a second, both loud, block by block; the microphone's frames."""
    loud = np.full((BLOCK, 1), 5_000, np.int16)
    async with running(transport) as rig:
        await rig.say(np.full(RATE_HZ, 4_000, np.int16), "r1")
        await rig.played.until(lambda: len(rig.played.of(TTSAudioRawFrame)) > 0)
        for number in range(1, 51):
            backend.stream("output").play()
            clock.now += 0.02
            backend.stream("input").capture(loud)
            await rig.microphone.until(partial(_came, rig, number))
        return [f for f in rig.microphone.frames if isinstance(f, InputAudioRawFrame)]


async def test_the_microphone_is_cleaned_of_what_was_played(processing: FakeProcessing) -> None:
    backend, clock = FakeBackend(), FakeClock()
    transport = _transport(backend, clock, echo_cancellation="auto")
    frames = await _hear(backend, transport, clock)
    assert transport.cancels_echo
    assert not any(np.frombuffer(frame.audio, np.int16).any() for frame in frames)
    assert np.median(np.concatenate(processing.far[40:80])) == pytest.approx(4_000, abs=40)
    assert transport.echo_stats()["frames"] == 2 * len(frames)
    assert all(0.0 <= frame.metadata["echo"] <= 1.0 for frame in frames)
    assert transport.echo_likelihood() == frames[-1].metadata["echo"]


async def test_without_it_the_microphone_is_as_it_is_and_the_echo_known_of() -> None:
    backend, clock = FakeBackend(), FakeClock()
    transport = _transport(backend, clock)
    frames = await _hear(backend, transport, clock)
    assert not transport.cancels_echo
    assert all(np.frombuffer(frame.audio, np.int16).min() == 5_000 for frame in frames)
    assert max(frame.metadata["echo"] for frame in frames) > 0.5


async def test_without_a_speaker_there_is_no_echo() -> None:
    transport = _transport(FakeBackend(), echo_cancellation=True, audio_out_enabled=False)
    await transport.open()
    await transport.aclose()
    assert not transport.cancels_echo
    assert transport.echo_stats() == {}
    assert transport.echo_likelihood() == 0.0


async def test_a_missing_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """Asked for by name it is an error of one line; otherwise there is no cancelling."""
    monkeypatch.setitem(sys.modules, "livekit", None)
    transport = _transport(FakeBackend(), echo_cancellation="auto")
    await transport.open()
    assert not transport.cancels_echo
    assert transport.echo_stats()["frames"] == 0
    await transport.aclose()
    for wish in ("echo_cancellation", "noise_suppression", "gain_control"):
        with pytest.raises(DeviceError, match="pip install livekit") as caught:
            await _transport(FakeBackend(), **{wish: True}).open()
        assert "\n" not in str(caught.value)

"""Pipecat's own transports are held in place, go on from the same sample, and are cut at once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from pipecat.frames.frames import (
    BotStoppedSpeakingFrame,
    Frame,
    OutputAudioRawFrame,
    StartFrame,
    TTSTextFrame,
)
from pipecat.processors.frame_processor import FrameProcessor
from pipecat.transports.base_output import BaseOutputTransport
from pipecat.transports.base_transport import BaseTransport, TransportParams

from speech.audio.duck import FADE_MS
from speech.barge_in.replies import Replies
from tests.transports.rig import RATE_HZ, Rig, running
from transports.held import HeldSpeaker

TEN_MS = RATE_HZ // 100
FADE = FADE_MS // 10 * TEN_MS
RAMP = np.full(RATE_HZ, 10_000, np.int16) + np.arange(RATE_HZ, dtype=np.int16) // 4


class FakeNetwork(BaseOutputTransport):
    """Takes audio ten times as fast as it sounds, in whole tens of milliseconds only."""

    def __init__(self, params: TransportParams) -> None:
        super().__init__(params)
        self.taken: list[NDArray[np.int16]] = []
        self.news = asyncio.Event()

    async def start(self, frame: StartFrame) -> None:
        await super().start(frame)
        await self.set_transport_ready(frame)

    async def write_audio_frame(self, frame: OutputAudioRawFrame) -> bool:
        samples = np.frombuffer(frame.audio, np.int16)
        assert len(samples) % TEN_MS == 0
        self.taken.append(samples)
        self.news.set()
        await asyncio.sleep(len(samples) / RATE_HZ / 10)
        return True

    @property
    def sound(self) -> NDArray[np.int16]:
        return np.concatenate([np.zeros(0, np.int16), *self.taken])

    async def until(self, met: Callable[[], bool]) -> None:
        async with asyncio.timeout(10):
            while not met():
                self.news.clear()
                await self.news.wait()


class FakeTransport(BaseTransport):
    def __init__(self) -> None:
        super().__init__()
        self.network = FakeNetwork(TransportParams(audio_out_enabled=True))
        self.source = _Nothing()

    def input(self) -> FrameProcessor:
        return self.source

    def output(self) -> FakeNetwork:
        return self.network


class _Nothing(FrameProcessor):
    async def process_frame(self, frame: Frame, direction: object) -> None:
        await super().process_frame(frame, direction)  # type: ignore[arg-type]
        await self.push_frame(frame, direction)  # type: ignore[arg-type]


async def _stopped(rig: Rig, times: int = 1) -> None:
    await rig.played.until(lambda: len(rig.played.of(BotStoppedSpeakingFrame)) >= times)


async def test_it_holds_and_goes_on_from_the_same_sample() -> None:
    transport = FakeTransport()
    network, speaker = transport.network, HeldSpeaker(transport.network)
    async with running(transport) as rig:
        await rig.say(RAMP, "r1")
        await network.until(lambda: len(network.sound) >= 4_800)
        speaker.duck("r1")
        await asyncio.sleep(0.1)
        held = len(network.sound)
        await asyncio.sleep(0.1)
        assert len(network.sound) == held
        assert network.sound[-1] == 0
        speaker.resume()
        await _stopped(rig)
    sound = network.sound[: len(RAMP)]
    faded = np.flatnonzero(sound != RAMP)
    assert len(sound) == len(RAMP)
    assert held - FADE <= faded.min()
    assert faded.max() < held + FADE
    assert np.abs(np.diff(sound.astype(int))).max() < 10_000 * np.pi / 2 / FADE + 50


@pytest.mark.parametrize("ducked", [True, False])
async def test_after_a_cut_nothing_goes_out_and_no_text_passes(ducked: bool) -> None:
    transport = FakeTransport()
    network, speaker = transport.network, HeldSpeaker(transport.network)
    async with running(transport) as rig:
        await rig.say_words(RAMP[:2_400], "r1", words=30)
        await network.until(lambda: len(network.sound) >= 9_600)
        if ducked:
            speaker.duck("r1")
            await asyncio.sleep(0.05)
        speaker.cut("r1")
        cut, words = len(network.sound), len(rig.played.of(TTSTextFrame))
        await asyncio.sleep(0.1)
        await rig.interrupt()
        await _stopped(rig)
        assert len(network.sound) == cut
        assert len(rig.played.of(TTSTextFrame)) == words
        await rig.say(RAMP[:4_800], "r2")
        await network.until(lambda: len(network.sound) >= cut + 4_800)
        assert np.array_equal(network.sound[cut : cut + 4_800], RAMP[:4_800])


async def test_a_duck_before_the_first_sound_holds_it() -> None:
    transport = FakeTransport()
    network, speaker = transport.network, HeldSpeaker(transport.network)
    async with running(transport) as rig:
        speaker.duck("r1")
        await rig.say(RAMP[:4_800], "r1")
        await asyncio.sleep(0.1)
        assert not len(network.sound)
        speaker.resume()
        await network.until(lambda: len(network.sound) >= 4_800)


async def test_what_comes_late_of_a_dead_reply_is_dropped_and_counted() -> None:
    transport, replies = FakeTransport(), Replies()
    network = transport.network
    HeldSpeaker(network, replies)
    async with running(transport) as rig:
        replies.kill("r1")
        await rig.interrupt()
        await rig.say_words(RAMP[:2_400], "r1", words=3)
        await rig.say(RAMP[:4_800], "r2")
        await network.until(lambda: len(network.sound) >= 4_800)
        assert np.array_equal(network.sound[:4_800], RAMP[:4_800])
        assert not rig.played.of(TTSTextFrame)
    assert (replies.dropped["audio"], replies.dropped["text"]) == (3, 3)


async def test_what_must_be_heard_passes() -> None:
    transport = FakeTransport()
    network, speaker = transport.network, HeldSpeaker(transport.network)
    async with running(transport) as rig:
        await rig.say(RAMP[:4_800], "r1", interruptible=False)
        speaker.duck("r1")
        speaker.cut("r1")
        await network.until(lambda: len(network.sound) >= 4_800)
        assert np.array_equal(network.sound[:4_800], RAMP[:4_800])
        await rig.interrupt()

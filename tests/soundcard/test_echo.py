"""On a sound card whose speaker is heard by its microphone the bot's voice is taken out."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest
from pipecat.frames.frames import BotStoppedSpeakingFrame, Frame, InputAudioRawFrame

from bench.soundcard.virtual_card import MICROPHONE, SPEAKER, VirtualCard
from speech.timeline import Timeline
from tests.soundcard.loopback import loopback
from tests.transports.local.echo.path import clip
from tests.transports.rig import RATE_HZ, running
from transports.local import LocalParams, LocalTransport

pytestmark = pytest.mark.soundcard

READING_S = 6.0
LOUD_DB = 45.0
"""Of 16 bit: the echo as it comes has 60 on average, and a voice detector hears much less."""


def _level_db(frame: Frame) -> float:
    assert isinstance(frame, InputAudioRawFrame)
    samples = np.frombuffer(frame.audio, np.int16).astype(np.float64)
    return 10 * float(np.log10(np.mean(samples**2) + 1.0))


async def _read_aloud(transport: LocalTransport) -> list[Frame]:
    """What the microphone gave while the bot read."""
    reading = clip("beckett", RATE_HZ)[: round(READING_S * RATE_HZ)]
    async with running(transport) as rig:
        await rig.microphone.until(lambda: len(rig.microphone.of(InputAudioRawFrame)) > 30)
        before = len(rig.microphone.of(InputAudioRawFrame))
        await rig.say(reading, "r1")
        await rig.played.until(lambda: bool(rig.played.of(BotStoppedSpeakingFrame)))
        return rig.microphone.of(InputAudioRawFrame)[before:]


async def test_the_bots_voice_does_not_come_back(virtual_card: VirtualCard) -> None:
    transport = LocalTransport(
        LocalParams(input_device=MICROPHONE, output_device=SPEAKER, echo_cancellation=True),
        Timeline(),
    )
    with loopback(virtual_card, delay_s=0.08, gain_db=-6.0):
        frames = await _read_aloud(transport)
    levels = np.array([_level_db(frame) for frame in frames])
    doubted = np.array([frame.metadata["echo"] > 0.5 for frame in frames])
    print(transport.echo_stats(), f"loud {np.mean(levels > LOUD_DB):.2f}")
    assert transport.cancels_echo
    assert np.mean((levels > LOUD_DB) & ~doubted) < 0.03
    # A machine too slow to keep up lets the card run dry, and each time all is learned anew.
    if transport.echo_stats()["stretches"] == 1:
        assert 10 * np.log10(np.mean(10 ** (levels / 10))) < 50


async def test_stamps_say_when_a_sound_was_captured(virtual_card: VirtualCard) -> None:
    transport = LocalTransport(
        LocalParams(input_device=MICROPHONE, audio_out_enabled=False), Timeline()
    )
    async with running(transport) as rig:
        await rig.microphone.until(lambda: len(rig.microphone.of(InputAudioRawFrame)) > 60)
        now = asyncio.get_running_loop().time()
    frames = rig.microphone.of(InputAudioRawFrame)[:60]
    stamps = [frame.metadata["captured_at"] for frame in frames]
    assert np.median(np.diff(stamps)) == pytest.approx(0.02, abs=0.001)
    assert now - 2.0 < stamps[-1] < now
    assert all(frame.metadata["echo"] == 0.0 for frame in frames)

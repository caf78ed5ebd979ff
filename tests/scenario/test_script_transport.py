"""In a real pipeline the scripted transport plays in real time and records what is heard."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from pipecat.frames.frames import (
    BotStoppedSpeakingFrame,
    TTSAudioRawFrame,
    TTSStartedFrame,
    TTSTextFrame,
)
from pipecat.utils.text.base_text_aggregator import TextType

from speech.timeline import Timeline
from tests.transports.rig import RATE_HZ, Rig, running
from transports.script import ScriptParams, ScriptTransport


def tone(seconds: float, rate_hz: int = RATE_HZ) -> NDArray[np.int16]:
    time = np.arange(round(seconds * rate_hz)) / rate_hz
    return (8_000 * np.sin(2 * np.pi * 440 * time)).astype(np.int16)


@pytest.fixture
def timeline() -> Timeline:
    return Timeline()


@pytest.fixture
async def transport(timeline: Timeline) -> ScriptTransport:
    return ScriptTransport(ScriptParams(), timeline)


def stages(timeline: Timeline, name: str) -> list[tuple[str | None, float]]:
    return [(e.reply_id, e.at) for e in timeline.events if e.name == name]


async def test_the_microphone_gives_the_clip_at_its_time(transport: ScriptTransport) -> None:
    clip = tone(0.3, 16_000)
    async with running(transport) as rig:
        origin = await transport.started()
        played = transport.play(clip, origin + 0.4)
        await rig.microphone.until(lambda: len(rig.heard_audio()) > 16_000 * 0.8)
        given = rig.heard_audio()
    start = round((played.start - origin) * 16_000)
    assert played.start == pytest.approx(origin + 0.4, abs=0.001)
    assert (given[start : start + len(clip)] == clip).all()
    assert not given[:start].any()
    assert (transport.recording.user.samples[: len(given)] == given).all()


async def test_frames_come_when_their_last_sample_exists(
    transport: ScriptTransport, timeline: Timeline
) -> None:
    async with running(transport) as rig:
        origin = await transport.started()
        for count in (10, 40):
            await rig.microphone.until(lambda count=count: len(rig.microphone.frames) > count)  # type: ignore[misc]
            seconds = len(rig.heard_audio()) / 16_000
            assert seconds <= timeline.clock() - origin + 0.001


async def test_a_reply_is_recorded_whole_and_its_stages_are_marked(
    transport: ScriptTransport, timeline: Timeline
) -> None:
    samples = tone(0.5)
    async with running(transport) as rig:
        await rig.say(samples, "r1")
        await rig.played.until(lambda: bool(rig.played.of(BotStoppedSpeakingFrame)))
        await rig.microphone.until(lambda: transport.played_position("r1") > 0.49)
    transport.mark_heard()
    (reply,) = transport.heard_replies()
    assert np.abs(reply.samples).max() == pytest.approx(8_000, rel=0.01)
    assert len(reply.samples) / RATE_HZ == pytest.approx(0.5, abs=0.03)
    order = ["transport_send", "scheduled", "audible", "silent"]
    marked = [(e.name, e.reply_id) for e in timeline.events if e.name in order]
    assert marked == [(name, "r1") for name in order]
    # The sender pads the last chunk to 20 ms.
    assert transport.played_position("r1") == pytest.approx(0.5, abs=0.03)


async def test_a_cut_silences_at_once_and_the_rest_is_never_heard(
    transport: ScriptTransport, timeline: Timeline
) -> None:
    async with running(transport) as rig:
        await rig.say(tone(3.0), "r1")
        await rig.played.until(lambda: transport.played_position("r1") > 0.3)
        await rig.interrupt()
        await rig.played.until(lambda: bool(rig.played.of(BotStoppedSpeakingFrame)))
        cut_at = timeline.clock()
        await rig.say(tone(0.2), "r2")
        await rig.played.until(lambda: len(rig.played.of(BotStoppedSpeakingFrame)) == 2)
    first, second = transport.heard_replies()
    assert first.end <= cut_at
    assert len(first.samples) < 2.5 * RATE_HZ
    assert second.reply_id == "r2"
    assert len(second.samples) / RATE_HZ == pytest.approx(0.2, abs=0.03)


async def test_text_behind_the_cut_audio_does_not_pass(transport: ScriptTransport) -> None:
    async with running(transport) as rig:
        await say_with_text(rig, tone(2.0), "r1")
        await rig.played.until(lambda: transport.played_position("r1") > 0.2)
        await rig.interrupt()
        await rig.played.until(lambda: bool(rig.played.of(BotStoppedSpeakingFrame)))
        await say_with_text(rig, tone(0.1), "r2")
        await rig.played.until(lambda: bool(rig.played.of(TTSTextFrame)))
    texts = [frame.text for frame in rig.played.of(TTSTextFrame) if isinstance(frame, TTSTextFrame)]
    assert texts == ["the words of r2"]


async def say_with_text(rig: Rig, samples: NDArray[np.int16], reply_id: str) -> None:
    text = TTSTextFrame(f"the words of {reply_id}", text_type=TextType.SENTENCE)
    await rig.worker.queue_frame(TTSStartedFrame(context_id=reply_id))
    audio = TTSAudioRawFrame(samples.tobytes(), RATE_HZ, 1, context_id=reply_id)
    await rig.worker.queue_frame(audio)
    await rig.worker.queue_frame(text)


async def test_audio_that_comes_too_late_leaves_a_hole_that_is_counted(
    transport: ScriptTransport,
) -> None:
    async with running(transport) as rig:
        piece = TTSAudioRawFrame(tone(0.2).tobytes(), RATE_HZ, 1, context_id="r1")
        again = TTSAudioRawFrame(tone(0.2).tobytes(), RATE_HZ, 1, context_id="r1")
        await rig.worker.queue_frame(TTSStartedFrame(context_id="r1"))
        await rig.worker.queue_frame(piece)
        await rig.microphone.until(lambda: transport.played_position("r1") > 0.19)
        count = len(rig.microphone.frames)
        await rig.microphone.until(lambda: len(rig.microphone.frames) > count + 5)
        await rig.worker.queue_frame(again)
        await rig.microphone.until(lambda: transport.played_position("r1") > 0.39)
    count, seconds = transport.holes
    assert count == 1
    assert seconds > 0.05


async def test_late_audio_of_a_cut_reply_is_dropped(transport: ScriptTransport) -> None:
    async with running(transport) as rig:
        await rig.say(tone(2.0), "r1")
        await rig.played.until(lambda: transport.played_position("r1") > 0.2)
        await rig.interrupt()
        await rig.played.until(lambda: bool(rig.played.of(BotStoppedSpeakingFrame)))
        before = transport.played_position("r1")
        await rig.say(tone(0.3), "r1")
        await rig.say(tone(0.2), "r2")
        await rig.played.until(lambda: len(rig.played.of(BotStoppedSpeakingFrame)) == 2)
    assert transport.played_position("r1") == pytest.approx(before, abs=0.01)
    assert transport.heard_replies()[-1].reply_id == "r2"


async def test_what_may_not_be_interrupted_is_heard_to_its_end(
    transport: ScriptTransport,
) -> None:
    async with running(transport) as rig:
        await rig.say(tone(0.6), "goodbye", interruptible=False)
        await rig.played.until(lambda: transport.played_position("goodbye") > 0.2)
        await rig.interrupt()
        await rig.played.until(lambda: bool(rig.played.of(BotStoppedSpeakingFrame)))
    (reply,) = transport.heard_replies()
    assert len(reply.samples) / RATE_HZ == pytest.approx(0.6, abs=0.03)


async def test_both_sides_lie_on_one_clock(transport: ScriptTransport) -> None:
    async with running(transport) as rig:
        origin = await transport.started()
        transport.play(tone(0.2, 16_000), origin + 0.3)
        await rig.say(tone(0.2), "r1")
        await rig.played.until(lambda: bool(rig.played.of(BotStoppedSpeakingFrame)))
        await rig.microphone.until(lambda: len(rig.heard_audio()) > 16_000 * 0.7)
    both = transport.recording.stereo()
    left = np.flatnonzero(np.abs(both[:, 0].astype(int)) > 1_000)
    assert left[0] / RATE_HZ == pytest.approx(0.3, abs=0.005)
    assert left[-1] / RATE_HZ == pytest.approx(0.5, abs=0.005)
    right = np.flatnonzero(np.abs(both[:, 1].astype(int)) > 1_000)
    (reply,) = transport.heard_replies()
    assert right[0] / RATE_HZ == pytest.approx(reply.start - origin, abs=0.005)

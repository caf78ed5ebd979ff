"""Guards: sound does not pile up before a voice detector that is too slow."""

from __future__ import annotations

import asyncio

import pytest
from pipecat.frames.frames import Frame, InputAudioRawFrame, InterruptionFrame, SystemFrame
from pipecat.pipeline.pipeline import Pipeline
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor
from pipecat.tests.utils import SleepFrame, run_test

from processors.fresh_audio import BEHIND_S, FreshAudio
from speech.queues import Queues

FRAME_S = 0.02


class FakeDetector(FrameProcessor):
    """Takes a frame of sound only while ``open`` is set."""

    def __init__(self) -> None:
        super().__init__()
        self.open = asyncio.Event()
        self.heard = 0

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        if isinstance(frame, InputAudioRawFrame):
            await self.open.wait()
            self.heard += 1
        await self.push_frame(frame, direction)


class Open(SystemFrame):
    """Opens the detector before it comes there."""


class Opener(FrameProcessor):
    def __init__(self, detector: FakeDetector) -> None:
        super().__init__(enable_direct_mode=True)
        self._detector = detector

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        if isinstance(frame, Open):
            self._detector.open.set()
        await self.push_frame(frame, direction)


def sound(seconds: float) -> list[Frame]:
    audio = bytes(round(16_000 * FRAME_S) * 2)
    return [InputAudioRawFrame(audio, 16_000, 1) for _ in range(round(seconds / FRAME_S))]


@pytest.mark.parametrize(("seconds", "lost_s"), [(1.0, 0.0), (3.0, 1.0)])
async def test_what_is_more_than_the_bound_goes_and_is_counted(
    seconds: float, lost_s: float
) -> None:
    queues, detector = Queues(), FakeDetector()
    fresh = FreshAudio(detector, queues)
    frames = [*sound(seconds), InterruptionFrame(), Open(), SleepFrame(0.1), *sound(1.0)]
    await run_test(Pipeline([Opener(detector), fresh, detector]), frames_to_send=frames)
    (use,) = queues.uses()
    assert use.dropped == pytest.approx(lost_s)
    assert use.high_water == pytest.approx(min(seconds, BEHIND_S))
    assert detector.heard * FRAME_S == pytest.approx(seconds - lost_s + 1.0)

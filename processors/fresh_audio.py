"""The listener is at most so far behind the microphone."""

from __future__ import annotations

from pipecat.frames.frames import Frame, InputAudioRawFrame
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor

from speech.queues import Queues

BEHIND_S = 2.0
"""As much as the sound card's own buffer. A voice detector takes a hundredth of real time; one
that is two seconds behind would let the bot talk on for two seconds."""


class FreshAudio(FrameProcessor):
    """Stands before a processor that listens and keeps sound from piling up in its queue.

    That queue is pipecat's and has no bound: an interruption would wait behind all of the
    sound. While ``BEHIND_S`` wait there, further sound is dropped and counted.
    """

    def __init__(self, listener: FrameProcessor, queues: Queues) -> None:
        super().__init__(enable_direct_mode=True)
        self._waiting: dict[int, float] = {}
        self._gauge = queues.watch(
            "sound for the voice detector",
            unit="s",
            bound=BEHIND_S,
            policy="further sound goes until it has caught up",
        )
        listener.add_event_handler("on_before_process_frame", self._taken)

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Count the sound, or drop it; pass everything else on."""
        await super().process_frame(frame, direction)
        if isinstance(frame, InputAudioRawFrame) and direction is FrameDirection.DOWNSTREAM:
            seconds = frame.num_frames / frame.sample_rate
            waiting_s = sum(self._waiting.values())
            if waiting_s >= BEHIND_S:
                self._gauge.drop(seconds)
                return
            self._waiting[frame.id] = seconds
            self._gauge.level(waiting_s + seconds)
        await self.push_frame(frame, direction)

    def _taken(self, _listener: FrameProcessor, frame: Frame) -> None:
        """The listener has come to this frame."""
        self._waiting.pop(frame.id, None)

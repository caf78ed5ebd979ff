"""How much sound an output has written."""

from __future__ import annotations

from pipecat.frames.frames import Frame, OutputAudioRawFrame
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor


class Written(FrameProcessor):
    """Stands behind the transport's output, which passes each chunk on once it is written.

    The next best to the played position where a transport does not know that: a browser's
    track and a room are written in the pace of the sound, a phone twice as fast.
    """

    def __init__(self) -> None:
        super().__init__(enable_direct_mode=True)
        self._seconds = 0.0

    def position(self) -> float:
        """Seconds of sound written so far; what was dropped does not count."""
        return self._seconds

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Count the sound; pass everything on."""
        await super().process_frame(frame, direction)
        if isinstance(frame, OutputAudioRawFrame) and direction is FrameDirection.DOWNSTREAM:
            self._seconds += frame.num_frames / frame.sample_rate
        await self.push_frame(frame, direction)

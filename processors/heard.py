"""What went out of the loudspeaker, word by word."""

from __future__ import annotations

from pipecat.frames.frames import Frame, TTSTextFrame
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor

from speech.timeline import Timeline


class HeardText(FrameProcessor):
    """Stands behind the transport's output and marks each piece of text that passed it.

    The transport lets a text frame through when the audio before it has been written, so
    the pieces joined are the words that were played, in their written form.
    """

    def __init__(self, timeline: Timeline) -> None:
        super().__init__()
        self._timeline = timeline

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Mark spoken text; pass everything on."""
        await super().process_frame(frame, direction)
        if isinstance(frame, TTSTextFrame) and direction is FrameDirection.DOWNSTREAM:
            fields = {k: v for k, v in frame.metadata.items() if k == "filler"}
            self._timeline.mark("heard_text", reply_id=frame.context_id, text=frame.text, **fields)
        await self.push_frame(frame, direction)

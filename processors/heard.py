"""What went out of the loudspeaker, word by word."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass

from pipecat.frames.frames import ControlFrame, Frame, InterruptionFrame, TTSTextFrame
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor

from processors.evidence import filler_mark
from speech.timeline import Timeline

RECORDED_WITHIN_S = 0.25
"""How long an interruption waits for the heard words to be in the context, which takes a
millisecond; the sound has stopped before that."""


@dataclass
class HeardSoFarFrame(ControlFrame):
    """Passes the assistant aggregator behind the last words that were heard."""

    interruptible: bool = False


class HeardText(FrameProcessor):
    """Stands behind the transport's output and marks each piece of text that passed it.

    A transport that knows its played position lets a text frame through when its last sample
    has been heard, another when the audio before it has been written; the pieces joined are
    the words that were played, in their written form.

    An interruption overtakes what waits in the aggregator's queue, and would drop words that
    were heard. So it waits here until ``recorded``, which stands behind the aggregator, has
    seen that they arrived.
    """

    def __init__(self, timeline: Timeline) -> None:
        super().__init__(enable_direct_mode=True)
        self._timeline = timeline
        self._recorded: Recorded | None = None

    def recorded(self) -> Recorded:
        """The processor to put behind the assistant aggregator."""
        if self._recorded is None:
            self._recorded = Recorded()
        return self._recorded

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Mark spoken text, hold an interruption until it is recorded; pass everything on."""
        await super().process_frame(frame, direction)
        if direction is FrameDirection.DOWNSTREAM:
            if isinstance(frame, TTSTextFrame):
                self._mark(frame)
            elif isinstance(frame, InterruptionFrame) and self._recorded is not None:
                await self._settle(self._recorded)
        await self.push_frame(frame, direction)

    def _mark(self, frame: TTSTextFrame) -> None:
        reply_id, filler = frame.context_id, filler_mark(frame)
        self._timeline.mark("heard_text", reply_id=reply_id, text=frame.text, **filler)

    async def _settle(self, recorded: Recorded) -> None:
        probe = HeardSoFarFrame()
        arrived = recorded.expect(probe)
        await self.push_frame(probe)
        with suppress(TimeoutError):
            await asyncio.wait_for(arrived.wait(), RECORDED_WITHIN_S)


class Recorded(FrameProcessor):
    """Stands behind the assistant aggregator: what comes here has been recorded."""

    def __init__(self) -> None:
        super().__init__(enable_direct_mode=True)
        self._probe_id = 0
        self._arrived = asyncio.Event()

    def expect(self, probe: HeardSoFarFrame) -> asyncio.Event:
        """Set when the probe comes by; one is expected at a time."""
        self._probe_id = probe.id
        self._arrived.clear()
        return self._arrived

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Note a probe; pass everything else on."""
        await super().process_frame(frame, direction)
        if not isinstance(frame, HeardSoFarFrame):
            await self.push_frame(frame, direction)
        elif frame.id == self._probe_id:
            self._arrived.set()

"""Ducking for pipecat's own transports: their sound is held on its way into the network."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from pipecat.frames.frames import Frame, InterruptionFrame, OutputAudioRawFrame, TTSAudioRawFrame
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor
from pipecat.transports.base_output import BaseOutputTransport
from pipecat.utils.utils import obj_id

from speech.audio.duck import Duck
from speech.barge_in.replies import Replies
from transports.late import is_late

PAUSE_S = 0.1
"""Chunks of 40 ms come in the pace of the sound: after this long nothing is being written."""


class HeldSpeaker:
    """A ``Speaker`` for any output that is written to in the pace of the sound.

    Stands in the output's ``write_audio_frame``, which pipecat gives no other way into. A duck
    fades out with the next chunk that is written and holds what follows; what is in the network
    already is still heard. After a cut no chunk goes out until the interruption frame has emptied
    the output's queue, which must follow. What must not be interrupted passes in any case. What
    comes late of a reply that is dead in ``replies`` is dropped and counted there.

    Fades are whole tens of milliseconds long and begin with a chunk: some transports (WebRTC)
    take nothing else.
    """

    def __init__(self, output: BaseOutputTransport, replies: Replies | None = None) -> None:
        self._replies = replies if replies is not None else Replies()
        self._process = output.process_frame
        self._write = output.write_audio_frame
        self._duck: Duck | None = None
        self._is_ducked = False
        self._stale_id = 0
        self._wrote_at = float("-inf")
        self._changed = asyncio.Event()
        self._settled = asyncio.Event()
        self._settled.set()
        output.process_frame = self._process_admitted  # type: ignore[method-assign]
        output.write_audio_frame = self._write_held  # type: ignore[method-assign]
        output.add_event_handler("on_after_process_frame", self._after_frame)

    def duck(self, reply_id: str) -> None:
        """See ``Speaker``."""
        self._is_ducked = True
        if self._duck is not None:
            self._duck.duck()

    def resume(self) -> None:
        """See ``Speaker``."""
        self._is_ducked = False
        if self._duck is not None:
            self._duck.resume()
        self._changed.set()

    def cut(self, reply_id: str) -> None:
        """See ``Speaker``; the interruption frame must follow."""
        self._is_ducked = False
        self._duck = None
        self._stale_id = obj_id()
        self._settled.clear()
        self._changed.set()

    async def _process_admitted(self, frame: Frame, direction: FrameDirection) -> None:
        if not is_late(frame, self._replies):
            await self._process(frame, direction)

    def _after_frame(self, _output: FrameProcessor, frame: Frame) -> None:
        if isinstance(frame, InterruptionFrame):
            self._stale_id = obj_id()
            self._settled.set()

    async def _write_held(self, frame: OutputAudioRawFrame) -> bool:
        if not (isinstance(frame, TTSAudioRawFrame) and frame.interruptible):
            return await self._write(frame)
        written = await self._through_duck(frame)
        self._wrote_at = asyncio.get_running_loop().time()
        # A write that returned between a cut and pipecat's purge of its queue would let the text
        # behind the cut audio pass for heard.
        await self._settled.wait()
        return written and not self._is_stale(frame)

    async def _through_duck(self, frame: OutputAudioRawFrame) -> bool:
        await self._settled.wait()
        left = np.frombuffer(frame.audio, np.int16)
        while left.size:
            if self._is_stale(frame):
                return False
            duck = self._gain(frame.sample_rate * frame.num_channels)
            if duck is None:
                return await self._write(_part(frame, left))
            count = duck.wanted(len(left))
            if count:
                piece = duck.apply(left[:count], count)
                left = left[count:]
                if not await self._write(_part(frame, piece)):
                    return False
            else:
                self._changed.clear()
                await self._changed.wait()
        return True

    def _gain(self, samples_per_s: int) -> Duck | None:
        """The gain, while there is one to apply."""
        if self._duck is None and self._is_ducked:
            self._duck = duck = Duck(samples_per_s)
            duck.duck()
            if asyncio.get_running_loop().time() - self._wrote_at > PAUSE_S:
                fade = duck.wanted(samples_per_s)  # nothing sounds that could fade
                duck.apply(np.zeros(fade, np.int16), fade)
        if self._duck is not None and not self._duck.active:
            self._duck = None
        return self._duck

    def _is_stale(self, frame: Frame) -> bool:
        # Frame ids only grow: what is older than the cut belongs to it.
        return frame.id <= self._stale_id


def _part(frame: OutputAudioRawFrame, samples: NDArray[np.int16]) -> OutputAudioRawFrame:
    part = replace(frame, audio=samples.tobytes())
    part.transport_destination = frame.transport_destination
    return part

"""The sound card as a place to send speech to, for commands that only speak."""

from __future__ import annotations

import asyncio
import threading
from collections import deque

import numpy as np
from numpy.typing import NDArray

from bot.config.schema import AudioSettings
from speech.audio.resample import StreamResampler
from speech.errors import DeviceError
from transports.local.backend import (
    Backend,
    BlockInfo,
    SounddeviceBackend,
    StreamFormat,
    StreamRequest,
)
from transports.local.devices import find_device, open_stream

_WAITING_S = 10.0
"""How much may wait to be played; synthesis is then held up instead of filling memory."""
_BLOCK_S = 0.02


class Speaker:
    """Plays samples on an output device, at a rate and channel count that it takes."""

    def __init__(
        self, settings: AudioSettings, rate_hz: int, backend: Backend | None = None
    ) -> None:
        """Open the device; silent until ``write``. Raises ``DeviceError``; blocks shortly."""
        backend = backend or SounddeviceBackend()
        self._loop = asyncio.get_running_loop()
        self._changed = asyncio.Event()
        self._lock = threading.Lock()
        self._waiting: deque[NDArray[np.int16]] = deque()
        self._samples = 0
        self._silent_s = 0.0
        self._lost = False
        device = find_device(backend, "output", settings.output_device)
        request = StreamRequest(
            "output",
            device,
            StreamFormat(rate_hz, 1),
            round(_BLOCK_S * rate_hz),
            settings.latency_s,
            self._render,
            self._finished,
        )
        self._stream, self._format = open_stream(backend, request)
        self._resampler = StreamResampler(rate_hz, self._format.rate_hz)
        self._stream.start()

    async def write(self, samples: NDArray[np.int16]) -> None:
        """Queue the samples; waits while ten seconds are queued already."""
        while self._samples > _WAITING_S * self._format.rate_hz:
            await self._change()
        self._queue(self._resampler.process(samples))

    async def finish(self) -> None:
        """Return when the last sample has sounded."""
        self._queue(self._resampler.flush())
        # A device plays what it holds only while more comes: silence follows the speech.
        while self._samples or self._silent_s < self._stream.latency + _BLOCK_S:
            await self._change()

    def close(self) -> None:
        """Silence at once."""
        self._stream.abort()
        self._stream.close()

    def _queue(self, samples: NDArray[np.int16]) -> None:
        with self._lock:
            self._waiting.append(samples)
            self._samples += len(samples)
            self._silent_s = 0.0

    async def _change(self) -> None:
        if self._lost:
            raise DeviceError("the speaker is gone; connect it, or write a file with -o FILE")
        self._changed.clear()
        await self._changed.wait()

    def _render(self, block: NDArray[np.int16], info: BlockInfo) -> None:
        """In the device's thread."""
        done = 0
        with self._lock:
            while self._waiting and done < len(block):
                part = self._waiting.popleft()
                take = min(len(part), len(block) - done)
                block[done : done + take] = part[:take, None]
                if take < len(part):
                    self._waiting.appendleft(part[take:])
                done += take
            self._samples -= done
            self._silent_s += (len(block) - done) / self._format.rate_hz
        block[done:] = 0
        self._loop.call_soon_threadsafe(self._changed.set)

    def _finished(self) -> None:
        """In the device's thread: the stream has ended, by ``close`` or a pulled plug."""
        self._lost = True
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._changed.set)
